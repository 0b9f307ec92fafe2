/**
 * SHA-256 of a text, as the package writes it into a report.
 *
 * The browser's own is offered to pages from https and localhost only, and
 * Jupyter is served over plain http in many places.
 */

/** Square and cube roots of the first primes, the first 32 bits of their fractions. */
const START = new Uint32Array(8);
const ROUND = new Uint32Array(64);
for (let n = 2, found = 0; found < 64; n++) {
  if (isPrime(n)) {
    START[found] = Math.sqrt(n) * 2 ** 32; // The first eight are kept.
    ROUND[found++] = Math.cbrt(n) * 2 ** 32;
  }
}

/** Of the text in UTF-8, in hexadecimal digits. */
export function sha256(text: string): string {
  const bytes = new TextEncoder().encode(text);
  // The text, one bit, zeros, and its length in bits: whole blocks of 64 bytes.
  const padded = new Uint8Array(Math.ceil((bytes.length + 9) / 64) * 64);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 4, bytes.length * 8);
  const state = START.slice();
  const words = new Uint32Array(64);
  for (let at = 0; at < padded.length; at += 64) {
    addBlock(state, words, view, at);
  }
  return Array.from(state, word => word.toString(16).padStart(8, '0')).join('');
}

function addBlock(
  state: Uint32Array,
  words: Uint32Array,
  view: DataView,
  at: number
): void {
  for (let n = 0; n < 16; n++) {
    words[n] = view.getUint32(at + 4 * n);
  }
  for (let n = 16; n < 64; n++) {
    const [a, b] = [words[n - 15]!, words[n - 2]!];
    const s0 = turn(a, 7) ^ turn(a, 18) ^ (a >>> 3);
    const s1 = turn(b, 17) ^ turn(b, 19) ^ (b >>> 10);
    words[n] = words[n - 16]! + s0 + words[n - 7]! + s1;
  }
  let [a, b, c, d, e, f, g, h] = state as unknown as Eight;
  for (let n = 0; n < 64; n++) {
    const s1 = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25);
    const chosen = (e & f) ^ (~e & g);
    const one = (h + s1 + chosen + ROUND[n]! + words[n]!) | 0;
    const s0 = turn(a, 2) ^ turn(a, 13) ^ turn(a, 22);
    const most = (a & b) ^ (a & c) ^ (b & c);
    [h, g, f, e, d, c, b, a] = [
      g,
      f,
      e,
      (d + one) | 0,
      c,
      b,
      a,
      one + s0 + most
    ];
  }
  [a, b, c, d, e, f, g, h].forEach((word, n) => (state[n]! += word));
}

type Eight = [number, number, number, number, number, number, number, number];

function turn(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by));
}

function isPrime(n: number): boolean {
  for (let d = 2; d * d <= n; d++) {
    if (n % d === 0) {
      return false;
    }
  }
  return true;
}
