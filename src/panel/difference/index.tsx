/**
 * What changed between the programs of two runs, in a tab beside the notebook.
 *
 * In: two runs of a notebook. Out: a tab, the same for all comparisons of a page;
 * or a message that says whose program is not known. Loaded with the first one.
 */

import { JupyterFrontEnd } from '@jupyterlab/application';
import {
  Dialog,
  MainAreaWidget,
  Notification,
  ReactWidget,
  showDialog
} from '@jupyterlab/apputils';
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { IFoundRun, IReportHistory } from '../../tokens';
import { operatorIcon } from '../../ui/icons';
import { diffRows } from '../../ui/lineDiff';
import { TOAST_MS } from '../../ui/toast';
import { DifferenceView } from './view';
import '../../../style/difference.css';

const ID = 'kernelgate-difference';

interface IContext {
  history: IReportHistory;
  shell: JupyterFrontEnd.IShell;
  trans: TranslationBundle;
}

export async function showDifference(
  before: IFoundRun,
  after: IFoundRun,
  { history, shell, trans }: IContext
): Promise<void> {
  const programs = await Promise.all(
    [before, after].map(found => history.programOf(found).catch(() => null))
  );
  const [old, now] = programs;
  const why = (words: string) =>
    void Notification.warning(words, { autoClose: TOAST_MS });
  if (typeof old !== 'string' || typeof now !== 'string') {
    const missing = typeof old === 'string' ? after : before;
    return why(
      trans.__(
        'The program of run %1 is not known: its cell has changed since, and a report holds no program.',
        missing.run.number
      )
    );
  }
  const rows = diffRows(old, now);
  if (!rows) {
    return why(trans.__('The programs are too long to be compared.'));
  }
  for (const widget of shell.widgets('main')) {
    if (widget.id === ID) {
      widget.dispose();
    }
  }
  const title = trans.__(
    'Run %1 against run %2',
    after.run.number,
    before.run.number
  );
  const content = ReactWidget.create(
    <DifferenceView title={title} rows={rows} trans={trans} />
  );
  const widget = new MainAreaWidget({ content });
  widget.id = ID;
  widget.title.label = title;
  widget.title.icon = operatorIcon;
  widget.title.closable = true;
  shell.add(widget, 'main', { mode: 'split-right' });
  if (widget.isAttached) {
    shell.activateById(ID);
    return;
  }
  // A page of one document, as Notebook 7 is, has no room for a tab.
  Object.assign(widget.node.style, {
    width: 'min(900px, 85vw)',
    height: '380px'
  });
  await showDialog({
    title,
    body: widget,
    buttons: [Dialog.okButton({ label: trans.__('Close') })]
  });
  widget.dispose();
}
