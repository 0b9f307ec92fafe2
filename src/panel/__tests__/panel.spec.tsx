import { readFileSync } from 'fs';

import { nullTranslator } from '@jupyterlab/translation';
import * as React from 'react';
import { act } from 'react';
import { createRoot } from 'react-dom/client';

import { Catalogue } from '../../catalogue/catalogue';
import { EMULATED, H200 } from '../../kernel/__tests__/fakeSession';
import { readAnswer } from '../../kernel/handshake';
import { validateReport } from '../../model';
import { IHandshake, IKernelRequest, IRun, KernelState } from '../../tokens';
import { IPanelActions } from '../actions';
import { IPanelState } from '../model';
import { Panel } from '../view';

const trans = nullTranslator.load('');

const actions = {
  insert: jest.fn(),
  verify: jest.fn(),
  benchmark: jest.fn(),
  goToRun: jest.fn(),
  toggleCompared: jest.fn(),
  cancel: jest.fn(),
  refresh: jest.fn(),
  insertInstallCell: jest.fn(),
  chooseKernel: jest.fn(),
  restartKernel: jest.fn(),
  newNotebook: jest.fn()
} satisfies IPanelActions;

function handshake(data: unknown): IHandshake {
  const answer = readAnswer(data);
  if (answer?.kind !== 'handshake') {
    throw new Error('no handshake');
  }
  return answer.handshake;
}

function ready(data: unknown, restarted = false): KernelState {
  return { kind: 'ready', handshake: handshake(data), restarted };
}

function run(name: string, rest: Partial<IRun> = {}): IRun {
  const file = `python/tests/fixtures/reports/${name}.json`;
  const report = validateReport(JSON.parse(readFileSync(file, 'utf8')))!;
  return {
    id: report.run,
    report,
    isRunning: false,
    isUnheard: false,
    isStale: false,
    output: null,
    cell: { id: 'c', prompt: 7 },
    ...rest
  };
}

function request(rest: Partial<IKernelRequest>): IKernelRequest {
  return {
    id: 1,
    at: new Date(),
    text: 'kernelgate.handshake()',
    outcome: 'done',
    took_ms: 41.7,
    ...rest
  };
}

/** The panel in that state, as a person finds it. */
function draw(state: Partial<IPanelState>) {
  const node = document.createElement('div');
  const catalogue = new Catalogue();
  act(() => {
    createRoot(node).render(
      <Panel
        state={{
          notebookName: 'leaky.ipynb',
          kernelName: 'Python 3 (ipykernel)',
          kernel: ready(H200),
          insertDisabledReason: '',
          verifyDisabledReason: '',
          timeDisabledReason: '',
          operators: catalogue.operators.filter(one => one.program !== null),
          runs: [],
          compared: [],
          requests: [],
          ...state
        }}
        actions={actions}
        trans={trans}
      />
    );
  });
  const text = node.textContent ?? '';
  const button = (name: string) =>
    Array.from(node.querySelectorAll('button')).find(
      one => (one.getAttribute('aria-label') ?? one.textContent) === name
    )!;
  return { node, text, button };
}

/** Yet it takes the focus, so that a keyboard comes to the reason. */
function isDisabled(button: HTMLButtonElement): boolean {
  return button.getAttribute('aria-disabled') === 'true';
}

beforeAll(() => {
  (
    globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean }
  ).IS_REACT_ACT_ENVIRONMENT = true;
});

beforeEach(() => {
  jest.clearAllMocks();
});

describe('Panel: the kernel', () => {
  it.each<[KernelState, string]>([
    [{ kind: 'no-kernel' }, 'This notebook has no kernel'],
    [{ kind: 'starting' }, 'The kernel is starting'],
    [{ kind: 'unreachable' }, 'server does not answer'],
    [{ kind: 'other-language', language: 'R' }, 'This kernel runs R'],
    [{ kind: 'dead' }, 'The kernel died'],
    [{ kind: 'unasked' }, 'Reading the device'],
    [{ kind: 'asking' }, 'Reading the device'],
    [{ kind: 'waiting' }, 'Waiting for the running cell'],
    [{ kind: 'missing' }, 'package is missing in this kernel'],
    [
      { kind: 'mismatch', version: '0.0.1', outdated: 'package' },
      'The package is version 0.0.1.'
    ],
    [
      { kind: 'mismatch', version: null, outdated: 'extension' },
      'This extension is too old'
    ],
    [{ kind: 'failed', message: 'OSError: no libcuda' }, 'no libcuda'],
    [ready(H200, true), 'The kernel restarted']
  ])('says %j', (kernel, words) => {
    const { text, button } = draw({ kernel });
    expect(text).toContain(words);
    expect(isDisabled(button('Insert optimized LeakyReLU'))).toBe(false);
  });

  it('starts with a notebook', () => {
    const { text, button } = draw({
      notebookName: null,
      kernel: { kind: 'no-notebook' }
    });
    expect(text).toContain('Open a notebook to start');
    expect(text).not.toContain('Catalogue');
    expect(button('Refresh device').disabled).toBe(true);
    button('New notebook with an example').click();
    expect(actions.newNotebook).toHaveBeenCalled();
  });

  it('offers the one next step', () => {
    draw({ kernel: { kind: 'missing' } })
      .button('Insert install cell')
      .click();
    draw({ kernel: { kind: 'no-kernel' } })
      .button('Choose kernel')
      .click();
    draw({ kernel: { kind: 'dead' } })
      .button('Restart kernel')
      .click();
    expect(actions.insertInstallCell).toHaveBeenCalled();
    expect(actions.chooseKernel).toHaveBeenCalled();
    expect(actions.restartKernel).toHaveBeenCalled();
  });

  it('draws words of a kernel as words', () => {
    const { node } = draw({
      kernel: { kind: 'failed', message: '<img src=x onerror=boom()>' }
    });
    expect(node.querySelector('img')).toBeNull();
  });
});

describe('Panel: the device', () => {
  it('shows a GPU with its memory', () => {
    const { node, text } = draw({});
    expect(text).toContain('NVIDIA H200');
    expect(text).toContain('19.4 of 141 GB in use');
    expect(node.querySelector('meter')?.value).toBe(19.4e9);
  });

  it('says what emulation does not do', () => {
    const { text, button } = draw({ kernel: ready(EMULATED) });
    expect(text).toContain('correctness only, timing is not measured');
    expect(button('Check LeakyReLU on CPU').textContent).toBe('Check on CPU');
  });

  it('offers no check in a kernel without torch, and says what to do', () => {
    for (const data of [EMULATED, H200]) {
      const { text, button } = draw({
        kernel: ready({ ...data, torch: null })
      });
      expect(text).toContain('PyTorch is not installed in it');
      expect(text).not.toContain('checked in emulation');
      expect(button('Choose another kernel')).toBeDefined();
    }
  });

  it('says why there is no device', () => {
    const device = { ...EMULATED.device, kind: 'none', why: 'no compiler' };
    const { text } = draw({ kernel: ready({ ...EMULATED, device }) });
    expect(text).toContain('Nothing can be checked in this kernel');
    expect(text).toContain('no compiler');
  });
});

describe('Panel: the catalogue', () => {
  it('inserts and verifies by id', () => {
    const { button } = draw({});
    button('Insert optimized LeakyReLU').click();
    button('Verify LeakyReLU').click();
    button('Benchmark LeakyReLU').click();
    expect(actions.insert).toHaveBeenCalledWith('leakyrelu');
    expect(actions.verify).toHaveBeenCalledWith('leakyrelu');
    expect(actions.benchmark).toHaveBeenCalledWith('leakyrelu');
  });

  it('says why nothing can be inserted', () => {
    const why = 'This kernel runs R';
    const insert = draw({ insertDisabledReason: why }).button(
      'Insert optimized LeakyReLU'
    );
    expect(isDisabled(insert)).toBe(true);
    expect(insert.title).toBe(why);
    insert.click();
    expect(actions.insert).not.toHaveBeenCalled();
  });

  it('says why Verify is disabled; Insert stays enabled', () => {
    const why = 'Waits for the running cell';
    const { node, button } = draw({ verifyDisabledReason: why });
    const verify = button('Verify LeakyReLU');
    expect(isDisabled(verify)).toBe(true);
    verify.click();
    expect(actions.verify).not.toHaveBeenCalled();
    expect(verify.tabIndex).toBe(0);
    expect(verify.title).toBe(why);
    const described = verify.getAttribute('aria-describedby');
    expect(node.querySelector(`[id="${described}"]`)?.textContent).toBe(why);
    expect(isDisabled(button('Insert optimized LeakyReLU'))).toBe(false);
  });
});

describe('Panel: the catalogue without a GPU', () => {
  it('says why Benchmark is disabled; Check on CPU stays enabled', () => {
    const { node, button } = draw({
      kernel: ready(EMULATED),
      timeDisabledReason: 'Needs a GPU'
    });
    const benchmark = button('Benchmark LeakyReLU');
    expect(isDisabled(benchmark)).toBe(true);
    expect(benchmark.title).toBe('Needs a GPU');
    const described = benchmark.getAttribute('aria-describedby')!;
    expect(node.querySelector(`[id="${described}"]`)?.textContent).toBe(
      'Needs a GPU'
    );
    expect(isDisabled(button('Check LeakyReLU on CPU'))).toBe(false);
  });
});

describe('Panel: runs', () => {
  it('lists results in words, and goes to their cells', () => {
    const { text, button } = draw({
      runs: [run('wrong-result'), run('pass', { cell: null })]
    });
    expect(text).toContain('wrong result');
    expect(text).toContain('correct in emulation');
    button('Go to cell [7]').click();
    expect(actions.goToRun).toHaveBeenCalledWith(
      run('wrong-result').report.run
    );
  });

  it.each([
    ['build-failure', 'does not build'],
    ['read-error', 'cannot be read'],
    ['memory-fault', 'memory fault'],
    ['weak', 'unclear'],
    ['timed-out', 'timed out'],
    ['cancelled', 'cancelled'],
    ['refused', 'not covered in emulation'],
    ['environment', 'could not run here'],
    ['internal', 'no verdict'],
    ['cuda-pass', 'correct'],
    ['benchmark', 'correct, same speed'],
    ['profile', 'correct, 1.01x faster'],
    ['slower', 'correct for this problem, 1.59x slower; not a drop-in'],
    ['fault-beyond', 'in emulation; not a drop-in'],
    ['unclear', 'correct, speed unclear'],
    ['running', 'did not finish']
  ])('calls a %s report "%s"', (name, words) => {
    expect(draw({ runs: [run(name)] }).text).toContain(words);
  });

  it('marks a run that faults beyond its problem as no plain pass', () => {
    const { node } = draw({ runs: [run('fault-beyond')] });
    const glyph = node.querySelector('.jp-KernelPanel-result svg');
    expect(glyph?.classList).toContain('jp-mod-warn');
  });

  it('says which run is older than its cell', () => {
    const old = draw({ runs: [run('pass', { isStale: true })] });
    expect(old.text).toContain('older than the cell');
    expect(draw({ runs: [run('pass')] }).text).not.toContain('older than');
  });

  it('shows the run that goes on, and cancels it', () => {
    const { node, text, button } = draw({
      runs: [run('running', { isRunning: true })]
    });
    expect(text).toContain('Checking: LeakyReLU');
    expect(text).toContain('9 of 15');
    expect(node.querySelector('progress')?.value).toBe(9);
    expect(node.querySelector('[role=status]')?.textContent).toBe(
      'Checking: LeakyReLU'
    );
    button('Cancel the run of LeakyReLU').click();
    expect(actions.cancel).toHaveBeenCalledWith('kg-0005');
  });
});

describe('Panel: a comparison', () => {
  const [slower, profile, wrong] = ['slower', 'profile', 'wrong-result'].map(
    name => run(name)
  ) as [IRun, IRun, IRun];

  function rows(compared: IRun[], runs = [profile, slower, wrong]) {
    const { node } = draw({
      runs,
      compared: compared.map(one => one.report.run)
    });
    const table = node.querySelector('[aria-label="Comparison"]');
    return [...(table?.querySelectorAll('tr, caption, p') ?? [])].map(row =>
      [...row.querySelectorAll('th, td')]
        .map(cell => cell.textContent)
        .join(' | ')
    );
  }

  it('puts the earlier run first, with what changed', () => {
    const { text } = draw({
      runs: [profile, slower],
      compared: [profile.report.run, slower.report.run]
    });
    expect(text).toContain('Run 2 against run 1');
    expect(rows([profile, slower], [profile, slower])).toEqual([
      '',
      ' | #1 | #2 | Change',
      'Result | correct for this problem, 1.59x slower; not a drop-in | correct, 1.01x faster | –',
      'Time | 4.85 ms | 3.01 ms | 1.61x faster',
      'Against eager | 1.59x slower | 1.011x faster | –',
      'Of limit | 63% | 100% | +37 points',
      'Source | 28 lines | 675 lines | changed',
      ''
    ]);
    expect(text).toContain('were not taken in turn');
  });

  it('compares no times of other work', () => {
    const other = run('benchmark');
    const { text } = draw({
      runs: [profile, other],
      compared: [profile.report.run, other.report.run]
    });
    expect(text).toContain('The times do not compare');
    const time = rows([profile, other], [profile, other])[3];
    expect(time).toMatch(/^Time .* –$/);
  });

  it('leaves out what neither run has', () => {
    const names = rows([slower, wrong]).map(row => row.split(' | ')[0]);
    expect(names).toContain('Time');
    expect(
      rows([wrong, run('pass')], [wrong, run('pass')]).map(
        row => row.split(' | ')[0]
      )
    ).not.toContain('Time');
  });

  it('says how to choose the second one', () => {
    const { text, node } = draw({
      runs: [profile, slower],
      compared: [slower.report.run]
    });
    expect(text).toContain('Select another run to compare with run 1.');
    const box = node.querySelector<HTMLInputElement>(
      '[aria-label="Compare run 2"]'
    )!;
    expect(box.checked).toBe(false);
    act(() => box.click());
    expect(actions.toggleCompared).toHaveBeenCalledWith(profile.report.run);
  });
});

describe('Panel: activity', () => {
  it('shows the last request, and all behind it', () => {
    const { node, text } = draw({
      requests: [
        request({ id: 2, outcome: 'queued', took_ms: null }),
        request({ id: 1 })
      ]
    });
    expect(
      node.querySelector('.jp-KernelPanel-activity summary')?.textContent
    ).toContain('queued');
    expect(
      node.querySelectorAll('.jp-KernelPanel-activity tbody tr')
    ).toHaveLength(2);
    expect(text).toContain('42 ms');
    expect(text).toContain('Nothing is sent while this panel is hidden.');
  });

  it('says so where nothing was sent', () => {
    expect(draw({}).text).toContain('Sent: nothing');
  });
});
