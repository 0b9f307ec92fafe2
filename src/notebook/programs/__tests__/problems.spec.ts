/** What a program is checked against, as the notebook has it, and the cells that it needs. */

import { nullTranslator } from '@jupyterlab/translation';

import { Catalogue } from '../../../catalogue/catalogue';
import { languages } from '../../__tests__/languages';
import { ITestCell, openNotebook } from '../../__tests__/notebook';
import { DEFAULTS } from '../../preferences';
import { findTarget } from '../../verify/target';
import { verifyCall, verifyCellSource } from '../../verify/verifySource';
import { neededCells } from '../cellsRead';
import { optionsOf } from '../options';
import { problemsOf } from '../problems';
import { pythonReader, ReadPython } from '../python';
import { say } from '../said';

const MODEL = 'class Model(nn.Module):\n  pass';
const PROGRAM = 'class ModelNew(nn.Module):\n  pass';
const catalogue = new Catalogue();
const gelu = { reference: 'torch.nn.GELU()', inputs: '8x8' };
const trans = nullTranslator.load('');

let read: ReadPython;

beforeAll(async () => {
  read = await pythonReader(languages());
});

function cellsOf(texts: readonly string[]): ITestCell[] {
  return texts.map((source, n) => ({ id: `c${n}`, source }));
}

function problems(cells: ITestCell[], active = 0) {
  const notebook = openNotebook(cells, active);
  const target = findTarget(notebook, catalogue, {})!;
  const found = () => {
    const { choices, chosen } = problemsOf(
      notebook,
      catalogue,
      findTarget(notebook, catalogue, {})!,
      read,
      trans
    );
    return { chosen, labels: choices.map(({ label }) => label) };
  };
  return { notebook, target, found };
}

describe('problemsOf', () => {
  it.each([
    ['the nearest cell above', [MODEL, MODEL, PROGRAM, MODEL], 2, 'cell:c1'],
    ['the cell itself', [MODEL, `${MODEL}\n${PROGRAM}`], 1, 'cell:c1'],
    ['a cell below', ['x = 1', PROGRAM, 'Model = nn.GELU'], 1, 'cell:c2'],
    ['nothing', ['Model()', PROGRAM, '# class Model: pass'], 1, '']
  ])('finds %s', (_, texts, active, chosen) => {
    const { notebook, found } = problems(cellsOf(texts), active);
    expect(found().chosen).toBe(chosen);
    notebook.dispose();
  });

  it('proposes no operator, and offers what the notebook has before them', () => {
    const model = `${MODEL}\ndef get_inputs():\n  return [torch.rand(4, 8)]`;
    const { notebook, found } = problems(cellsOf([MODEL, model, PROGRAM]), 2);
    expect(found()).toEqual({
      chosen: 'cell:c1',
      labels: [
        'Model above (4x8)',
        'Model above',
        ...catalogue.operators.map(({ name }) => name),
        'Another reference…'
      ]
    });
    notebook.dispose();
  });

  it('takes what was inserted, before it what the cell below says, before it what a person says', () => {
    const check = verifyCellSource(verifyCall('verify', gelu, 'mine'));
    const { notebook, found } = problems([
      { id: 'mine', source: PROGRAM, mark: { operator: 'leakyrelu' } },
      { id: 'other', source: MODEL }
    ]);
    expect(found().chosen).toBe('leakyrelu');
    notebook.model!.sharedModel.insertCell(1, {
      cell_type: 'code',
      source: check,
      metadata: { kernelgate: { verify: 'mine' } }
    });
    expect(found().chosen).toBe('own');
    expect(found().labels).toContain('torch.nn.GELU(), 8x8');
    const problem = { reference: 'cell:other', inputs: '' };
    say(notebook.model, { id: 'mine' }, { problem });
    expect(found().chosen).toBe('cell:other');
    notebook.model!.sharedModel.deleteCell(2);
    expect(found().chosen).toBe('own');
    notebook.dispose();
  });
});

describe('neededCells', () => {
  it('are those whose names a program and its reference need, and those need in turn', () => {
    const { notebook } = problems(
      cellsOf([
        'import torch\nimport torch.nn as nn',
        'rows = 8',
        'unused = 1\nother = rows',
        'size = rows * 2',
        MODEL,
        `${PROGRAM}\ndef get_inputs():\n  pass`,
        'def get_inputs():\n  return [torch.rand(size)]',
        'def broken(:\n  nn = 1'
      ]),
      5
    );
    const [, , , , reference, program] = notebook.widgets.map(
      ({ model }) => model
    );
    const ids = (all: { id: string }[]) => all.map(({ id }) => id).sort();
    expect(ids(neededCells(notebook, program!, reference!, read))).toEqual([
      'c0',
      'c1',
      'c3',
      'c6'
    ]);
    expect(ids(neededCells(notebook, program!, null, read))).toEqual(['c0']);
    notebook.dispose();
  });
});

describe('optionsOf', () => {
  it('are as a person said, else as the cell below says, else as set', () => {
    const check = verifyCellSource(
      verifyCall('verify', gelu, 'mine', {
        ...DEFAULTS,
        rtol: 0.01,
        contract: 'drop-in'
      })
    );
    const { notebook, target } = problems([
      { id: 'mine', source: PROGRAM },
      { id: 'check', source: check, mark: { verify: 'mine' } }
    ]);
    const set = { ...DEFAULTS, atol: 0.5 };
    expect(optionsOf(notebook, target, set)).toMatchObject({
      rtol: 0.01,
      atol: 0.5,
      contract: 'drop-in',
      thorough: false
    });
    say(
      notebook.model,
      { id: 'mine' },
      { options: { rtol: 0, thorough: true } }
    );
    expect(optionsOf(notebook, target, set)).toMatchObject({
      rtol: 0,
      contract: 'drop-in',
      thorough: true
    });
    notebook.dispose();
  });
});
