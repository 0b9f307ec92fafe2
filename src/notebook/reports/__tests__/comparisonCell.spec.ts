import { nullTranslator } from '@jupyterlab/translation';
import { marked } from 'marked';

import { recorded } from '../../../model/__tests__/recorded';
import { comparisonSource } from '../comparisonCell';

const trans = nullTranslator.load('');

function compared(name: string, number: number, program: string | null) {
  const report = recorded(name);
  return {
    run: { number, report, isRunning: false, isUnheard: false },
    program
  };
}

/** As Lab draws a Markdown cell, before it is sanitized. */
function drawn(source: string): HTMLElement {
  const node = document.createElement('div');
  node.innerHTML = marked.parse(source, { gfm: true, async: false }) as string;
  return node;
}

it('is the table of the panel, and what changed in the program', () => {
  const node = drawn(
    comparisonSource(
      compared('slower', 1, 'a\nb\n'),
      compared('profile', 2, 'a\nc\n'),
      trans
    )
  );
  expect(node.querySelector('strong')?.textContent).toBe('Run 2 against run 1');
  const time = [...node.querySelectorAll('tr')]
    .map(row => [...row.children].map(cell => cell.textContent))
    .find(([name]) => name === 'Time');
  expect(time).toEqual(['Time', '4.85 ms', '3.01 ms', '1.61x faster']);
  expect(node.querySelector('pre')?.textContent).toBe('@@\n a\n-b\n+c\n');
});

it('has no difference where a program is not known', () => {
  const source = comparisonSource(
    compared('slower', 1, null),
    compared('profile', 2, 'a'),
    trans
  );
  expect(drawn(source).querySelector('pre')).toBeNull();
});

const ATTACKS = [
  '<img src=x onerror=alert(1)>',
  '![x](https://evil.example/x.png)',
  '[x](javascript:alert(1))',
  'https://evil.example www.evil.example a@evil.example',
  '| a | b |\n|---|---|\n\n# heading',
  '```\n<script>alert(1)</script>',
  '$\\href{javascript:alert(1)}{x}$ `code` **b** ~~s~~ &lt;b&gt;',
  'a\u202e\u2028b'
];

it.each(ATTACKS)('shows the text %j of a report as a text', text => {
  const [before, after] = [
    compared('slower', 1, null),
    compared('profile', 2, null)
  ];
  after.run.report.verdict!.short = text;
  const source = comparisonSource(before, after, trans);
  const node = drawn(source);
  expect(
    node.querySelector('img, a, script, code, h1, del, em, pre')
  ).toBeNull();
  expect(node.querySelectorAll('strong')).toHaveLength(1);
  expect(source).not.toMatch(/\$|[\u202e\u2028]/);
  const words = text.replace(/[\u202e\u2028]/g, '').replace(/\s+/g, ' ');
  const said = node.textContent?.replace(/\s+/g, ' ') ?? '';
  expect(said.replace(/ /g, '')).toContain(words.replace(/ /g, ''));
});

it.each(['```\n![x](https://evil.example)', '````\n`````\n# h', '<b>x</b>'])(
  'keeps the program %j within its fence',
  program => {
    const source = comparisonSource(
      compared('slower', 1, ''),
      compared('profile', 2, program),
      trans
    );
    const node = drawn(source);
    expect(node.querySelector('img, b, h1')).toBeNull();
    expect(node.querySelectorAll('pre')).toHaveLength(1);
    expect(node.querySelector('pre')?.textContent).toContain(
      program.split('\n').pop()
    );
  }
);
