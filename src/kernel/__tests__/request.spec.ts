import { execFileSync } from 'child_process';

import { pythonString, rememberCell } from '../request';

const TEXTS = [
  'x = "a" + \'b\'\n',
  'r"""\\n"""\r\n\ttab\0',
  'é ü 漢字 🙂 \u2028\u2029\u0085',
  '"); __import__("os").abort(); ("',
  '{braces} %s \\N{BULLET} \\u0041'
];

describe('pythonString', () => {
  it('is read by Python as the same text', () => {
    const program = `import json; print(json.dumps([${TEXTS.map(pythonString).join(', ')}]))`;
    const out = execFileSync('python3', ['-'], { input: program });
    expect(JSON.parse(out.toString())).toEqual(TEXTS);
  });

  it('replaces half a surrogate pair, which Python cannot encode', () => {
    expect(pythonString('a\ud83db\ude42c')).toBe('"a\ufffdb\ufffdc"');
    expect(pythonString('🙂')).toBe('"🙂"');
  });
});

describe('rememberCell', () => {
  it('is one call with two texts', () => {
    expect(rememberCell('ab-1', 'x = "1"\n')).toBe(
      '__import__("kernelgate").remember_cell("ab-1", "x = \\"1\\"\\n")'
    );
  });
});
