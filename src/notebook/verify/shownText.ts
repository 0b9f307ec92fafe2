/**
 * A text of a stranger's, so that all of it can be seen before it runs.
 *
 * In: the text of a cell. Out: what is drawn, in order. No part of a text is out
 * of sight: blanks that push code aside are counted, and characters without a
 * look of their own are named.
 */

/** `name` stands for characters that would not be seen: `count` of them. */
export interface IShownPart {
  readonly kind: 'text' | 'blanks' | 'name';
  readonly text: string;
  readonly count: number;
}

/** More blanks than this are no indentation. */
const MAX_BLANKS = 16;

/** More empty lines than this separate nothing. */
const MAX_LINES = 3;

const HIDDEN =
  /(\n[ \t]*(?=\n)){2,}|[ \t]{2,}|\t|(?![ \n\t])[\p{C}\p{Z}\u115f\u1160\u2800\u3164\uffa0\p{Variation_Selector}]/gu;

export function shownParts(source: string): readonly IShownPart[] {
  const parts: IShownPart[] = [];
  let at = 0;
  for (const { 0: found, index } of source.matchAll(HIDDEN)) {
    if (index > at) {
      parts.push(part('text', source.slice(at, index)));
    }
    parts.push(shown(found));
    at = index + found.length;
  }
  if (at < source.length) {
    parts.push(part('text', source.slice(at)));
  }
  return parts;
}

function shown(found: string): IShownPart {
  const lines = found.split('\n').length - 1;
  if (lines > 0) {
    return lines > MAX_LINES
      ? part('name', 'empty lines', lines)
      : part('text', found);
  }
  if (/^[ \t]+$/.test(found)) {
    const dots = found.replace(/ /g, '·').replace(/\t/g, '→\t');
    return found.length > MAX_BLANKS
      ? part('name', 'blanks', found.length)
      : part('blanks', dots);
  }
  const code = (found.codePointAt(0) ?? 0).toString(16).toUpperCase();
  return part('name', `U+${code.padStart(4, '0')}`);
}

function part(kind: IShownPart['kind'], text: string, count = 1): IShownPart {
  return { kind, text, count };
}
