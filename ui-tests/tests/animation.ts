/**
 * Screenshots as one animated WebP: of each, the rectangle that differs from the
 * one before. The browser encodes the rectangles without loss; what goes round
 * them is written here.
 */

import type { BrowserContext } from '@playwright/test';

export interface IFrame {
  png: Buffer;
  /** How long it stands, in milliseconds. */
  ms: number;
}

/** A rectangle of the picture; x and y are even, as the format has it. */
interface IPatch {
  x: number;
  y: number;
  width: number;
  height: number;
  /** A whole WebP file in base64. */
  webp: string;
}

/** The animation, without an end. All frames are of one size. */
export async function animated(
  context: BrowserContext,
  frames: IFrame[]
): Promise<Buffer> {
  const page = await context.newPage();
  const patches = await page.evaluate(
    patchesOf,
    frames.map(({ png }) => png.toString('base64'))
  );
  await page.close();
  const [whole] = patches;
  if (!whole) {
    throw new Error('there is no frame');
  }
  const canvas = [number(whole.width - 1, 3), number(whole.height - 1, 3)];
  const shown: { patch: IPatch; ms: number }[] = [];
  patches.forEach((patch, n) => {
    const { ms } = frames[n]!;
    const last = shown.at(-1);
    // A picture that shows nothing new lengthens the one before it.
    if (patch.width === 0 && last) {
      last.ms += ms;
    } else {
      shown.push({ patch, ms });
    }
  });
  const body = Buffer.concat([
    Buffer.from('WEBP'),
    chunk('VP8X', [Buffer.from([ANIMATION, 0, 0, 0]), ...canvas]),
    chunk('ANIM', [Buffer.alloc(4), number(0, 2)]),
    ...shown.map(({ patch, ms }) => frameChunk(patch, ms))
  ]);
  return Buffer.concat([Buffer.from('RIFF'), number(body.length, 4), body]);
}

/** The flag of a file that moves. */
const ANIMATION = 2;

/** The flag of a frame that is put over the one before as it is. */
const NO_BLENDING = 2;

function frameChunk(patch: IPatch, ms: number): Buffer {
  const { x, y, width, height } = patch;
  const sizes = [x / 2, y / 2, width - 1, height - 1, ms];
  return chunk('ANMF', [
    ...sizes.map(value => number(value, 3)),
    Buffer.from([NO_BLENDING]),
    picture(Buffer.from(patch.webp, 'base64'))
  ]);
}

/** The chunk of a still WebP that holds its pixels. */
function picture(webp: Buffer): Buffer {
  for (let at = 12; at < webp.length;) {
    const size = webp.readUInt32LE(at + 4);
    const end = at + 8 + size + (size % 2);
    if (/^VP8[ L]$/.test(webp.toString('latin1', at, at + 4))) {
      return webp.subarray(at, end);
    }
    at = end;
  }
  throw new Error('the browser encodes no WebP');
}

function chunk(name: string, parts: Buffer[]): Buffer {
  const data = Buffer.concat(parts);
  const pad = Buffer.alloc(data.length % 2);
  return Buffer.concat([Buffer.from(name), number(data.length, 4), data, pad]);
}

/** A number in little-endian bytes. */
function number(value: number, bytes: number): Buffer {
  const written = Buffer.alloc(bytes);
  written.writeUIntLE(value, 0, bytes);
  return written;
}

/** In the page: what each picture changes, the first one whole. */
async function patchesOf(pictures: string[]): Promise<IPatch[]> {
  const patches: IPatch[] = [];
  let before: ImageData | null = null;
  for (const png of pictures) {
    const image = new Image();
    image.src = `data:image/png;base64,${png}`;
    await image.decode();
    const drawn = new OffscreenCanvas(image.width, image.height);
    const context = drawn.getContext('2d')!;
    context.drawImage(image, 0, 0);
    const now = context.getImageData(0, 0, image.width, image.height);
    const of = (data: ImageData) => new Uint32Array(data.data.buffer);
    const [pixels, old] = [of(now), before && of(before)];
    let [left, top, right, bottom] = [image.width, image.height, -1, -1];
    pixels.forEach((pixel, n) => {
      if (old?.[n] !== pixel) {
        const [column, row] = [n % image.width, Math.floor(n / image.width)];
        left = Math.min(left, column);
        right = Math.max(right, column);
        top = Math.min(top, row);
        bottom = Math.max(bottom, row);
      }
    });
    before = now;
    const [x, y] = [left - (left % 2), top - (top % 2)];
    const [width, height] = [right + 1 - x, bottom + 1 - y];
    if (right < 0) {
      patches.push({ x: 0, y: 0, width: 0, height: 0, webp: '' });
      continue;
    }
    const part = new OffscreenCanvas(width, height);
    part.getContext('2d')!.drawImage(drawn, -x, -y);
    const blob = await part.convertToBlob({ type: 'image/webp', quality: 1 });
    const url = await new Promise<string>(resolve => {
      const reader = new FileReader();
      reader.onload = () => resolve(reader.result as string);
      reader.readAsDataURL(blob);
    });
    const webp = url.slice(url.indexOf(',') + 1);
    patches.push({ x, y, width, height, webp });
  }
  return patches;
}
