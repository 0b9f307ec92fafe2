import * as fs from 'fs';
import * as path from 'path';
import { MimeModel } from '@jupyterlab/rendermime';
import type { IRenderMime } from '@jupyterlab/rendermime-interfaces';
import type { ReadonlyPartialJSONObject } from '@lumino/coreutils';
import type { IDisposable } from '@lumino/disposable';
import { Widget } from '@lumino/widgets';
import type { FixPlace } from '../../model/fix';
import { reportBus, type IRunState } from '../../model/reportBus';
import { REPORT_MIME } from '../../model/mimeType';
import extension from '..';

const FIXTURES = path.resolve(
  __dirname,
  '../../../python/tests/fixtures/reports'
);

type Json = Record<string, unknown>;

function fixture(name: string): Json {
  return JSON.parse(
    fs.readFileSync(path.join(FIXTURES, `${name}.json`), 'utf8')
  );
}

function bundle(report: unknown, plain = 'KernelGate summary') {
  return {
    [REPORT_MIME]: report,
    'text/plain': plain
  } as ReadonlyPartialJSONObject;
}

/** The report without what `report.shown_words` writes into it. */
function withoutShownWords(report: Json): Json {
  return JSON.parse(
    JSON.stringify(report, (key, value) =>
      SHOWN.has(key) && typeof value === 'string' ? undefined : value
    )
  );
}

const SHOWN = new Set(
  (
    'doing took scaled kernel_note cases_conclusion correctness words short count result details error ' +
    'confined time iqr against interval peak kept full_name rate_words percent work conclusion ' +
    'headline_times clocks_conclusion conditions training_conclusion kept_words peak_words ' +
    'sizes_conclusion candidate_time reference_time occupancy_words gpu place reached'
  ).split(' ')
);

let widgets: IRenderMime.IRenderer[] = [];
let outputs: IRenderMime.IMimeModel[] = [];

/** A renderer on the page that shows `report`, and the model behind it. */
async function render(report: unknown, plain?: string) {
  const widget = extension.rendererFactory.createRenderer({
    mimeType: REPORT_MIME,
    resolver: null,
    sanitizer: { sanitize: (text: string) => text },
    linkHandler: null,
    latexTypesetter: null
  });
  widgets.push(widget);
  const model = new MimeModel({ data: bundle(report, plain) });
  outputs.push(model);
  Widget.attach(widget, document.body);
  await widget.renderModel(model);
  return { widget, model, node: widget.node };
}

/** A fix as the notebook has placed it. */
const PLACED: FixPlace = {
  kind: 'placed',
  offset: 3,
  end: 3,
  text: 'int f();',
  line: 7,
  rows: [
    { sign: '−', line: 7, text: 'cpp = ""' },
    { sign: '+', line: 7, text: 'cpp = "int f();"' }
  ]
};

let known: IRunState | null = null;
let answers: IDisposable | null = null;

/** From now on every output is one of an open notebook, in that state. */
function know(state: IRunState): void {
  known = state;
  answers ??= reportBus.answer(() => known);
  for (const output of outputs) {
    reportBus.tell(output);
  }
}

/** Let the lazy import of a redraw settle. */
const settled = () => new Promise(resolve => setTimeout(resolve, 0));

function textOf(root: ParentNode, selector: string): string {
  return root.querySelector(selector)?.textContent?.trim() ?? '';
}

function button(root: ParentNode, name: string): HTMLButtonElement | undefined {
  return [...root.querySelectorAll('button')].find(
    ({ textContent }) => textContent === name
  );
}

function section(root: ParentNode, name: string): HTMLDetailsElement {
  const found = [...root.querySelectorAll('details')].find(
    details => textOf(details, 'summary b') === name
  );
  if (!found) {
    throw new Error(`no section ${name}`);
  }
  return found;
}

/** The rows of each list of gates, without what a failure costs. */
function gateLists(root: ParentNode): Record<string, string[]> {
  const lists = [...root.querySelectorAll('[aria-labelledby] > p + ul')];
  return Object.fromEntries(
    lists.map(list => [
      list.previousElementSibling?.textContent,
      [...list.querySelectorAll('li')].map(
        row => `${textOf(row, 'b')}: ${textOf(row, 'span')}`
      )
    ])
  );
}

afterEach(() => {
  widgets.forEach(widget => widget.dispose());
  widgets = [];
  outputs = [];
  answers?.dispose();
  answers = null;
});

describe('the renderer of reports', () => {
  it('stands before the HTML fallback, in untrusted notebooks too', () => {
    expect(extension.rank).toBeLessThan(50);
    expect(extension.rendererFactory.safe).toBe(true);
    expect(extension.rendererFactory.mimeTypes).toEqual([REPORT_MIME]);
  });

  it.each([
    ['pass', 'info', 'Correct in emulation; timing not measured'],
    ['cuda-pass', 'pass', 'Correct, bitwise equal to PyTorch; timing'],
    ['problem-only', 'warn', 'Correct for this problem; not a drop-in'],
    ['fault-beyond', 'warn', 'not a drop-in: illegal memory access on odd'],
    ['build-failure', 'fail', 'Does not compile: cpp_sources declares no'],
    ['wrong-result', 'fail', 'Wrong result: negative inputs are returned'],
    ['memory-fault', 'fail', 'Illegal memory access: a thread reads past'],
    ['read-error', 'fail', 'Not Python: a bracket is never closed'],
    ['graded', 'warn', 'Correct for this problem; not a drop-in: does not'],
    ['weak', 'info', 'Unclear: this check catches 5 of 7 known-wrong programs'],
    ['timed-out', 'warn', 'Timed out after 60 s while checking'],
    ['cancelled', 'none', 'Cancelled while checking: no verdict'],
    ['refused', 'info', 'Not run: emulation does not cover'],
    ['environment', 'warn', 'No C++ compiler is in this kernel’s environment'],
    ['internal', 'warn', 'KernelGate failed: no verdict'],
    ['benchmark', 'none', 'Correct, same speed as PyTorch eager'],
    ['profile', 'pass', 'Correct, 1.01x faster forward, and at the device'],
    ['sweep', 'info', 'Correct; speed unclear'],
    ['other-arithmetic', 'pass', 'Correct, 4.55x faster than PyTorch eager'],
    ['slower', 'warn', 'Correct for this problem, but 1.59x slower than'],
    ['unclear', 'info', 'Correct; speed unclear'],
    ['cell-profile', 'none', 'Profiled: 56 operators'],
    ['cell-profile-gpu', 'none', 'Profiled: 51 kernel launches'],
    ['running', 'running', 'Checking'],
    ['unknown-version', 'none', 'This report cannot be drawn here; its text']
  ])('says the verdict of %s in words', async (name, tone, words) => {
    const { node } = await render(fixture(name));
    const article = node.querySelector('article');
    expect(article?.classList).toContain(`jp-mod-${tone}`);
    expect(textOf(node, '[role="status"]')).toContain(words);
    expect(node.querySelectorAll('[role="status"]')).toHaveLength(1);
    const heading = article?.getAttribute('aria-labelledby');
    expect(document.getElementById(heading ?? '')?.tagName).toBe('H3');
  });

  it('keeps command-mode keys out of the output', async () => {
    const { node } = await render(fixture('pass'));
    expect(node.dataset.lmSuppressShortcuts).toBe('true');
  });

  it('says what was run, what it replaces and where', async () => {
    const { node } = await render(fixture('pass'));
    expect(textOf(node, 'header h3')).toBe('LeakyReLU');
    expect(textOf(node, 'header p')).toBe(
      '64x3072 float32 · replaces nn.LeakyReLU · emulation on the CPU · cell [4]'
    );
  });

  it('answers the three questions, and says what was not measured', async () => {
    const { node } = await render(fixture('pass'));
    const facts = [...node.querySelectorAll('dl > div')].map(
      fact => `${textOf(fact, 'dt')} ${textOf(fact, 'dd')}`
    );
    expect(facts).toEqual([
      'Correct? Yes, bitwise equal',
      'Faster? Not measured',
      'Limit? Not measured'
    ]);
    expect(textOf(node, 'svg[role="img"] title')).toBe('Cases: 15 of 15 pass');
  });

  it('answers no plain yes where something beyond the problem is wrong', async () => {
    const { node } = await render(fixture('fault-beyond'));
    const answer = node.querySelector('dl > div > dd')!;
    expect(answer.textContent?.trim()).toBe(
      'For this problem only, bitwise equal'
    );
    expect(answer.querySelector('svg')?.classList).toContain('jp-mod-warn');
  });

  it('leads from a fault beyond the problem to its line', async () => {
    const revealCell = jest.fn();
    const offer = reportBus.offer({ revealCell });
    know({ isLost: false, isUnheard: false, isStale: false, fix: null });
    const { node } = await render(fixture('fault-beyond'));
    expect(node.textContent).toContain('Check the index against the size');
    button(node, 'Go to line 9')?.click();
    expect(revealCell).toHaveBeenCalledWith(expect.anything(), '3f2a91c0', 9);
    offer.dispose();
  });

  it('closes every section of a pass, each with its conclusion', async () => {
    const { node } = await render(fixture('pass'));
    const sections = [...node.querySelectorAll('details')];
    expect(sections.map(({ open }) => open)).toEqual([false, false]);
    expect(sections.map(one => textOf(one, 'summary span'))).toEqual([
      '15 of 15 cases bitwise equal; 3 of 3 gates hold',
      'emulation, g++ 12.2.0, in 900 ms · 2 CUDA kernels'
    ]);
  });

  it('opens the check of a wrong result, the first failure on top', async () => {
    const { node } = await render(fixture('wrong-result'));
    const correctness = section(node, 'Correctness');
    expect(correctness.open).toBe(true);
    expect(textOf(correctness, 'summary span')).toContain(
      'wrong on normal; 1 of 15 cases pass, 1 fail, 13 not run'
    );
    expect(textOf(correctness, 'tbody th[scope="row"]')).toContain('normal');
    expect(textOf(correctness, '.jp-mod-detail')).toBe(
      '98,301 of 196,608 elements; first [0, 1]: ' +
        'got -0.2934, expected -0.002934; input -0.2934'
    );
  });

  it('draws a square for each case of a failure, dashed where it was not run', async () => {
    const { node } = await render(fixture('wrong-result'));
    const strip = node.querySelector('dd svg[role="img"]');
    expect(textOf(node, 'dd svg title')).toBe(
      'Cases: 1 of 15 pass, 1 fail, 13 not run'
    );
    expect(strip?.querySelectorAll('[stroke-dasharray]')).toHaveLength(13);
    expect(strip?.querySelectorAll('path.jp-mod-fail')).toHaveLength(1);
  });

  it('does not call a case wrong that ended in a fault', async () => {
    const { node } = await render(fixture('memory-fault'));
    const correctness = section(node, 'Correctness');
    expect(textOf(correctness, 'summary span')).toBe(
      'fails on odd size; 5 of 15 cases pass, 1 fail, 9 not run'
    );
    expect(textOf(correctness, '.jp-mod-failed .jp-mod-result')).toBe('fail');
  });

  it('opens the check of a pass that is no drop-in', async () => {
    const { node } = await render(fixture('problem-only'));
    const correctness = section(node, 'Correctness');
    expect(correctness.open).toBe(true);
    expect(textOf(correctness, 'tbody th[scope="row"]')).toContain(
      'strided slice'
    );
  });

  it('counts the gates that were tried, and names the arithmetic', async () => {
    const { node } = await render(fixture('graded'));
    expect(textOf(section(node, 'Correctness'), 'summary span')).toBe(
      '11 of 14 cases pass, 3 not supported; fp32 accuracy; 10 of 13 gates hold, 3 not supported, 5 not tried here; 5 remarks'
    );
    expect(textOf(node, '.jp-KernelReport-note')).toBe(
      'u = roundings of the result’s dtype, against float64.'
    );
  });

  it('lists the gates by contract, what does not hold first, with its cost', async () => {
    const { node } = await render(fixture('weak'));
    expect(gateLists(node)).toEqual({
      'This problem': [
        'input untouched: holds',
        'output not aliased: holds',
        'same result three times: holds',
        'no cache by address: holds',
        'finished with the stream: holds',
        'no global state changed: holds'
      ],
      'As a drop-in, beyond this problem': [
        'layout as the reference: does not hold',
        'gradient: not supported',
        'autocast: holds',
        'deepcopy and pickle: holds',
        'train and eval: holds',
        'non-default stream: not tried here: needs a GPU',
        'second device: not tried here: needs a GPU',
        'CUDA graph replay: not tried here: needs a GPU',
        'torch.compile fullgraph: not tried here: needs a GPU',
        'torch.export: not tried here: needs a GPU'
      ]
    });
    const costs = [...node.querySelectorAll('.jp-KernelReport-gates small')];
    expect(costs.map(({ textContent }) => textContent)).toEqual([
      'Code that views the result, or reads its memory, behaves otherwise',
      'A model that holds it does not train: The result takes no part in differentiation'
    ]);
  });

  it('says how strong the check was, and lists what it lets pass', async () => {
    const { node } = await render(fixture('graded'));
    expect(textOf(node, 'p.jp-KernelReport-power')).toBe(
      'Power of the check: catches 10 of 10 known-wrong programs'
    );
    const { node: weak } = await render(fixture('weak'));
    const power = '.jp-KernelReport-power';
    expect(textOf(weak, `${power} summary`)).toBe(
      'Power of the check: catches 5 of 7 known-wrong programs'
    );
    const slipped = [...weak.querySelectorAll(`${power} li b`)];
    expect(slipped.map(({ textContent }) => textContent)).toEqual([
      'one element wrong',
      'the sign flipped'
    ]);
    expect(textOf(section(weak, 'Correctness'), 'summary span')).toContain(
      '; catches 5 of 7 known-wrong programs; 3 remarks'
    );
  });

  it('draws a weak check as unclear, and opens what it tried', async () => {
    const data = fixture('weak');
    const gates = (data.gates as Json[]).filter(
      ({ outcome }) => outcome !== 'fail'
    );
    const { node } = await render({ ...data, gates });
    // A question mark in a dashed ring.
    const dashed = 'circle[stroke-dasharray="4 3"]';
    expect(
      node.querySelector(`.jp-KernelReport-verdict ${dashed}`)
    ).not.toBeNull();
    expect(
      node.querySelector(`.jp-KernelReport-answer ${dashed}`)
    ).not.toBeNull();
    expect(section(node, 'Correctness').open).toBe(true);
    expect(textOf(node, 'header p')).toBe(
      '200 float32 · emulation on the CPU · cell [6]'
    );
  });

  it('says what was closed to the program, as the report says it', async () => {
    const { node } = await render(fixture('pass'));
    const parts = [...node.querySelectorAll('footer span')];
    expect(parts.map(({ textContent }) => textContent)).toContain(
      'Confined: limits, files, signals, network, tracing'
    );
  });

  it('says once that a program holds no CUDA kernel, if the report says so', async () => {
    const kernel_note = 'contains no CUDA kernel';
    const { node } = await render({ ...fixture('pass'), kernel_note });
    expect(node.textContent?.split('Contains no CUDA kernel.')).toHaveLength(2);
    const { node: other } = await render(fixture('pass'));
    expect(other.textContent).not.toContain('no CUDA kernel');
  });

  it('draws a report of an earlier version, which holds no words of these, in numbers', async () => {
    const { node } = await render(withoutShownWords(fixture('wrong-result')));
    expect(textOf(node, 'tbody .jp-mod-failed .jp-mod-result')).toBe('fail');
    expect(textOf(node, 'dd svg title')).toBe('Cases');
    expect(node.textContent).toContain('cell [4]:18');
    expect(node.textContent).not.toMatch(/undefined|\bnull\b/);
  });

  it('names the stage in which a run was cut off', async () => {
    const { node } = await render(fixture('timed-out'));
    expect(textOf(node, 'header p')).toContain('check stage');
  });

  it('gives a failure in three parts, with the lines', async () => {
    const { node } = await render(fixture('build-failure'));
    const parts = [...node.querySelectorAll('dt')].map(dt => dt.textContent);
    expect(parts).toEqual(['What happened', 'Where', 'What to do', 'Not run']);
    expect(textOf(node, 'pre .jp-mod-marked')).toBe('▸40    cpp_sources="",');
    expect(textOf(node, 'details summary')).toBe('Compiler output, 42 lines');
    // Nobody offers more here: its text is all that can be had of it.
    const buttons = [...node.querySelectorAll('button')];
    expect(buttons.map(one => one.textContent)).toEqual(['Copy']);
  });

  it('names no stage that was not run, and no device where there was none', async () => {
    const report = fixture('environment');
    const failure = { ...(report.failure as Json), stage: 'build' };
    const { node } = await render({ ...report, failure });
    const header = textOf(node, 'header p');
    expect(header).toContain('after 100 ms');
    expect(header).not.toContain('compile stage');
    expect(node.textContent).not.toContain('no device');
  });

  it('calls remarks by their name where nothing was checked', async () => {
    const advice = [{ line: 3, text: 'No device guard' }];
    const correctness = '1 remark';
    const { node } = await render({
      ...fixture('build-failure'),
      advice,
      correctness
    });
    expect(textOf(section(node, 'Program text'), 'summary span')).toBe(
      correctness
    );
  });

  it('says once what a case is called after', async () => {
    const { node } = await render(fixture('pass'));
    const names = [...node.querySelectorAll('tbody tr > th[scope="row"]')];
    const texts = names.map(({ textContent }) => textContent?.trim());
    expect(texts).toContain('normal');
    expect(texts).toContain('as given (uniform 0 to 1)');
  });

  it('shows how far a running report is, and that it is busy', async () => {
    const { node } = await render(fixture('running'));
    expect(node.querySelector('[aria-busy="true"]')).not.toBeNull();
    expect(textOf(node, '.jp-KernelReport-verdict h4')).toBe(
      'Checking: 9 of 15'
    );
    expect(textOf(node, '[aria-current="step"] > span')).toBe('9 of 15');
    const progress = node.querySelector('progress');
    expect([progress?.value, progress?.max]).toEqual([9, 15]);
  });

  it('names rows, columns and scrolling parts for a screen reader', async () => {
    const { node } = await render(fixture('cuda-pass'));
    const table = node.querySelector('table');
    expect(table?.querySelectorAll('thead th[scope="col"]')).toHaveLength(6);
    expect(table?.querySelectorAll('tbody th[scope="row"]')).toHaveLength(16);
    expect(
      node.querySelectorAll('svg:not([aria-hidden]):not([role])')
    ).toHaveLength(0);
    node.querySelectorAll('pre').forEach(pre => {
      expect(pre.tabIndex).toBe(0);
    });
  });
});

it.each([
  'benchmark',
  'profile',
  'sweep',
  'other-arithmetic',
  'problem-only',
  'weak',
  'running'
])('draws %s of an earlier version in numbers', async name => {
  const { node } = await render(withoutShownWords(fixture(name)));
  expect(node.querySelector('article h3')?.textContent).toBeTruthy();
  expect(node.textContent).not.toMatch(/undefined|\bnull\b/);
  for (const chart of node.querySelectorAll('svg[role="img"]')) {
    expect(chart.querySelector('title')?.textContent).toBeTruthy();
  }
});

describe('a report that cannot be drawn', () => {
  it('shows the text of a report of another version', async () => {
    const { node } = await render(fixture('unknown-version'), 'CORRECT  all');
    expect(textOf(node, 'header p')).toBe(
      'report version 99; this extension reads version 1'
    );
    expect(textOf(node, 'pre')).toBe('CORRECT  all');
  });

  it('shows the text of data of wrong types, and nothing of the data', async () => {
    const wrong = { ...fixture('pass'), cases: 'many', seed: 'secret' };
    const { node } = await render(wrong, 'a text');
    expect(textOf(node, 'pre')).toBe('a text');
    expect(node.textContent).not.toContain('secret');
  });

  it('says so where there is no text either', async () => {
    const { node } = await render({}, '');
    expect(textOf(node, '[role="status"]')).toBe(
      'This report cannot be drawn here'
    );
  });

  it('cuts an endless text', async () => {
    const { node } = await render(null, 'x'.repeat(1e5));
    expect(textOf(node, 'pre')).toHaveLength(20_000);
  });
});

describe('hostile text', () => {
  const HOSTILE = '<img src=x onerror="alert(1)"><b>bold</b>';

  /** Every text of a report replaced, as far as the schema lets it through. */
  function poisoned(value: unknown, key = ''): unknown {
    const ids = ['run', 'source_sha256', 'cell_id'];
    if (Array.isArray(value)) {
      return value.map(one => poisoned(one, key));
    }
    if (typeof value === 'object' && value !== null) {
      return Object.fromEntries(
        Object.entries(value).map(([name, one]) => [name, poisoned(one, name)])
      );
    }
    const free = typeof value === 'string' && !ids.includes(key);
    return free && !ENUMS.has(value) ? HOSTILE : value;
  }

  const ENUMS = new Set<string>(
    (
      'finished running verify problem drop-in pass fail unclear wrong build ' +
      'check emulation emulated python passed failed stopped read weak unsupported clean own'
    )
      .split(' ')
      .concat('not run', 'Correct?', 'Faster?', 'Limit?')
  );

  it.each(['pass', 'weak', 'wrong-result', 'build-failure', 'running'])(
    'of %s stays text',
    async name => {
      const { node } = await render(poisoned(fixture(name)), HOSTILE);
      expect(node.textContent).toContain(HOSTILE);
      expect(textOf(node, 'header h3')).toContain(HOSTILE);
      expect(node.querySelector('img, header b, h4 b, script, a')).toBeNull();
    }
  );

  it('of an undrawn report stays text', async () => {
    const { node } = await render(null, HOSTILE);
    expect(textOf(node, 'pre')).toBe(HOSTILE);
    expect(node.querySelector('img')).toBeNull();
  });

  it('never becomes the argument of an action', async () => {
    const offer = reportBus.offer({
      revealCell: jest.fn(),
      insertFix: jest.fn()
    });
    know({ isLost: false, isUnheard: false, isStale: false, fix: PLACED });
    const report = fixture('build-failure');
    const candidate = { ...(report.candidate as Json), cell_id: HOSTILE };
    const { node } = await render({ ...report, candidate }, '');
    expect(node.querySelectorAll('button')).toHaveLength(0);
    offer.dispose();
  });
});

describe('actions', () => {
  const KNOWN = {
    isLost: false,
    isUnheard: false,
    isStale: false,
    fix: PLACED
  };
  const OLD = { isLost: false, isUnheard: false, isStale: true, fix: null };

  it('are drawn while the app offers them, and get ids only', async () => {
    const revealCell = jest.fn();
    const insertFix = jest.fn();
    const { node, model } = await render(fixture('build-failure'), '');
    know(KNOWN);
    const offer = reportBus.offer({ revealCell, insertFix });
    await settled();
    button(node, 'Go to line 40')?.click();
    button(node, 'Insert fix')?.click();
    expect(revealCell).toHaveBeenCalledWith(model, '3f2a91c0', 40);
    expect(insertFix).toHaveBeenCalledWith(model);
    offer.dispose();
    await settled();
    expect(node.querySelectorAll('button')).toHaveLength(0);
  });

  it('insert a failing case where values are wrong, also below an edited cell, and nothing where a fix is certain', async () => {
    const insertFailingCase = jest.fn();
    const offer = reportBus.offer({ insertFailingCase, insertFix: jest.fn() });
    const NAME = 'Insert failing case as a cell';
    know(OLD);
    const report = fixture('wrong-result');
    const { node, model } = await render(report);
    const found = button(node, NAME);
    expect(found?.getAttribute('aria-label')).toBe(`${NAME} below cell [4]`);
    expect(found?.tabIndex).toBe(0);
    found?.click();
    expect(insertFailingCase).toHaveBeenCalledWith(model);

    const certain = { ...(report.failure as Json), fix: 'int f();' };
    const { node: other } = await render({ ...report, failure: certain });
    expect(button(other, NAME)).toBeUndefined();
    offer.dispose();
    await settled();
    expect(button(node, NAME)).toBeUndefined();
  });

  it('are those of every part of the app that offers some', async () => {
    const { node } = await render(fixture('pass'));
    know(KNOWN);
    const again = reportBus.offer({ runAgain: jest.fn() });
    const compare = reportBus.offer({ compare: jest.fn() });
    await settled();
    const names = () =>
      [...node.querySelectorAll('header button')].map(one => one.textContent);
    expect(names()).toEqual(['Run again', 'Compare', 'Copy']);
    again.dispose();
    await settled();
    expect(names()).toEqual(['Compare', 'Copy']);
    compare.dispose();
  });

  it('are drawn and act by the output, not by the id of the run in it', async () => {
    const runAgain = jest.fn();
    const offer = reportBus.offer({ runAgain });
    const { node, model } = await render(fixture('pass'));
    const { node: elsewhere } = await render(fixture('pass'));
    const answer = reportBus.answer(output =>
      output === model ? KNOWN : null
    );
    await settled();
    expect(button(elsewhere, 'Run again')).toBeUndefined();
    button(node, 'Run again')?.click();
    expect(runAgain.mock.calls).toEqual([[model]]);
    answer.dispose();
    offer.dispose();
  });

  it('of the header are one tab stop, along which the arrow keys go', async () => {
    know(KNOWN);
    const offer = reportBus.offer({ runAgain: jest.fn(), compare: jest.fn() });
    const { node } = await render(fixture('pass'));
    const stops = () =>
      [...node.querySelectorAll('[role="toolbar"] button')]
        .filter(one => (one as HTMLButtonElement).tabIndex === 0)
        .map(one => one.textContent);
    const press = async (key: string) => {
      document.activeElement?.dispatchEvent(
        new KeyboardEvent('keydown', { key, bubbles: true })
      );
      await settled();
    };
    expect(stops()).toEqual(['Run again']);
    button(node, 'Run again')?.focus();
    await press('ArrowRight');
    expect(document.activeElement?.textContent).toBe('Compare');
    expect(stops()).toEqual(['Compare']);
    await press('End');
    await press('ArrowRight');
    expect(document.activeElement?.textContent).toBe('Run again');
    offer.dispose();
  });

  it('offer a restart where a cancel has had no effect for five seconds', async () => {
    jest.useFakeTimers();
    try {
      const restartKernel = jest.fn();
      know(KNOWN);
      const offer = reportBus.offer({ interrupt: jest.fn(), restartKernel });
      const { node, model } = await render(fixture('running'));
      button(node, 'Cancel')?.click();
      await jest.advanceTimersByTimeAsync(4900);
      expect(button(node, 'Restart kernel')).toBeUndefined();
      await jest.advanceTimersByTimeAsync(200);
      button(node, 'Restart kernel')?.click();
      expect(restartKernel).toHaveBeenCalledWith(model);
      offer.dispose();
    } finally {
      jest.useRealTimers();
    }
  });

  it('cancel once, and the verdict gets the focus', async () => {
    const interrupt = jest.fn();
    know(KNOWN);
    const offer = reportBus.offer({ interrupt });
    const { node, widget, model } = await render(fixture('running'));
    button(node, 'Cancel')?.click();
    await settled();
    button(node, 'Cancelling')?.click();
    expect(interrupt).toHaveBeenCalledTimes(1);
    expect(interrupt).toHaveBeenCalledWith(model);
    await widget.renderModel(
      new MimeModel({
        data: bundle({ ...fixture('cancelled'), run: 'kg-0005' })
      })
    );
    await settled();
    expect(document.activeElement?.textContent).toBe(
      'Cancelled while checking: no verdict'
    );
    offer.dispose();
  });

  it('stand above a report that is older than its cell, and insert no fix into it', async () => {
    const insertFix = jest.fn();
    const runAgain = jest.fn();
    const { node, model } = await render(fixture('build-failure'));
    const offer = reportBus.offer({ insertFix, runAgain });
    know(OLD);
    await settled();
    const article = node.querySelector('article');
    const notice = article?.firstElementChild;
    expect(notice?.textContent).toContain('Older than the cell.');
    expect(article?.className).toContain('jp-mod-warn');
    notice?.querySelector('button')?.click();
    expect(runAgain).toHaveBeenCalledWith(model);
    button(node, 'Insert fix')?.click();
    expect(insertFix).not.toHaveBeenCalled();
    expect(button(node, 'Insert fix')?.title).toContain('run it again');

    know(KNOWN);
    await settled();
    expect(node.textContent).not.toContain('Older than the cell');
    offer.dispose();
  });
});

describe('a suggested fix', () => {
  const shown = (node: ParentNode) =>
    [...node.querySelectorAll('[aria-label="Suggested fix"] > span')].map(
      line => line.textContent?.trimEnd()
    );

  it('shows the line that it changes, and how it reads then', async () => {
    const { node } = await render(fixture('build-failure'));
    expect(shown(node)).toEqual([
      '− 40    cpp_sources="",',
      '+ 40    cpp_sources="torch::Tensor leaky_relu_cuda(torch::Tensor x, float negative_slope);",'
    ]);
  });

  it('is shown as the notebook has placed it', async () => {
    know({ isLost: false, isUnheard: false, isStale: false, fix: PLACED });
    const { node } = await render(fixture('build-failure'));
    expect(shown(node)).toEqual(['− 7cpp = ""', '+ 7cpp = "int f();"']);
  });

  it.each([
    ['differs', 'another text than it shows'],
    ['hidden', 'cannot be shown for certain'],
    ['elsewhere', 'no such line']
  ] as const)(
    'cannot be inserted where it %s, and says why',
    async (why, words) => {
      const insertFix = jest.fn();
      const offer = reportBus.offer({ insertFix });
      know({
        isLost: false,
        isUnheard: false,
        isStale: false,
        fix: { kind: 'refused', why }
      });
      const { node } = await render(fixture('build-failure'));
      const found = button(node, 'Insert fix');
      expect(found?.getAttribute('aria-disabled')).toBe('true');
      expect(found?.title).toContain(words);
      found?.click();
      expect(insertFix).not.toHaveBeenCalled();
      offer.dispose();
    }
  );

  it('shows only what to add where the report tells no place, and offers no press', async () => {
    const report = fixture('build-failure');
    const failure = { ...(report.failure as Json), edit: null };
    know({ isLost: false, isUnheard: false, isStale: false, fix: null });
    const offer = reportBus.offer({ insertFix: jest.fn() });
    const { node } = await render({ ...report, failure });
    expect(shown(node)).toEqual([
      '+torch::Tensor leaky_relu_cuda(torch::Tensor x, float negative_slope);'
    ]);
    expect(button(node, 'Insert fix')).toBeUndefined();
    offer.dispose();
  });
});

describe('a run without an end', () => {
  it('is said not to have finished, and goes on if it does', async () => {
    const { node, model, widget } = await render(fixture('running'));
    const before = model.data;
    know({ isLost: true, isUnheard: false, isStale: false, fix: null });
    await settled();
    expect(textOf(node, '[role="status"]')).toBe('Did not finish: no verdict');
    expect(node.querySelector('[aria-busy]')).toBeNull();
    expect(button(node, 'Cancel')).toBeUndefined();
    expect(model.data).toBe(before);
    model.setData({ data: bundle({ ...fixture('pass'), run: 'kg-0005' }) });
    await widget.renderModel(model);
    expect(textOf(node, '[role="status"]')).toContain('Correct in emulation');
  });

  it('is said not to be heard of while its server is gone', async () => {
    const offer = reportBus.offer({ runAgain: jest.fn() });
    const { node } = await render(fixture('running'));
    know({ isLost: false, isUnheard: true, isStale: false, fix: null });
    await settled();
    expect(textOf(node, '[role="status"]')).toContain('Not heard of');
    expect(node.querySelector('[aria-busy]')).toBeNull();
    expect(node.textContent).toContain('what was last heard');
    expect(button(node, 'Run again')).toBeUndefined();
    offer.dispose();
    know({ isLost: false, isUnheard: false, isStale: false, fix: null });
    await settled();
    expect(textOf(node, '[role="status"]')).toBe('Checking');
  });

  it('is not drawn by a renderer that was disposed', async () => {
    const { widget, node } = await render(fixture('running'));
    widget.dispose();
    know({ isLost: true, isUnheard: false, isStale: false, fix: null });
    await settled();
    expect(node.childElementCount).toBe(0);
  });
});

describe('an output that leaves the page', () => {
  it('is drawn again when it comes back, its sections as they were', async () => {
    const { node, widget } = await render(fixture('pass'));
    section(node, 'Build').open = true;
    await settled();
    await settled();
    Widget.detach(widget as unknown as Widget);
    expect(node.childElementCount).toBe(0);
    Widget.attach(widget as unknown as Widget, document.body);
    await settled();
    expect(section(node, 'Build').open).toBe(true);
    expect(section(node, 'Correctness').open).toBe(false);
  });
});

describe('an examination', () => {
  it('says in the section on correctness that nothing was found', async () => {
    const { node } = await render(fixture('pass'));
    expect(
      textOf(section(node, 'Correctness'), '.jp-KernelReport-stack')
    ).toContain(
      'Examination: none found: bounds, races, uninitialised reads (emulation)'
    );
  });

  it('on a GPU has what compute-sanitizer says beside it', async () => {
    const report = fixture('pass');
    const sanitizer = {
      ...(report.examination as Json),
      tool: 'compute-sanitizer',
      state: 'not run',
      note: 'it is not installed here',
      words: 'not examined by compute-sanitizer: it is not installed here'
    };
    const { node } = await render({ ...report, sanitizer });
    const told = textOf(section(node, 'Correctness'), '.jp-KernelReport-stack');
    expect(told).toContain('(emulation)');
    expect(told).toContain(
      'Examination: not examined by compute-sanitizer: it is not installed here'
    );
  });

  it('lists each fault with its line', async () => {
    const { node } = await render(fixture('data-race'));
    const found = node.querySelector('[aria-label="Faults that were found"]');
    expect(found?.textContent).toContain('lost.py, line 13');
    expect(found?.textContent).toContain(
      'Data race: two threads write and read `count`'
    );
  });
});
