import { Notebook, NotebookActions } from '@jupyterlab/notebook';

import { Catalogue } from '../../catalogue/catalogue';
import {
  goToCell,
  insertCode,
  insertCodeBelow,
  markOf,
  readCell,
  verifyCellBelow
} from '../cells';
import { openNotebook, sources } from './notebook';

describe('insertCode', () => {
  let notebook: Notebook;

  afterEach(() => {
    notebook.dispose();
  });

  it('puts the text below the active cell, and makes it active', () => {
    notebook = openNotebook([{ source: 'a' }, { source: 'b' }]);
    insertCode(notebook, 'new', { mark: { operator: 'leakyrelu' } });
    expect(sources(notebook)).toEqual(['a', 'new', 'b']);
    expect(notebook.activeCellIndex).toBe(1);
    expect(markOf(notebook.activeCell!.model).operator).toBe('leakyrelu');
    expect(notebook.mode).toBe('command');
  });

  it('folds a long text, which opens where somebody goes to a line of it', () => {
    notebook = openNotebook([{ source: 'a' }]);
    insertCode(notebook, 'one\ntwo', { isFolded: true });
    expect(notebook.activeCell!.inputHidden).toBe(true);
    goToCell(notebook, 0);
    goToCell(notebook, 1);
    expect(notebook.activeCell!.inputHidden).toBe(true);
    goToCell(notebook, 1, { line: 2 });
    expect(notebook.activeCell!.inputHidden).toBe(false);
    expect(sources(notebook)).toEqual(['a', 'one\ntwo']);
  });

  it('takes the place of an empty cell', () => {
    notebook = openNotebook([{ source: 'a' }, { source: ' \n' }], 1);
    insertCode(notebook, 'new');
    expect(sources(notebook)).toEqual(['a', 'new']);
    expect(notebook.activeCellIndex).toBe(1);
  });

  it('takes the place of the only cell', () => {
    notebook = openNotebook([{ source: '' }]);
    insertCode(notebook, 'new');
    expect(sources(notebook)).toEqual(['new']);
  });

  it('leaves an empty cell alone that still shows something', () => {
    const outputs = [{ output_type: 'stream', name: 'stdout', text: 'kept' }];
    notebook = openNotebook([{ source: '', outputs }]);
    insertCode(notebook, 'new');
    expect(sources(notebook)).toEqual(['', 'new']);
  });

  it.each([
    ['below a cell', 'a'],
    ['into an empty cell', '']
  ])('is one step for undo %s', (_, source) => {
    notebook = openNotebook([{ source }]);
    insertCode(notebook, 'one\ntwo', { mark: { operator: 'leakyrelu' } });
    NotebookActions.undo(notebook);
    expect(sources(notebook)).toEqual([source]);
    NotebookActions.redo(notebook);
    expect(sources(notebook)).toContain('one\ntwo');
  });

  it('runs nothing', () => {
    notebook = openNotebook([{ source: 'a' }]);
    const run = jest.fn();
    NotebookActions.executionScheduled.connect(run);
    insertCode(notebook, 'new');
    expect(run).not.toHaveBeenCalled();
  });
});

describe('insertCodeBelow', () => {
  it('puts the text below the cell, wherever the active one is, and makes it active', () => {
    const notebook = openNotebook([{ source: 'a' }, { source: '' }], 1);
    insertCodeBelow(notebook, 0, 'new');
    expect(sources(notebook)).toEqual(['a', 'new', '']);
    expect(notebook.activeCellIndex).toBe(1);
    expect(notebook.mode).toBe('command');
    notebook.dispose();
  });

  it('leaves a cell and the one that verifies it together', () => {
    const notebook = openNotebook([
      { id: 'one', source: 'a' },
      { source: 'verify', mark: { verify: 'one' } },
      { source: 'b', mark: { verify: 'two' } }
    ]);
    insertCodeBelow(notebook, 0, 'new');
    insertCodeBelow(notebook, 2, 'newer');
    expect(sources(notebook)).toEqual(['a', 'verify', 'new', 'newer', 'b']);
    notebook.dispose();
  });

  it('is one step for undo, runs nothing, and leaves the notebook to be saved', () => {
    const run = jest.fn();
    NotebookActions.executionScheduled.connect(run);
    const notebook = openNotebook([{ source: 'a' }]);
    notebook.model!.dirty = false;
    insertCodeBelow(notebook, 0, 'one\ntwo');
    expect(notebook.model!.dirty).toBe(true);
    expect(run).not.toHaveBeenCalled();
    NotebookActions.undo(notebook);
    expect(sources(notebook)).toEqual(['a']);
    notebook.dispose();
  });
});

describe('verifyCellBelow', () => {
  const ours = (text: string) => ({ ours: text, edited: () => null });

  it('adds a cell, and uses it again', () => {
    const notebook = openNotebook([
      { id: 'one', source: 'class ModelNew: 1' },
      { source: 'b' }
    ]);
    verifyCellBelow(notebook, 0, ours('verify 1'));
    const again = verifyCellBelow(notebook, 0, ours('verify 2'));
    expect(sources(notebook)).toEqual(['class ModelNew: 1', 'verify 2', 'b']);
    expect(markOf(again!.model).verify).toBe('one');
    expect(notebook.activeCellIndex).toBe(0);
    notebook.dispose();
  });

  it("leaves another cell's verify cell alone", () => {
    const notebook = openNotebook([
      { id: 'one', source: 'a' },
      { source: 'b', mark: { verify: 'two' } }
    ]);
    verifyCellBelow(notebook, 0, ours('verify'));
    expect(sources(notebook)).toEqual(['a', 'verify', 'b']);
    notebook.dispose();
  });
});

describe('markOf', () => {
  it('believes only texts', () => {
    const notebook = openNotebook([
      { source: 'a', mark: { operator: { id: 1 }, verify: 7 } }
    ]);
    expect(markOf(notebook.activeCell!.model)).toEqual({});
    notebook.dispose();
  });
});

describe('readCell', () => {
  const catalogue = new Catalogue();

  it.each([
    ['%%leakyrelu_cuda\nbody', 'magic'],
    ['\n%leakyrelu_cuda', 'magic'],
    ['%%kernelgate verify leakyrelu', 'magic'],
    ['%%timeit\nclass ModelNew: ...', 'program'],
    ['import torch\nclass ModelNew(nn.Module):\n  pass', 'program'],
    ['class ModelNewer: ...', 'other'],
    ['# class ModelNew', 'other'],
    ['%leakyrelu_cudas', 'other'],
    ['', 'other']
  ])('reads %j as %s', (source, content) => {
    expect(readCell(source, catalogue)).toBe(content);
  });
});
