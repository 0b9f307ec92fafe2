import { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import { Signal } from '@lumino/signaling';

import { FakeSession } from '../../../kernel/__tests__/fakeSession';
import { REPORT_MIME } from '../../../model';
import { fixture } from '../../../model/__tests__/recorded';
import { openNotebook } from '../../__tests__/notebook';
import { ReportHistory } from '../history';

it('hears what the kernel says while that which reads reports is loaded', async () => {
  const session = new FakeSession();
  const panel = {
    sessionContext: session.context,
    context: { ready: Promise.resolve() },
    model: openNotebook([{ source: 'a' }]).model
  } as unknown as NotebookPanel;
  const signals = {};
  Object.assign(panel, { disposed: new Signal(panel) });
  const history = new ReportHistory({
    currentWidget: panel,
    forEach: (act: (panel: NotebookPanel) => void) => act(panel),
    widgetAdded: new Signal(signals),
    currentChanged: new Signal(signals)
  } as unknown as INotebookTracker);
  const report = fixture('running');

  session.iopubMessage.emit({
    header: { msg_type: 'display_data' },
    parent_header: {},
    content: { data: { [REPORT_MIME]: report } }
  });
  expect(history.runs).toEqual([]);
  await new Promise<void>(resolve => {
    history.changed.connect(() => history.runs.length > 0 && resolve());
  });

  expect(history.runs[0]).toMatchObject({ isRunning: true, report });
});
