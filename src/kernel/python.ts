/**
 * Text from outside, written as Python, and read from it.
 *
 * In: any text: a cell's, a report's, an id. Out: a literal of it, the one form
 * in which such text enters code; and the text of a literal. Not here: the code
 * around it.
 */

const SHORT: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t'
};

/**
 * A Python literal of that text, in printable ASCII.
 *
 * Python, IPython and editors end a line at different characters (U+2028,
 * U+0085, form feed, ...), so that no other character may stand as it is. Half
 * a surrogate pair is no character, and nothing that Python can encode: it
 * becomes U+FFFD.
 */
export function pythonString(text: string): string {
  return `"${text
    .replace(/\p{Surrogate}/gu, '\ufffd')
    .replace(/[^ -~]|["\\]/gu, char => SHORT[char] ?? escaped(char))}"`;
}

function escaped(char: string): string {
  const hex = (char.codePointAt(0) ?? 0).toString(16);
  if (hex.length <= 2) {
    return `\\x${hex.padStart(2, '0')}`;
  }
  return hex.length <= 4
    ? `\\u${hex.padStart(4, '0')}`
    : `\\U${hex.padStart(8, '0')}`;
}

const SHORT_ESCAPES = new Map(
  Object.entries(SHORT).map(([text, escape]) => [escape, text])
).set("\\'", "'");

const ESCAPE =
  /\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|U(000[\da-fA-F]{5}|0010[\da-fA-F]{4})|[^xuU\d])/g;

/** The text of a plain literal on one line; null where it is none, or has an escape that we never write. */
export function readPythonString(literal: string): string | null {
  const [, , body] =
    /^(["'])((?:(?!\1)[^\\\n]|\\[^\n])*)\1$/.exec(literal) ?? [];
  if (body === undefined) {
    return null;
  }
  let isRead = !/\\/.test(body.replace(ESCAPE, ''));
  const text = body.replace(ESCAPE, (escape, ...codes) => {
    const code: unknown = codes.slice(0, 3).find(Boolean);
    const known =
      typeof code === 'string'
        ? String.fromCodePoint(parseInt(code, 16))
        : SHORT_ESCAPES.get(escape);
    isRead &&= known !== undefined;
    return known ?? '';
  });
  return isRead ? text : null;
}
