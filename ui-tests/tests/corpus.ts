/**
 * Reports as a stranger may write them: attacks in every text, figures that no
 * run reaches, and data that are no report. Nothing of them may run, be
 * requested, change a cell, or stop the page.
 */

import { readFileSync } from 'fs';
import { join } from 'path';
import { REPORT_MIME, reportFixture } from './gate';

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
  `<a href="${FAR}" data-commandlinker-command="kernelgate:insert" data-commandlinker-args='{"operator":"leakyrelu"}'>x</a>`,
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

const IDS = ['run', 'source_sha256', 'cell_id'];

function withText(fixture: string, text: string): unknown {
  return withLeaves(reportFixture(fixture), (old, key) =>
    typeof old === 'string' && !LISTED.has(old) && !IDS.includes(key)
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

/** Data that are no report, or one of no version that there is. */
function noReports(): unknown[] {
  const pass = reportFixture('pass');
  const versions = [1e308, -1, '1', null, { valueOf: 1 }];
  const keys = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'];
  const prototypes = keys.map(key =>
    JSON.parse(
      `{"${key}": {"polluted": true}, ${JSON.stringify(pass).slice(1)}`
    )
  );
  return [
    ...versions.map(schema => ({ ...pass, schema })),
    ...prototypes,
    ...[null, 7, 'text', [], {}, [[]], [pass]],
    ...[{}, 'many', [null], [7], nested(300)].map(cases => ({
      ...pass,
      cases
    })),
    { ...pass, output: 'x'.repeat(1_000_000) },
    { ...pass, stages: Array(5000).fill(pass.stages[0]) },
    { ...pass, verdict: { ...pass.verdict, outcome: 'won' } },
    { ...pass, candidate: { ...pass.candidate, cell_id: TEXTS[1] } }
  ];
}

/** Outputs with hostile reports; each has a text beside it. */
export function hostileOutputs(): unknown[] {
  let n = 0;
  const wide = (old: number) =>
    n++ % 2 ? 1e9 : Number.isInteger(old) ? 1 : 1e-12;
  const figures = [() => 1e308, () => 0, wide];
  return [
    ...TEXTS.flatMap((text, n) =>
      // A profile takes the longest to draw.
      ['wrong-result', 'build-failure', ...(n % 3 ? [] : ['profile'])].map(
        fixture => withText(fixture, text)
      )
    ),
    ...figures.flatMap(choose =>
      MEASURED.map(fixture => withNumbers(fixture, choose))
    ),
    ...noReports(),
    // Three of one run.
    ...['pass', 'wrong-result', 'running'].map(fixture => ({
      ...reportFixture(fixture),
      run: 'kg-1'
    }))
  ].map(report => ({
    output_type: 'display_data',
    metadata: {},
    data: {
      [REPORT_MIME]: report,
      'text/plain': 'as text',
      'text/html': TEXTS.join('')
    }
  }));
}
