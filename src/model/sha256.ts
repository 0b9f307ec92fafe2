/**
 * SHA-256 of a text, as the package writes it into a report.
 *
 * Not the browser's own: that is offered to pages from https and localhost only,
 * and Jupyter is served over plain http in many places.
 */
import { sha256 as digest } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

/** Of the text in UTF-8, in hexadecimal digits. */
export function sha256(text: string): string {
  return bytesToHex(digest(utf8ToBytes(text)));
}
