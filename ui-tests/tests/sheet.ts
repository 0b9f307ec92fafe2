/**
 * Several pictures below each other as one small PNG, to be kept as a reference:
 * of few colours, which is a fifth of what a browser writes.
 *
 * In: PNGs of a page. Out: one PNG with a palette. Not here: how it is compared.
 */

import { crc32, deflateSync } from 'zlib';
import type { Page } from './gate';

/** Six steps a channel: half a step is below what a comparison counts. */
const STEPS = 6;
const STEP = 255 / (STEPS - 1);

interface IPixels {
  width: number;
  height: number;
  /** A byte a pixel, an index into the palette; in base64. */
  indices: string;
}

/** The pictures below each other. The page decodes them; nothing shows in it. */
export async function sheetOf(page: Page, pictures: Buffer[]): Promise<Buffer> {
  const pixels = await page.evaluate(pixelsOf, {
    pictures: pictures.map(picture => picture.toString('base64')),
    steps: STEPS,
    step: STEP
  });
  return asPng(pixels);
}

/** Runs in the page, so that it uses nothing from outside. */
async function pixelsOf(given: {
  pictures: string[];
  steps: number;
  step: number;
}): Promise<IPixels> {
  const { pictures, steps, step } = given;
  const images = await Promise.all(
    pictures.map(base64 => {
      const bytes = Uint8Array.from(atob(base64), one => one.charCodeAt(0));
      return createImageBitmap(new Blob([bytes], { type: 'image/png' }));
    })
  );
  const width = Math.max(...images.map(image => image.width));
  const height = images.reduce((sum, image) => sum + image.height, 0);
  const context = new OffscreenCanvas(width, height).getContext('2d')!;
  let top = 0;
  for (const image of images) {
    context.drawImage(image, 0, top);
    top += image.height;
  }
  const { data } = context.getImageData(0, 0, width, height);
  const indices = Uint8Array.from({ length: width * height }, (_, pixel) =>
    [0, 1, 2].reduce(
      (sum, n) => sum * steps + Math.round(data[pixel * 4 + n]! / step),
      0
    )
  );
  let text = '';
  for (let n = 0; n < indices.length; n += 8192) {
    text += String.fromCharCode(...indices.subarray(n, n + 8192));
  }
  return { width, height, indices: btoa(text) };
}

/** Every colour of so many steps, in the order of the indices. */
function palette(): Buffer {
  const values = Array.from({ length: STEPS }, (_, n) => n * STEP);
  return Buffer.from(
    values.flatMap(red =>
      values.flatMap(green => values.flatMap(blue => [red, green, blue]))
    )
  );
}

/** https://www.w3.org/TR/png-3, colour type 3, without filters. */
function asPng({ width, height, indices }: IPixels): Buffer {
  const pixels = Buffer.from(indices, 'base64');
  const rows = Array.from({ length: height }, (_, n) => [
    Buffer.of(0),
    pixels.subarray(n * width, (n + 1) * width)
  ]);
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.writeUInt8(8, 8);
  head.writeUInt8(3, 9);
  return Buffer.concat([
    Buffer.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a),
    chunk('IHDR', head),
    chunk('PLTE', palette()),
    chunk('IDAT', deflateSync(Buffer.concat(rows.flat()), { level: 9 })),
    chunk('IEND', Buffer.alloc(0))
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const ends = Buffer.alloc(8);
  ends.writeUInt32BE(data.length, 0);
  ends.writeUInt32BE(crc32(typed), 4);
  return Buffer.concat([ends.subarray(0, 4), typed, ends.subarray(4)]);
}
