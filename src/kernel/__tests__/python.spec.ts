import { execFileSync } from 'child_process';

import { pythonString, readPythonString } from '../python';

/** Where Python, IPython or an editor may end a line, and what ends a text in C. */
const BREAKS = '\0\n\r\v\f\x1c\x1d\x1e\x1f\x85\u2028\u2029\ufeff\u202e';

const TEXTS = [
  'x = "a" + \'b\'\n',
  'r"""\\n"""\r\n\ttab\0',
  `é ü 漢字 🙂 ${BREAKS}`,
  [...BREAKS].map(char => `a${char}!${char}import os#`).join(''),
  '"); __import__("os").abort(); ("',
  '{braces} %s \\N{BULLET} \\u0041 \\',
  Array.from({ length: 0x300 }, (_, n) => String.fromCharCode(n)).join('')
];

describe('pythonString', () => {
  it('is read by Python as the same text', () => {
    const program = `import json; print(json.dumps([${TEXTS.map(pythonString).join(', ')}]))`;
    const out = execFileSync('python3', ['-'], { input: program });
    expect(JSON.parse(out.toString())).toEqual(TEXTS);
  });

  it('is printable ASCII, whatever the text', () => {
    for (const text of TEXTS) {
      expect(pythonString(text)).toMatch(/^[ -~]*$/);
    }
  });

  it('replaces half a surrogate pair, which Python cannot encode', () => {
    expect(pythonString('a\ud83db\ude42c')).toBe('"a\\ufffdb\\ufffdc"');
    expect(pythonString('🙂')).toBe('"\\U0001f642"');
  });
});

describe('readPythonString', () => {
  it('reads what pythonString writes', () => {
    for (const text of TEXTS) {
      expect(readPythonString(pythonString(text))).toBe(text);
    }
  });

  it.each([
    ["'a\\'b'", "a'b"],
    ['"\\x41"', 'A']
  ])('reads %s', (literal, text) => {
    expect(readPythonString(literal)).toBe(text);
  });

  it.each([
    '"a',
    '"a" "b"',
    'f"a"',
    '"\\N{BULLET}"',
    '"\\101"',
    '"\\x4"',
    "'a'b'"
  ])('is nothing for %s', literal => {
    expect(readPythonString(literal)).toBeNull();
  });
});
