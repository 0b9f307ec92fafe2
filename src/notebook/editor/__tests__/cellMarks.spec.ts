import { INotebookTracker } from '@jupyterlab/notebook';
import { Signal } from '@lumino/signaling';

import { sha256 } from '../../../model';
import { recorded } from '../../../model/__tests__/recorded';
import { IReportHistory, IRun } from '../../../tokens';
import { openNotebook } from '../../__tests__/notebook';
import { CellMarks } from '../cellMarks';

const SOURCE = Array.from({ length: 71 }, (_, n) => `line ${n}`).join('\n');

function open(fixtures: string[]) {
  const { model } = openNotebook([
    { id: '3f2a91c0', source: SOURCE },
    { id: 'other', source: SOURCE }
  ]);
  const runs = fixtures.map(name => {
    const report = recorded(name);
    report.candidate.source_sha256 = sha256(SOURCE);
    return { id: name, report } as IRun;
  });
  const changed = new Signal<IReportHistory, void>({} as IReportHistory);
  const marks = new CellMarks(
    { currentWidget: { model } } as unknown as INotebookTracker,
    { runs, changed } as unknown as IReportHistory
  );
  const cell = (n: number) => model!.cells.get(n);
  const lines = (n: number) => marks.of(cell(n))?.map(({ line }) => line);
  return { marks, cell, lines, changed };
}

it('knows the lines of the newest run of a cell, and of no other cell', () => {
  const { lines } = open(['memory-fault', 'build-failure']);
  expect(lines(0)).toEqual([12]);
  expect(lines(1)).toEqual([]);
});

it('knows none while the cell reads otherwise, and them again after an undo', () => {
  const { lines, cell, changed } = open(['memory-fault']);
  cell(0).sharedModel.setSource(`#${SOURCE}`);
  changed.emit();
  expect(lines(0)).toEqual([]);
  cell(0).sharedModel.setSource(SOURCE);
  changed.emit();
  expect(lines(0)).toEqual([12]);
});

it('knows nothing of what is in no notebook in front', () => {
  expect(open([]).marks.of({})).toBeNull();
});
