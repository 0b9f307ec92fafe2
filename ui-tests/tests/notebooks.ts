/**
 * Notebooks as a stranger may write them, a class of attacks each: what a press
 * of Verify may run, and what may look like ours. `corpus.ts` has the reports.
 */

import {
  type Cell,
  code,
  REPORT_MIME,
  reportFixture,
  reportOutput
} from './gate';

/** What a payload leaves: a folder beside the notebook, or a name in the page. */
export const TRACE = 'payload-ran';
export const FLAG = 'payloadRan';

const PAYLOAD = `__import__("os").makedirs("${TRACE}", exist_ok=True)`;
const SCRIPT = `window.${FLAG}=1`;

const PROGRAM = 'class ModelNew: pass';
const MODEL = 'class Model: pass\ndef get_inputs(): return []';

export interface INotebook {
  readonly name: string;
  readonly cells: Cell[];
  readonly metadata?: Record<string, unknown>;
  /** Whether Verify is pressed, in the bar of the first cell with a program. */
  readonly isPressed?: boolean;
}

function verifying(source: string, more: Record<string, unknown> = {}): Cell {
  return {
    ...code(source),
    metadata: { kernelgate: { verify: 'cell-0' }, ...more }
  };
}

const call = (given: string) =>
  `import kernelgate\nkernelgate.verify(${given})`;
const quoted = JSON.stringify;

/** Texts of a cell that says that it verifies the one above, and does more. */
const POSING: Record<string, string> = {
  'far to the right': `import kernelgate${' '.repeat(300)};${PAYLOAD}`,
  'below many lines': `${call('"leakyrelu", cell="cell-0"')}${'\n'.repeat(200)}${PAYLOAD}`,
  'a second statement': `${call('"leakyrelu", cell="cell-0"')};${PAYLOAD}`,
  'a third line': `${call('"leakyrelu", cell="cell-0"')}\n${PAYLOAD}`,
  'a line above': `${PAYLOAD}\n${call('"leakyrelu", cell="cell-0"')}`,
  'an argument': call(`"leakyrelu", cell="cell-0", shape=${PAYLOAD}`),
  'an argument in a tuple': call(`*(${PAYLOAD},), cell="cell-0"`),
  'an f-string': call(`f"{${PAYLOAD}}", cell="cell-0"`),
  'a reference': call(
    `cell="cell-0", reference=${quoted(PAYLOAD)}, inputs="8"`
  ),
  'a reference behind torch': call(
    `cell="cell-0", reference=${quoted(`torch.os.system("mkdir ${TRACE}")`)}, inputs="8"`
  ),
  'a reference that loads': call(
    'cell="cell-0", reference="torch.load(\'x\')", inputs="8"'
  ),
  'a file as reference': call('cell="cell-0", reference="./x.py"'),
  inputs: call(
    `cell="cell-0", reference="torch.nn.GELU()", inputs=${quoted(PAYLOAD)}`
  ),
  'a trace file': call('"leakyrelu", cell="cell-0", trace="/tmp/x"'),
  'another package': `import kernelgate as k\n${PAYLOAD}`,
  'a comment with a line separator': `# checks\u2028${PAYLOAD}\n${call('"leakyrelu", cell="cell-0"')}`,
  'a carriage return': `${call('"leakyrelu", cell="cell-0"')}  #\r${PAYLOAD}`,
  'a form feed': `${call('"leakyrelu", cell="cell-0"')}\f;${PAYLOAD}`,
  'turned around': `${call('"leakyrelu", cell="cell-0"')}  # \u202e ${PAYLOAD}`,
  'a magic': `%%python\n${PAYLOAD}`,
  'a shell': `!mkdir ${TRACE}\n${call('"leakyrelu", cell="cell-0"')}`,
  'a name that is shadowed': `kernelgate = type("k", (), {"verify": lambda *a, **k: ${PAYLOAD}})\nkernelgate.verify()`
};

/** HTML and Markdown that wear our classes, or our own elements. */
const WORN: Record<string, string> = {
  'a report': `<article class="jp-KernelReport jp-mod-pass"><header><h3>LeakyReLU</h3></header><p class="jp-KernelReport-verdict" role="status">Correct</p></article>`,
  'a report in its element': `<kernelgate-report><article class="jp-KernelReport jp-mod-pass">Correct</article></kernelgate-report>`,
  'a bar': `<kernelgate-bar><div class="jp-KernelBar-content"><button>Verify</button></div></kernelgate-bar>`,
  'a bar without its element': `<div class="jp-KernelBar"><div class="jp-KernelBar-content">Check against LeakyReLU</div></div>`,
  'a panel': `<kernelgate-panel><div class="jp-KernelPanel"><p class="jp-KernelPanel-result">Correct</p></div></kernelgate-panel>`,
  'a panel without its element': `<div class="jp-KernelPanel"><div class="jp-KernelPanel-notice"><b>NVIDIA H200</b></div></div>`,
  'a difference': `<div class="jp-KernelDifference"><article><header><h2>Run 2 against run 1</h2></header></article></div>`,
  'an overlay': `<div style="position:fixed;inset:0;z-index:9999">Correct</div><style>*{display:none}</style>`,
  handlers: `<img src=x onerror="${SCRIPT}"><svg onload="${SCRIPT}"></svg><iframe srcdoc="<script>parent.${FLAG}=1</script>"></iframe>`,
  'a command': `<a data-commandlinker-command="kernelgate:verify" data-commandlinker-args='{"cellId":"cell-0"}' href="#">x</a>`
};

function markdown(source: string): Cell {
  return { cell_type: 'markdown', metadata: {}, source };
}

function html(text: string): Cell {
  return code('', [
    { output_type: 'display_data', metadata: {}, data: { 'text/html': text } }
  ]);
}

/** What stands beside a program, and is read or run with it. */
const BESIDE: Record<string, Cell[]> = {
  'a Model': [code(`${MODEL}\n${PAYLOAD}`), code(PROGRAM)],
  'a Model below': [code(PROGRAM), code(`${MODEL}\n${PAYLOAD}`)],
  'a Model in the same cell': [code(`${MODEL}\n${PROGRAM}\n${PAYLOAD}`)],
  'a Model folded away': [
    {
      ...code(`${MODEL}\n${PAYLOAD}`),
      metadata: { jupyter: { source_hidden: true } }
    },
    code(PROGRAM)
  ],
  'inputs in another cell': [
    code(`def get_inputs(): return []\n${PAYLOAD}`),
    code('class Model: pass'),
    code(PROGRAM)
  ],
  'a name that Model needs': [
    code(`nn = ${PAYLOAD}`),
    code('class Model(nn.Module): pass\ndef get_inputs(): return []'),
    code(PROGRAM)
  ]
};

const IDS = [
  '"]*{}',
  '__proto__',
  'cell:cell-0',
  '\\u0022);x("',
  '<img src=x>'
];

const METADATA: Record<string, Record<string, unknown>> = {
  'our key as a list': { kernelgate: [{ verify: 'cell-0' }] },
  'our key as a text': { kernelgate: 'leakyrelu' },
  'an operator that is a method': { kernelgate: { operator: 'constructor' } },
  'an operator that is an object': { kernelgate: { operator: { id: 'x' } } },
  'a fingerprint of nothing': { kernelgate: { verify: 'cell-0', wrote: [] } },
  itself: { kernelgate: { verify: 'cell-0', operator: 'leakyrelu' } }
};

/** Each class by itself, so that a failure names what got through. */
export function hostileNotebooks(): INotebook[] {
  return [...posing(), ...worn(), ...named(), ...others()];
}

function posing(): INotebook[] {
  return [
    ...Object.entries(POSING).flatMap(([name, text]) => [
      {
        name: `posing: ${name}`,
        cells: [code(PROGRAM), verifying(text)],
        isPressed: true
      }
    ]),
    {
      name: 'posing: folded away',
      cells: [
        code(PROGRAM),
        verifying(PAYLOAD, { jupyter: { source_hidden: true } })
      ],
      isPressed: true
    },
    {
      name: 'posing: locked',
      cells: [code(PROGRAM), verifying(PAYLOAD, { editable: false })],
      isPressed: true
    },
    ...Object.entries(BESIDE).map(([name, cells]) => ({
      name: `beside: ${name}`,
      cells,
      isPressed: true
    }))
  ];
}

function worn(): INotebook[] {
  return [
    ...Object.entries(WORN).flatMap(([name, text]) => [
      {
        name: `worn in Markdown: ${name}`,
        cells: [code(PROGRAM), markdown(text)]
      },
      { name: `worn in HTML: ${name}`, cells: [code(PROGRAM), html(text)] }
    ])
  ];
}

function named(): INotebook[] {
  return [
    ...IDS.map(id => ({
      name: `id: ${id}`,
      cells: [{ ...code(PROGRAM), id }],
      isPressed: true
    })),
    {
      name: 'id: two of one',
      cells: [code(PROGRAM), { ...code(PAYLOAD), id: 'cell-0' }],
      isPressed: true
    },
    ...Object.entries(METADATA).map(([name, metadata]) => ({
      name: `metadata: ${name}`,
      cells: [{ ...code(PROGRAM), metadata }],
      isPressed: true
    }))
  ];
}

function others(): INotebook[] {
  const saved = { ...reportFixture('pass') };
  saved.candidate = { ...saved.candidate, cell_id: 'cell-0' };
  return [
    {
      name: 'a saved verdict of this very program',
      cells: [code(PROGRAM), code('', [reportOutput(saved)])]
    },
    {
      name: 'a report in a list, a stream and an error',
      cells: [
        code('', [
          {
            output_type: 'stream',
            name: 'stdout',
            text: JSON.stringify(saved)
          },
          {
            output_type: 'error',
            ename: REPORT_MIME,
            evalue: '',
            traceback: [JSON.stringify(saved)]
          },
          {
            output_type: 'display_data',
            metadata: {},
            data: { [REPORT_MIME]: [saved] }
          }
        ])
      ]
    },
    {
      name: 'texts that take long to read',
      cells: [
        code(`class ModelNew: pass\n${' '.repeat(200_000)}`),
        code(`class ModelNew: pass\n${'f('.repeat(20_000)}`),
        code(`class ModelNew: pass\nx = ${'['.repeat(50_000)}`),
        code(`${'def get_inputs():\n torch.rand('.repeat(3_000)}`),
        code(`class ModelNew: pass\n${'%'.repeat(100_000)}`),
        code(`x = '''${"class Model: '".repeat(10_000)}`)
      ]
    }
  ];
}
