import { shownParts } from '../shownText';

const shown = (source: string) =>
  shownParts(source).map(({ kind, text, count }) =>
    kind === 'name' ? `<${count} ${text}>` : text
  );

describe('shownParts', () => {
  it.each([
    ['code far to the right', `a${' '.repeat(300)}b`, 'a<300 blanks>b'],
    ['code far below', `a${'\n'.repeat(400)}b`, 'a<399 empty lines>\nb'],
    ['indentation', 'if x:\n    y', 'if x:\n····y'],
    ['tabs', 'a\tb', 'a→\tb'],
    ['text that turns around', 'a\u202eb', 'a<1 U+202E>b'],
    ['characters of no width', 'a\u200b\ufeffb', 'a<1 U+200B><1 U+FEFF>b'],
    [
      'other blanks and ends of lines',
      'a\u00a0b\u2028c',
      'a<1 U+00A0>b<1 U+2028>c'
    ],
    ['carriage returns', 'a\rb', 'a<1 U+000D>b'],
    ['ordinary code', 'a = 1\n\n\nb = 2', 'a = 1\n\n\nb = 2']
  ])('shows %s', (_, source, expected) => {
    expect(shown(source).join('')).toBe(expected);
  });

  it('is quick with a long text', () => {
    expect(shown(' \n'.repeat(200_000)).length).toBeLessThan(10);
  });
});
