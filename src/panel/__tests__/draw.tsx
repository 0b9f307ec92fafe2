/** The panel as a person finds it, in any state. */
import { nullTranslator } from '@jupyterlab/translation';
import * as React from 'react';
import { act } from 'react';
import { createRoot } from 'react-dom/client';

import { Catalogue } from '../../catalogue/catalogue';
import { H200 } from '../../kernel/__tests__/fakeSession';
import { readAnswer } from '../../kernel/handshake';
import { recorded } from '../../model/__tests__/recorded';
import { IHandshake, IKernelRequest, IRun, KernelState } from '../../tokens';
import { IPanelActions } from '../actions';
import { IPanelState } from '../model';
import { Panel } from '../view';

const trans = nullTranslator.load('');

export const actions = {
  insert: jest.fn(),
  verify: jest.fn(),
  benchmark: jest.fn(),
  runCell: jest.fn(),
  choose: jest.fn(),
  setOptions: jest.fn(),
  paste: jest.fn(),
  copyForModel: jest.fn(),
  goToRun: jest.fn(),
  toggleCompared: jest.fn(),
  deleteRun: jest.fn(),
  showDifference: jest.fn(),
  insertComparison: jest.fn(),
  cancel: jest.fn(),
  refresh: jest.fn(),
  insertInstallCell: jest.fn(),
  chooseKernel: jest.fn(),
  restartKernel: jest.fn(),
  newNotebook: jest.fn()
} satisfies IPanelActions;

export function handshake(data: unknown): IHandshake {
  const answer = readAnswer(data);
  if (answer?.kind !== 'handshake') {
    throw new Error('no handshake');
  }
  return answer.handshake;
}

export function ready(data: unknown, restarted = false): KernelState {
  return { kind: 'ready', handshake: handshake(data), restarted };
}

export function run(name: string, rest: Partial<IRun> = {}): IRun {
  const report = recorded(name);
  return {
    id: report.run,
    number: 1,
    report,
    isRunning: false,
    isUnheard: false,
    isStale: false,
    heardAt: 0,
    output: null,
    cell: { id: 'c', prompt: 7 },
    ...rest
  };
}

export function request(rest: Partial<IKernelRequest>): IKernelRequest {
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
export function draw(state: Partial<IPanelState>, words = trans) {
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
          operators: catalogue.operators.filter(one => one.loadProgram),
          form: 'full',
          program: null,
          runs: [],
          compared: [],
          requests: [],
          ...state
        }}
        actions={actions}
        trans={words}
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
export function isDisabled(button: HTMLButtonElement): boolean {
  return button.getAttribute('aria-disabled') === 'true';
}

/** For a spec that draws: React wants to be told, and each test counts its own presses. */
export function setUp(): void {
  beforeAll(() => {
    (
      globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean }
    ).IS_REACT_ACT_ENVIRONMENT = true;
  });
  beforeEach(() => {
    jest.clearAllMocks();
  });
}
