/**
 * Text from outside, written as Python.
 *
 * In: any text: a cell's, a report's, an id. Out: a literal of it, the one form
 * in which such text enters code. Not here: the code around it.
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
