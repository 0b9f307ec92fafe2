/**
 * A real notebook widget with the given cells, on the page.
 */

import { ICodeCell, IOutput } from '@jupyterlab/nbformat';
import { Notebook, NotebookModel } from '@jupyterlab/notebook';
import { NBTestUtils } from '@jupyterlab/testutils';
import { Widget } from '@lumino/widgets';

import { REPORT_MIME } from '../../model';

export interface ITestCell {
  id?: string;
  source: string;
  mark?: { operator?: unknown; verify?: unknown };
  outputs?: IOutput[];
}

export function openNotebook(cells: ITestCell[], active = 0): Notebook {
  const model = new NotebookModel({ disableDocumentWideUndoRedo: true });
  model.fromJSON({
    nbformat: 4,
    nbformat_minor: 5,
    metadata: {},
    cells: cells.map(({ id, source, mark, outputs }): ICodeCell => {
      return {
        cell_type: 'code',
        source,
        metadata: mark ? { kernelgate: { ...mark } as never } : {},
        outputs: outputs ?? [],
        execution_count: outputs ? 7 : null,
        ...(id ? { id } : {})
      };
    })
  });
  // As after opening a file: what is there cannot be undone.
  model.sharedModel.clearUndoHistory();
  const notebook = NBTestUtils.createNotebook();
  notebook.model = model;
  Widget.attach(notebook, document.body);
  notebook.activeCellIndex = active;
  return notebook;
}

export function sources(notebook: Notebook): string[] {
  return notebook.widgets.map(cell => cell.model.sharedModel.getSource());
}

/** The output of a run, with its report. */
export function output(report: unknown): IOutput {
  return {
    output_type: 'display_data',
    data: { [REPORT_MIME]: report as never, 'text/plain': 'report' },
    metadata: {}
  };
}
