import { INotebookTracker } from '@jupyterlab/notebook';
import { nullTranslator } from '@jupyterlab/translation';
import { Signal } from '@lumino/signaling';
import { Widget } from '@lumino/widgets';

import { Catalogue } from '../../catalogue/catalogue';
import { FakeSession } from '../../kernel/__tests__/fakeSession';
import { KernelLink } from '../../kernel/link';
import { PreferenceStore } from '../../notebook/preferences';
import { IReportHistory } from '../../tokens';
import { IPanelActions } from '../actions';
import { PanelModel } from '../model';
import { KernelPanel } from '../widget';

describe('KernelPanel', () => {
  it('lets the kernel be asked, and is drawn, only while it is in sight', async () => {
    const session = new FakeSession();
    const link = new KernelLink();
    link.session = session.context;
    const none = {};
    const panel = new KernelPanel(
      new PanelModel({
        tracker: {
          currentWidget: null,
          currentChanged: new Signal(none)
        } as unknown as INotebookTracker,
        link,
        history: {
          runs: [],
          changed: new Signal(none)
        } as never as IReportHistory,
        catalogue: new Catalogue(),
        preferences: new PreferenceStore(null, ''),
        programs: null,
        insertDisabledReason: () => '',
        verifyDisabledReason: () => '',
        timeDisabledReason: () => ''
      }),
      {} as IPanelActions,
      nullTranslator
    );
    panel.hide();
    Widget.attach(panel, document.body);
    expect(link.standby).toBe(true);
    expect(session.asked).toHaveLength(0);
    expect(panel.node.childElementCount).toBe(0);
    panel.show();
    expect(link.standby).toBe(false);
    expect(session.asked).toHaveLength(1);
    await panel.showComparison();
    expect(panel.node.childElementCount).toBeGreaterThan(0);
    panel.hide();
    expect(link.standby).toBe(true);
    panel.dispose();
  });
});
