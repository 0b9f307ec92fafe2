/**
 * The program that a run of a cell takes, as a report names it: by its SHA-256.
 *
 * In: a cell's text. Out: the hashes of what a run of it may have been given.
 */

import { sha256 } from '../../model';

/**
 * All that a run may have been given of a cell: its text as it stands, without
 * the line breaks at its end, as IPython keeps what has run, or the body of its
 * magic, which IPython ends with a line break.
 */
export function programHashes(source: string): string[] {
  const texts = [source, source.replace(/\n+$/, '')];
  const body = /^\s*%%[^\n]*\n([^]*)$/.exec(source)?.[1];
  if (body !== undefined) {
    texts.push(body.endsWith('\n') ? body : `${body}\n`);
  }
  return [...new Set(texts)].map(sha256);
}
