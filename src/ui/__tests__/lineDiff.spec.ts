import { diffRows, hunksOf } from '../lineDiff';

const shown = (before: string, after: string) =>
  diffRows(before, after)?.map(
    ({ sign, before, after, text }) =>
      `${sign} ${before ?? '-'} ${after ?? '-'} ${text}`
  );

describe('diffRows', () => {
  it('numbers the lines of both programs', () => {
    expect(shown('a\nb\nc\n', 'a\nx\nc\nd')).toEqual([
      '  1 1 a',
      '− 2 - b',
      '+ - 2 x',
      '  3 3 c',
      '+ - 4 d'
    ]);
  });

  it('marks what of a line takes the place of other text', () => {
    const rows = diffRows('y = 0.011f * x;', 'y = 0.01f * x;')!;
    expect(
      rows.map(({ text, changed }) => text.slice(...(changed ?? [0, 0])))
    ).toEqual(['1', '']);
  });

  it('puts both programs together again, whatever they are', () => {
    const words = ['a', 'b', 'c', ''];
    let state = 7;
    const random = (below: number) =>
      (state = (state * 16_807) % 2_147_483_647) % below;
    for (let n = 0; n < 200; n++) {
      const text = () =>
        Array.from({ length: random(12) }, () => words[random(4)]).join('\n');
      const [before, after] = [text(), text()];
      const rows = diffRows(before, after)!;
      const without = (sign: string) =>
        rows.filter(row => row.sign !== sign).map(row => row.text);
      const lines = (all: string) =>
        all === '' ? [] : all.replace(/\n$/, '').split('\n');
      expect(without('+')).toEqual(lines(before));
      expect(without('−')).toEqual(lines(after));
    }
  });

  it('refuses what is too long to compare', () => {
    expect(diffRows('a\n'.repeat(6000), 'b\n'.repeat(6000))).toBeNull();
  });
});

describe('hunksOf', () => {
  it('folds what is the same, but for the lines around a change', () => {
    const lines = Array.from({ length: 20 }, (_, n) => `${n}`);
    const changed = lines.map(line => (line === '10' ? 'ten' : line));
    const rows = diffRows(lines.join('\n'), changed.join('\n'))!;
    const { hunks, skippedAfter } = hunksOf(rows);
    expect(hunks).toHaveLength(1);
    expect(hunks[0]?.skipped).toBe(7);
    expect(hunks[0]?.rows).toHaveLength(8);
    expect(skippedAfter).toBe(6);
  });

  it('has none where nothing changed', () => {
    const { hunks, skippedAfter } = hunksOf(diffRows('a\nb', 'a\nb')!);
    expect(hunks).toEqual([]);
    expect(skippedAfter).toBe(2);
  });
});
