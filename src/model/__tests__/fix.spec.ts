import { changedTokens, placeFix, suggestedRows } from '../fix';
import type { IFailure } from '../types';

const SOURCE = '# é 😀\nm = load("")\n';

interface ITestFix {
  fix?: string | null;
  line?: number;
  column?: number;
  text?: string;
  replaces?: number;
  excerpt?: { line: number; text: string }[];
}

/** A failure with a fix; by default one whose text is what is inserted. */
function failure({
  line = 2,
  column = 10,
  text = 'x;',
  fix = text,
  replaces = 0,
  excerpt = []
}: ITestFix): IFailure {
  return {
    fix,
    edit: { line, column, text, replaces },
    where: {
      label: 'cell [4]',
      line,
      column: null,
      excerpt: excerpt.map(one => ({ ...one, marked: false }))
    }
  } as unknown as IFailure;
}

/** The source as it reads with the fix. */
function fixed(source: string, of: ITestFix): string | null {
  const place = placeFix(source, failure(of));
  return place?.kind === 'placed'
    ? source.slice(0, place.offset) + place.text + source.slice(place.end)
    : null;
}

function why(source: string, of: ITestFix): string | undefined {
  const place = placeFix(source, failure(of));
  return place?.kind === 'refused' ? place.why : undefined;
}

describe('placeFix', () => {
  it('finds the place by line and by characters, as Python counts them', () => {
    expect(fixed(SOURCE, {})).toBe('# é 😀\nm = load("x;")\n');
    expect(fixed('"😀"', { line: 1, column: 2, text: '!' })).toBe('"😀!"');
  });

  it.each<[string, ITestFix]>([
    ['within a line', {}],
    ['at its end', { column: 12, text: '\n# c' }],
    ['as lines', { column: 0, text: '#include <a>\n#include <b>\n' }],
    ['at its start, without a line break', { column: 0, text: 'import os #' }],
    ['with a line break as it is written in a literal', { text: 'a;\\nb;' }],
    ['in place of a line', { line: 1, column: 0, text: '# a\n', replaces: 1 }],
    ['in place of two', { line: 1, column: 0, text: 'a\nb\nc\n', replaces: 2 }],
    ['as a line that goes', { line: 1, column: 0, text: '', replaces: 1 }]
  ])('shows exactly what the cell reads afterwards, %s', (_, of) => {
    const place = placeFix(SOURCE, failure(of));
    const rows = place?.kind === 'placed' ? place.rows : [];
    const lines = SOURCE.split('\n');
    for (const { line } of rows.filter(({ sign }) => sign === '−').reverse()) {
      lines.splice(line! - 1, 1);
    }
    for (const { line, text } of rows.filter(({ sign }) => sign === '+')) {
      lines.splice(line! - 1, 0, text);
    }
    expect(lines.join('\n')).toBe(fixed(SOURCE, of));
  });

  it('looks at the line that it adds, not at the break before it', () => {
    const of = { column: 10, text: '\n#include <a>', fix: '#include <a>' };
    expect(placeFix(SOURCE, failure(of))).toMatchObject({ line: 3 });
  });

  it.each<[string, ITestFix]>([
    ['a line break around it', { fix: 'f();', text: '\nf();\n' }],
    [
      'line breaks written as a literal has them',
      { fix: 'a\nb', text: 'a\\nb\\n' }
    ],
    ['a last line break', { fix: 'f();\n', text: 'f();' }]
  ])('takes a fix with %s', (_, of) => {
    expect(fixed(SOURCE, of)).not.toBeNull();
  });

  it.each<[string, ITestFix]>([
    ['other text', { fix: 'f();', text: 'g();' }],
    ['text behind blanks', { fix: 'f();', text: `f();${' '.repeat(400)};g()` }],
    ['more lines', { fix: 'f();', text: 'f();\ng();' }],
    ['no fix', { fix: null, text: 'g();' }],
    ['an empty fix', { fix: '', text: 'g();' }]
  ])('refuses what differs from what is shown: %s', (_, of) => {
    expect(why(SOURCE, of)).toBe('differs');
  });

  it.each([
    'a\u2028b',
    'a\u2029b',
    'a\u0085b',
    'a\fb',
    'a\vb',
    'a\x1cb',
    'a\rb',
    'a\0b',
    'a\u202eb',
    'a\u200bb',
    'a\ud83db',
    'аdmin',
    `a${' '.repeat(400)}b`,
    `a${'\t'.repeat(60)}b`,
    `a${'\n'.repeat(60)}b`
  ])('refuses what cannot be seen for certain: %j', text => {
    expect(why(SOURCE, { text })).toBe('hidden');
  });

  it.each(['\u202em = load("")', 'm = load("")\u2028', 'm = load("")\r'])(
    'refuses to write into a line that does not read as it stands: %j',
    row => {
      expect(why(row, { line: 1 })).toBe('hidden');
    }
  );

  it.each([
    [9, 0],
    [2, 99]
  ])('has no place at line %d, column %d', (line, column) => {
    expect(why(SOURCE, { line, column })).toBe('elsewhere');
  });

  it('replaces whole lines only, and only those that the cell has', () => {
    const of = { line: 1, text: 'x\n', replaces: 1 };
    expect(fixed('a\nb', { ...of, column: 0 })).toBe('x\nb');
    expect(fixed('a', { ...of, column: 0 })).toBe('x\n');
    expect(why('a\nb', { ...of, column: 1 })).toBe('elsewhere');
    expect(why('a\nb', { ...of, column: 0, replaces: 3 })).toBe('elsewhere');
    expect(why('a\nb\u2028', { ...of, column: 0, replaces: 2 })).toBe('hidden');
  });

  it('refuses a line that reads otherwise than in the report', () => {
    const shown = (text: string) => ({ excerpt: [{ line: 2, text }] });
    expect(why(SOURCE, shown('n = load("")'))).toBe('elsewhere');
    expect(why(SOURCE, shown('m = load("") '))).toBe('elsewhere');
    expect(fixed(SOURCE, shown('m = load("")'))).not.toBeNull();
  });

  it('takes a line that is too long for the report to show', () => {
    const row = `m = load("")${'#'.repeat(500)}`;
    const excerpt = [{ line: 1, text: row.slice(0, 400) }];
    expect(fixed(row, { line: 1, excerpt })).not.toBeNull();
  });

  it('is nothing where the report names no place', () => {
    expect(placeFix(SOURCE, { ...failure({}), edit: null })).toBeNull();
  });
});

describe('changedTokens', () => {
  const row = (sign: '+' | '−', text: string, line = 1) => ({
    sign,
    line,
    text
  });
  const changed = (...rows: ReturnType<typeof row>[]) =>
    rows.map(one => one.text.slice(...(changedTokens(rows, one) ?? [0, 0])));

  it('are the whole number or name of which something changes', () => {
    const rows = [row('−', 'y = 0.011f * x;'), row('+', 'y = 0.01f * x;')];
    expect(changed(...rows)).toEqual(['0.011f', '0.01f']);
  });

  it('are none of a line that is new, or becomes several', () => {
    expect(changed(row('+', 'f();'))).toEqual(['']);
    const rows = [row('−', 'f(a)'), row('+', 'f(b)'), row('+', 'g()', 2)];
    expect(changed(...rows)).toEqual(['', '', '']);
  });
});

describe('suggestedRows', () => {
  it('are of the excerpt where no cell is at hand', () => {
    const excerpt = [{ line: 2, text: 'm = load("")' }];
    expect(suggestedRows(failure({ excerpt }))).toEqual([
      { sign: '−', line: 2, text: 'm = load("")' },
      { sign: '+', line: 2, text: 'm = load("x;")' }
    ]);
  });

  it('are the fix alone where its place is not shown, or is another’s', () => {
    const alone = [{ sign: '+', line: null, text: 'f();' }];
    expect(suggestedRows(failure({ text: 'f();' }))).toEqual(alone);
    const excerpt = [{ line: 2, text: 'm = load("")' }];
    const other = failure({ fix: 'f();', text: 'g();', excerpt });
    expect(suggestedRows(other)).toEqual(alone);
  });
});
