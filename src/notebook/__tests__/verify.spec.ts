import { NotebookActions, NotebookPanel } from '@jupyterlab/notebook';
import { nullTranslator } from '@jupyterlab/translation';

import { Catalogue } from '../../catalogue/catalogue';
import { FakeSession } from '../../kernel/__tests__/fake-session';
import { KernelLink } from '../../kernel/link';
import { RequestError } from '../../kernel/request';
import {
  chooseOperator,
  findTarget,
  magicSource,
  runVerify,
  verifyCellSource
} from '../verify';
import { verifyCellBelow } from '../cells';
import { Verb } from '../verbs';
import { ITestCell, openNotebook, sources } from './notebook';

const PROGRAM = 'class ModelNew(nn.Module):\n  pass';
const catalogue = new Catalogue();
const leakyrelu = catalogue.get('leakyrelu')!;
const gemm = catalogue.get('gemm_scale_leakyrelu')!;

describe('findTarget', () => {
  const cells: ITestCell[] = [
    { id: 'plain', source: 'x = 1' },
    { id: 'mine', source: PROGRAM },
    { id: 'check', source: 'verify', mark: { verify: 'mine' } },
    { id: 'ours', source: PROGRAM, mark: { operator: 'leakyrelu' } },
    { id: 'magic', source: '%%leakyrelu_cuda\nx' }
  ];

  it.each([
    ['a program', 1, {}, 1],
    ['the program of a verify cell', 2, {}, 1],
    ['a cell with a magic of ours', 4, {}, 4],
    ['nothing in another cell', 0, {}, null],
    ['a given cell', 0, { cellId: 'mine' }, 1],
    ['nothing for an unknown id', 1, { cellId: 'nobody' }, null],
    ['any program, for an operator', 1, { operator: gemm }, 1],
    ['the program inserted for an operator', 0, { operator: leakyrelu }, 3],
    ['no program of another operator', 3, { operator: gemm }, null]
  ])('finds %s', (_, active, asked, index) => {
    const notebook = openNotebook(cells, active);
    expect(findTarget(notebook, catalogue, asked)?.index ?? null).toBe(index);
    notebook.dispose();
  });

  it('knows the operator of a program that was inserted', () => {
    const notebook = openNotebook(cells, 3);
    expect(findTarget(notebook, catalogue, {})?.recorded).toBe(leakyrelu);
    notebook.dispose();
  });
});

describe('findTarget, for a program that was verified before', () => {
  it('remembers the operator that the person chose', () => {
    const notebook = openNotebook([{ id: 'mine', source: PROGRAM }]);
    expect(findTarget(notebook, catalogue, {})?.recorded).toBeNull();
    verifyCellBelow(notebook, 0, 'verify', gemm.id);
    expect(findTarget(notebook, catalogue, {})?.recorded).toBe(gemm);
    verifyCellBelow(notebook, 0, 'verify', leakyrelu.id);
    expect(findTarget(notebook, catalogue, {})?.recorded).toBe(leakyrelu);
    notebook.dispose();
  });
});

describe('verifyCellSource', () => {
  it('is what a person would write', () => {
    expect(verifyCellSource('verify', leakyrelu, 'ab-1')).toBe(
      'import kernelgate\nkernelgate.verify("leakyrelu", cell="ab-1")'
    );
    expect(verifyCellSource('profile', leakyrelu, 'ab-1')).toBe(
      'import kernelgate\nkernelgate.profile("leakyrelu", cell="ab-1")'
    );
  });

  it('keeps a strange cell id inside its quotes', () => {
    expect(verifyCellSource('verify', leakyrelu, '"); boom("')).toContain(
      'cell="\\"); boom(\\"")'
    );
  });
});

describe('magicSource', () => {
  const CUDA = '\n__global__ void leaky() {}';

  it.each([
    [
      'benchmark',
      `%%leakyrelu_cuda${CUDA}`,
      `%%leakyrelu_cuda --benchmark${CUDA}`
    ],
    [
      'profile',
      `%%leakyrelu_cuda --benchmark${CUDA}`,
      `%%leakyrelu_cuda --profile${CUDA}`
    ],
    [
      'benchmark',
      '%leakyrelu_cuda --seed 7',
      '%leakyrelu_cuda --seed 7 --benchmark'
    ],
    [
      'benchmark',
      `%%kernelgate verify leakyrelu${CUDA}`,
      `%%kernelgate benchmark leakyrelu${CUDA}`
    ],
    ['profile', '%kernelgate doctor', '%kernelgate doctor']
  ] as const)('gives the verb %s to %j', (verb, source, expected) => {
    expect(magicSource(verb, source)).toBe(expected);
  });

  it('leaves out a body that only uses the program', () => {
    expect(
      magicSource('benchmark', '%%leakyrelu_cuda\ny = ModelNew()(x)')
    ).toBe('%leakyrelu_cuda --benchmark');
  });
});

describe('chooseOperator', () => {
  it('takes what was asked for before what was recorded', async () => {
    const target = { index: 0, content: 'program', recorded: gemm } as const;
    const chosen = (asked?: typeof leakyrelu) =>
      chooseOperator(catalogue, target, asked, 'verify', nullTranslator);
    await expect(chosen(leakyrelu)).resolves.toBe(leakyrelu);
    await expect(chosen()).resolves.toBe(gemm);
  });
});

describe('runVerify', () => {
  function open(cells: ITestCell[], verb: Verb = 'verify') {
    const session = new FakeSession();
    const content = openNotebook(cells);
    const link = new KernelLink();
    const target = findTarget(content, catalogue, {})!;
    const panel = { content, sessionContext: session.context } as NotebookPanel;
    const run = jest.spyOn(NotebookActions, 'runCells').mockResolvedValue(true);
    const done = runVerify(
      panel,
      link,
      verb,
      target,
      leakyrelu,
      nullTranslator
    );
    return { session, content, run, done };
  }

  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('hands the program over, then runs a visible cell, and only that', async () => {
    const { session, content, run, done } = open([
      { id: 'mine', source: PROGRAM },
      { source: 'after' }
    ]);
    expect(run).not.toHaveBeenCalled();
    expect(session.asked[0]?.expression).toContain('"remember_cell", "mine", ');
    await session.reply(0, { status: 'ok', data: {} });
    await done;
    expect(sources(content)).toEqual([
      PROGRAM,
      verifyCellSource('verify', leakyrelu, 'mine'),
      'after'
    ]);
    expect(run).toHaveBeenCalledTimes(1);
    expect(run.mock.calls[0]![1]).toEqual([content.widgets[1]]);
    content.dispose();
  });

  it('adds no cell where the kernel did not take the program', async () => {
    const { session, content, run, done } = open([
      { id: 'mine', source: PROGRAM }
    ]);
    void session.raise(0, 'ModuleNotFoundError');
    await expect(done).rejects.toBeInstanceOf(RequestError);
    expect(sources(content)).toEqual([PROGRAM]);
    expect(run).not.toHaveBeenCalled();
    content.dispose();
  });

  it('times a program by its own verb', async () => {
    const { session, content, done } = open(
      [{ id: 'mine', source: PROGRAM }],
      'benchmark'
    );
    await session.reply(0, { status: 'ok', data: {} });
    await done;
    expect(sources(content)[1]).toContain('kernelgate.benchmark("leakyrelu"');
    content.dispose();
  });

  it('times a cell with a magic of ours in a visible cell below', async () => {
    const magic = '%%leakyrelu_cuda\n__global__ void leaky() {}';
    const { session, content, run, done } = open(
      [{ id: 'mine', source: magic }],
      'benchmark'
    );
    await done;
    expect(session.asked).toHaveLength(0);
    expect(sources(content)).toEqual([
      magic,
      '%%leakyrelu_cuda --benchmark\n__global__ void leaky() {}'
    ]);
    expect(run.mock.calls[0]![1]).toEqual([content.widgets[1]]);
    content.dispose();
  });

  it('just runs a cell with a magic of ours', async () => {
    const { session, content, run, done } = open([
      { source: '%%leakyrelu_cuda\nx' }
    ]);
    await done;
    expect(session.asked).toHaveLength(0);
    expect(run.mock.calls[0]![1]).toEqual([content.widgets[0]]);
    expect(content.widgets).toHaveLength(1);
    content.dispose();
  });
});
