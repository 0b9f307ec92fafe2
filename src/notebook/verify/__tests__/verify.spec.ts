import { waitForDialog } from '@jupyterlab/testing';

import { Catalogue } from '../../../catalogue/catalogue';
import { RequestError } from '../../../kernel/request';
import { findTarget } from '../target';
import { noteBrought } from '../../brought';
import { verifyCellBelow } from '../../cells';
import { verifyCall, verifyCellSource } from '../verifySource';
import { loadPython, openForVerify } from './open';
import { ITestCell, openNotebook, sources } from '../../__tests__/notebook';

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

  it('finds a program that no operator is known of, wherever the active cell is', () => {
    const notebook = openNotebook(
      [
        { id: 'ours', source: PROGRAM, mark: { operator: 'leakyrelu' } },
        { id: 'mine', source: PROGRAM },
        { id: 'plain', source: 'x = 1' }
      ],
      2
    );
    const found = (operator: typeof gemm) =>
      findTarget(notebook, catalogue, { operator })?.index;
    expect(found(gemm)).toBe(1);
    expect(found(leakyrelu)).toBe(0);
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
    const text = { ours: 'verify', edited: () => null };
    verifyCellBelow(notebook, 0, text, gemm.id);
    expect(findTarget(notebook, catalogue, {})?.recorded).toBe(gemm);
    verifyCellBelow(notebook, 0, text, leakyrelu.id);
    expect(findTarget(notebook, catalogue, {})?.recorded).toBe(leakyrelu);
    notebook.dispose();
  });
});

describe('runVerify', () => {
  const open = openForVerify;

  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('hands the program over, then runs a visible cell, and only that', async () => {
    const { session, content, run, press } = open([
      { id: 'mine', source: PROGRAM },
      { source: 'after' }
    ]);
    const done = press();
    expect(run).not.toHaveBeenCalled();
    expect(session.asked[0]?.expression).toContain('"remember_cell", "mine", ');
    await session.reply(0, { status: 'ok', data: {} });
    await done;
    expect(sources(content)).toEqual([
      PROGRAM,
      verifyCellSource(verifyCall('verify', leakyrelu, 'mine')),
      'after'
    ]);
    expect(run).toHaveBeenCalledTimes(1);
    expect(run.mock.calls[0]![1]).toEqual([content.widgets[1]]);
    content.dispose();
  });

  it('hands the cell of the reference over first, without running it', async () => {
    const model = 'class Model: pass';
    const { session, content, run, press } = open([
      { id: 'mine', source: PROGRAM },
      { id: 'theirs', source: model }
    ]);
    const done = press({ reference: 'cell:theirs', inputs: '' });
    await Promise.resolve();
    await session.reply(0, { status: 'ok', data: {} });
    await session.reply(1, { status: 'ok', data: {} });
    await done;
    expect(session.asked.map(({ expression }) => expression)).toEqual([
      expect.stringContaining('"remember_cell", "theirs", "class Model'),
      expect.stringContaining('"remember_cell", "mine", ')
    ]);
    expect(sources(content)[1]).toContain('reference="cell:theirs"');
    expect(run).toHaveBeenCalledTimes(1);
    content.dispose();
  });

  it('hands over the cells whose names reference and program need, and those of a stranger after a question', async () => {
    await loadPython();
    const { session, content, press } = open(
      [
        { id: 'sizes', source: 'rows = 8' },
        { id: 'theirs', source: 'class Model: rows' },
        { id: 'mine', source: PROGRAM },
        { id: 'inputs', source: 'def get_inputs(): return rows' }
      ],
      'verify',
      2
    );
    noteBrought(content.model!);
    const done = press({ reference: 'cell:theirs', inputs: '' });
    await waitForDialog();
    const asked = document.querySelector('.jp-Dialog pre')?.textContent;
    for (const text of ['rows = 8', 'class Model', 'def get_inputs']) {
      expect(asked).toContain(text);
    }
    expect(session.asked).toHaveLength(0);
    document.querySelector<HTMLElement>('.jp-Dialog .jp-mod-warn')!.click();
    for (let n = 0; n < 4; n++) {
      while (session.asked.length <= n) {
        await new Promise(resolve => setTimeout(resolve));
      }
      await session.reply(n, { status: 'ok', data: {} });
    }
    await done;
    const said = session.asked.map(({ expression }) => expression);
    expect(said.filter(one => one.includes('"needed"'))).toHaveLength(2);
    expect(said[2]).toContain('"remember_cell", "theirs"');
    expect(said[3]).toContain('"remember_cell", "mine"');
    content.dispose();
  });

  it('adds no cell where the kernel did not take the program', async () => {
    const { session, content, run, press } = open([
      { id: 'mine', source: PROGRAM }
    ]);
    const done = press();
    void session.raise(0, 'ModuleNotFoundError');
    await expect(done).rejects.toBeInstanceOf(RequestError);
    expect(sources(content)).toEqual([PROGRAM]);
    expect(run).not.toHaveBeenCalled();
    content.dispose();
  });

  it('times a program by its own verb', async () => {
    const { session, content, press } = open(
      [{ id: 'mine', source: PROGRAM }],
      'benchmark'
    );
    const done = press();
    await session.reply(0, { status: 'ok', data: {} });
    await done;
    expect(sources(content)[1]).toContain('kernelgate.benchmark("leakyrelu"');
    content.dispose();
  });

  it('times a cell with a magic of ours in a visible cell below', async () => {
    const magic = '%%leakyrelu_cuda\n__global__ void leaky() {}';
    const { session, content, run, press } = open(
      [{ id: 'mine', source: magic }],
      'benchmark'
    );
    const done = press();
    await Promise.resolve();
    expect(session.asked[0]?.expression).toContain('"remember_cell", "mine", ');
    await session.reply(0, { status: 'ok', data: {} });
    await done;
    expect(sources(content)).toEqual([
      magic,
      'import kernelgate\nkernelgate.benchmark(cell="mine")'
    ]);
    expect(run.mock.calls[0]![1]).toEqual([content.widgets[1]]);
    content.dispose();
  });

  it('just runs a cell with a magic of ours', async () => {
    const { session, content, run, press } = open([
      { source: '%%leakyrelu_cuda\nx' }
    ]);
    const done = press();
    await done;
    expect(session.asked).toHaveLength(0);
    expect(run.mock.calls[0]![1]).toEqual([content.widgets[0]]);
    expect(content.widgets).toHaveLength(1);
    content.dispose();
  });

  const EDITED =
    'import kernelgate\nkernelgate.verify("leakyrelu", cell="mine", shape="32x512", timeout=300)';

  it.each(['verify', 'benchmark'] as const)(
    'keeps the options of a verify cell that a person has edited: %s',
    async verb => {
      const { session, content, run, press } = open(
        [
          { id: 'mine', source: PROGRAM },
          { id: 'check', source: EDITED, mark: { verify: 'mine' } }
        ],
        verb
      );
      const done = press();
      await session.reply(0, { status: 'ok', data: {} });
      await done;
      expect(sources(content)).toEqual([
        PROGRAM,
        EDITED.replace('verify(', `${verb}(`)
      ]);
      expect(run.mock.calls[0]![1]).toEqual([content.widgets[1]]);
      content.dispose();
    }
  );

  it('leaves a verify cell alone that a person has made into something else', async () => {
    const { session, content, press } = open([
      { id: 'mine', source: PROGRAM },
      { id: 'check', source: 'mine = 1', mark: { verify: 'mine' } }
    ]);
    const done = press();
    await session.reply(0, { status: 'ok', data: {} });
    await done;
    expect(sources(content)).toEqual([
      PROGRAM,
      verifyCellSource(verifyCall('verify', leakyrelu, 'mine')),
      'mine = 1'
    ]);
    content.dispose();
  });

  it('verifies against a reference of a person, and keeps it for the next verb', async () => {
    const { session, content, press } = open([{ id: 'mine', source: PROGRAM }]);
    const reference = { reference: 'torch.nn.GELU()', inputs: '8x"8' };
    for (const n of [0, 1]) {
      const said = n === 0 ? reference : findTarget(content, catalogue, {});
      const done = press(said && 'index' in said ? said.reference : said);
      await session.reply(n, { status: 'ok', data: {} });
      await done;
      expect(sources(content)).toEqual([
        PROGRAM,
        'import kernelgate\nkernelgate.verify(cell="mine", reference="torch.nn.GELU()", inputs="8x\\"8")'
      ]);
      expect(findTarget(content, catalogue, {})?.recorded).toBeNull();
    }
    content.dispose();
  });

  it('writes a verify cell anew that nobody has edited', async () => {
    const { session, content, press } = open([{ id: 'mine', source: PROGRAM }]);
    for (const n of [0, 1]) {
      const done = press();
      await session.reply(n, { status: 'ok', data: {} });
      await done;
    }
    expect(sources(content)).toHaveLength(2);
    content.dispose();
  });

  it('runs a verify cell again as it reads, for the program as it reads now', async () => {
    const { session, content, run, again } = open([
      { id: 'mine', source: PROGRAM },
      { id: 'between', source: '' },
      { id: 'check', source: EDITED, mark: { verify: 'mine' } }
    ]);
    const done = again('check');
    expect(session.asked[0]?.expression).toContain('"remember_cell", "mine", ');
    await session.reply(0, { status: 'ok', data: {} });
    await done;
    expect(sources(content)).toEqual([PROGRAM, '', EDITED]);
    expect(run.mock.calls[0]![1]).toEqual([content.widgets[2]]);
    content.dispose();
  });
});
