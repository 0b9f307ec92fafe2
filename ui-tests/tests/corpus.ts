/**
 * Reports as a stranger may write them: attacks in every text, figures that no
 * run reaches, and data that are no report. Nothing of them may run, be
 * requested, change a cell, or stop the page.
 */

import { readFileSync } from 'fs';
import { join } from 'path';
import { REPORT_MIME, reportFixture, STATES } from './gate';

const SCHEMA = JSON.parse(
  readFileSync(
    join(__dirname, '../../python/kernelgate/report/report.schema.json'),
    'utf-8'
  )
);

/** A payload sets it when it runs. */
export const TRACE = 'payloadRan';

const RUN = `window.${TRACE}=1`;
const FAR = 'https://elsewhere.invalid/x.png';

const TEXTS = [
  `<script>${RUN}</script>`,
  `<img src=x onerror="${RUN}">`,
  `<svg onload="${RUN}"><a xlink:href="javascript:${RUN}">x</a></svg>`,
  `<iframe srcdoc="<script>parent.${TRACE}=1</script>"></iframe>`,
  `</pre></details><style>*{display:none}</style>`,
  `<a data-commandlinker-command="kernelgate:insert" data-commandlinker-args='{"operator":"leakyrelu"}'>x</a>`,
  `[x](javascript:${RUN}) ![](${FAR}) javascript:${RUN}`,
  `<link rel=stylesheet href="${FAR}"><form action="${FAR}">`,
  `{{constructor.constructor("${RUN}")()}} \${${RUN}}`,
  '\u202eturned around\u2066 and \u200fagain',
  '\u0000\u0007\u001b[31m\u0085\u2028\u2029',
  'x'.repeat(110)
];

const MEASURED = [
  'benchmark',
  'profile',
  'slower',
  'sweep',
  'cell-profile-gpu'
];

/** Every value of a report that is no list and no record, with its key, replaced. */
function withLeaves(
  data: unknown,
  choose: (old: unknown, key: string) => unknown,
  key = ''
): unknown {
  if (Array.isArray(data)) {
    return data.map(one => withLeaves(one, choose, key));
  }
  if (typeof data === 'object' && data !== null) {
    return Object.fromEntries(
      Object.entries(data).map(([name, one]) => [
        name,
        withLeaves(one, choose, name)
      ])
    );
  }
  return choose(data, key);
}

/** The words that the schema lists: with another text, it is no report. */
const LISTED = new Set<unknown>();
withLeaves(SCHEMA, one => LISTED.add(one));

/** With another text in one of these, it is no report either. */
const FORMED = ['run', 'source_sha256', 'cell_id', 'bins'];

function withText(fixture: string, text: string): unknown {
  return withLeaves(reportFixture(fixture), (old, key) =>
    typeof old === 'string' && !LISTED.has(old) && !FORMED.includes(key)
      ? text
      : old
  );
}

function withNumbers(
  fixture: string,
  choose: (old: number) => number
): unknown {
  return withLeaves(reportFixture(fixture), (old, key) =>
    typeof old === 'number' && key !== 'schema' ? choose(old) : old
  );
}

function nested(depth: number): unknown {
  let data: unknown = 'deep';
  for (let n = 0; n < depth; n++) {
    data = [data];
  }
  return data;
}

/** What JSON can say only as text, in each figure of a report. */
const NO_NUMBERS = ['NaN', '-Infinity', null, true];

/**
 * Figures that no JSON has, and that an extension may put into a page all the
 * same: they are added there, as no file can hold them.
 */
export function unwritableOutputs(): unknown[] {
  return [NaN, Infinity, -0]
    .map(figure => withNumbers('benchmark', () => figure))
    .map(outputOf);
}

const PROTOTYPE_KEYS = [
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty'
];

/** A record with such a key of its own, as a text brings it. */
function polluted(key: string, data: object): unknown {
  const rest = JSON.stringify(data).slice(1);
  return JSON.parse(`{"${key}": {"polluted": true}, ${rest}`);
}

/** The hostile reports, by what they attack with. */
function classes(): Record<string, unknown[]> {
  const pass = reportFixture('pass');
  const wrong = reportFixture('wrong-result');
  let n = 0;
  const wide = (old: number) =>
    n++ % 2 ? 1e9 : Number.isInteger(old) ? 1 : 1e-12;
  const figures = [() => 1e308, () => -1e308, () => 5e-324, () => 0, wide];
  return {
    // Fixes and failing cases among them.
    'each text of a report': TEXTS.flatMap(text => [
      withText('wrong-result', text),
      withText('build-failure', text)
    ]),
    'scripts and handlers, in each state': STATES.map(state =>
      withText(state, TEXTS.slice(0, 2).join(''))
    ),
    'figures at the bounds of a double': figures.flatMap(choose =>
      MEASURED.map(fixture => withNumbers(fixture, choose))
    ),
    'no figures': NO_NUMBERS.map(value =>
      withLeaves(reportFixture('benchmark'), (old, key) =>
        typeof old === 'number' && key !== 'schema' ? value : old
      )
    ),
    'keys of prototypes': PROTOTYPE_KEYS.flatMap(key => [
      polluted(key, pass),
      { ...pass, candidate: polluted(key, pass.candidate) }
    ]),
    'other versions': [1e308, -1, '1', null, { valueOf: 1 }].map(schema => ({
      ...pass,
      schema
    })),
    'wrong types': [
      ...[null, 7, 'text', [], {}, [[]], [pass]],
      ...[{}, 'many', [null], [7]].map(cases => ({ ...pass, cases })),
      { ...pass, verdict: { ...pass.verdict, outcome: 'won' } },
      withLeaves(pass, (old, key) => (key === 'schema' ? old : [old])),
      withLeaves(pass, (old, key) => (key === 'schema' ? old : { old }))
    ],
    'huge and deep': [
      { ...pass, cases: nested(300) },
      nested(300),
      { ...pass, output: 'x'.repeat(1_000_000) },
      { ...pass, stages: Array(5000).fill(pass.stages[0]) },
      { ...wrong, cases: Array(5000).fill(wrong.cases[1]) }
    ],
    'ids of cells and runs': [
      { ...pass, candidate: { ...pass.candidate, cell_id: TEXTS[1] } },
      { ...pass, run: TEXTS[1] },
      // Of the cell that holds it, which verifies nothing.
      { ...wrong, candidate: { ...wrong.candidate, cell_id: 'cell-0' } }
    ],
    'three of one run': ['pass', 'wrong-result', 'running'].map(fixture => ({
      ...reportFixture(fixture),
      run: 'kg-1'
    }))
  };
}

/** Outputs with hostile reports; each has a text beside it. */
export function hostileOutputs(): unknown[] {
  return Object.values(classes()).flat().map(outputOf);
}

function outputOf(report: unknown): unknown {
  return {
    output_type: 'display_data',
    metadata: {},
    data: {
      [REPORT_MIME]: report,
      'text/plain': 'as text',
      'text/html': TEXTS.join('')
    }
  };
}
