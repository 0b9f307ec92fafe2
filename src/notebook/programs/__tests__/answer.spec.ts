/** Which block of an answer counts, and which cell defines what: the kernel reads the same. */

import { readFileSync } from 'fs';
import { join } from 'path';

import { languages } from '../../__tests__/languages';
import { readAnswer } from '../answer';
import { pythonReader, ReadPython, sizesIn } from '../python';

interface IExamples {
  cells: { text: string; binds: string[] }[];
  answers: {
    what: string;
    text: string;
    lines: number[];
    model?: number[] | null;
  }[];
}

const EXAMPLES: IExamples = JSON.parse(
  readFileSync(
    join(__dirname, '../../../../python/tests/fixtures/answers.json'),
    'utf-8'
  )
);

const NAMES = ['Model', 'ModelNew', 'get_inputs', 'get_init_inputs'];

let read: ReadPython;

beforeAll(async () => {
  read = await pythonReader(languages());
});

describe('pythonReader', () => {
  it.each(EXAMPLES.cells)('finds $binds in $text', ({ text, binds }) => {
    const found = NAMES.filter(name => read(text).binds.has(name));
    expect(found).toEqual(binds);
  });

  it('knows what a text needs of others', () => {
    const text = `import torch
def get_inputs(n=size):
    x = [torch.rand(batch, k) for k in widths]
    return x, (lambda y: y + z)(dim=1)`;
    expect([...read(text).needs].sort()).toEqual([
      'batch',
      'size',
      'widths',
      'z'
    ]);
  });

  it('reads deep and long texts in no time, or not', () => {
    for (const text of [
      'f('.repeat(40_000),
      '['.repeat(90_000),
      'a,'.repeat(60_000)
    ]) {
      expect(read(text).binds.size).toBe(0);
    }
  });
});

describe('sizesIn', () => {
  it.each([
    ['def get_inputs():\n    return [torch.randn(16, 16384)]', '16x16384'],
    [
      'batch = 16\ndim = 1_024 # wide\ndef get_inputs():\n  x = torch.rand(batch, dim, 4)',
      '16x1024x4'
    ],
    ['def get_inputs():\n  return [torch.rand((8, 4), device="cuda")]', '8x4'],
    ['def get_inputs():\n  return [torch.rand(*shape)]', ''],
    ['x = torch.rand(8, 8)', '']
  ])('of %j are %j', (text, sizes) => {
    expect(sizesIn(text)).toBe(sizes);
  });
});

describe('readAnswer', () => {
  it.each(EXAMPLES.answers)(
    'of an answer: $what',
    ({ text, lines, model = null }) => {
      const all = text.split('\n');
      const at = (numbers: number[]) =>
        numbers.map(number => all[number - 1]?.trim());
      const words = (found: string | null | undefined) =>
        found
          ?.split('\n')
          .map(line => line.trim())
          .filter(line => line) ?? null;
      const found = readAnswer(text, read);
      expect(words(found?.program)).toEqual(at(lines));
      expect(words(found?.model)).toEqual(model && at(model));
    }
  );

  it('takes a program without fences whole, and nothing without a program', () => {
    const program = 'import torch\nclass ModelNew: pass';
    expect(readAnswer(`\n${program}\n`, read)).toEqual({
      program,
      model: null
    });
    expect(readAnswer('Sure, here it is.', read)).toBeNull();
    expect(readAnswer('```python\nx = 1\n```', read)).toBeNull();
    expect(readAnswer('', read)).toBeNull();
  });
});
