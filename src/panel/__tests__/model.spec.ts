import { INotebookTracker } from '@jupyterlab/notebook';
import { Signal } from '@lumino/signaling';

import { Catalogue } from '../../catalogue/catalogue';
import { KernelLink } from '../../kernel/link';
import { PreferenceStore } from '../../notebook/preferences';
import { IReportHistory, IRun } from '../../tokens';
import { PanelModel } from '../model';

function run(id: string, problem: string, state = 'finished'): IRun {
  const report = { run: id, state, problem: { id: problem } };
  return { id, report } as unknown as IRun;
}

/** A model of a notebook with those runs, newest first. */
function model(runs: IRun[], front: object | null = null) {
  const changed = new Signal<object, void>({});
  const history = { runs, changed };
  const panel = new PanelModel({
    tracker: {
      currentWidget: front,
      currentChanged: new Signal({})
    } as unknown as INotebookTracker,
    link: new KernelLink(),
    history: history as unknown as IReportHistory,
    catalogue: new Catalogue(),
    preferences: new PreferenceStore(null, ''),
    programs: null,
    insertDisabledReason: () => '',
    verifyDisabledReason: () => '',
    timeDisabledReason: () => ''
  });
  return { panel, history };
}

it('draws the name of the notebook in front, also when that is renamed', () => {
  const [before, after] = ['a.ipynb', 'b.ipynb'];
  const title = { label: before };
  const renamed = new Signal<object, void>(title);
  Object.assign(title, { changed: renamed });
  const { panel } = model([], { title, sessionContext: {} });
  const drawn = jest.fn();
  panel.stateChanged.connect(drawn);
  title.label = after;
  renamed.emit();
  expect(drawn).toHaveBeenCalledTimes(1);
  expect(panel.state.notebookName).toBe(after);
});

describe('PanelModel: what is compared', () => {
  const RUNS = [
    run('d', 'product'),
    run('c', 'leakyrelu', 'running'),
    run('b', 'leakyrelu'),
    run('a', 'leakyrelu')
  ];

  it('is a run and the newest other one of its problem that has ended', () => {
    const { panel } = model(RUNS);
    panel.compare('a');
    expect([...panel.state.compared].sort()).toEqual(['a', 'b']);
    panel.compare('d');
    expect(panel.state.compared).toEqual(['d']);
  });

  it('is two runs at most: the earliest choice gives way', () => {
    const { panel } = model(RUNS);
    for (const id of ['a', 'b', 'd']) {
      panel.toggleCompared(id);
    }
    expect(panel.state.compared).toEqual(['b', 'd']);
    panel.toggleCompared('b');
    expect(panel.state.compared).toEqual(['d']);
  });

  it('is forgotten with the run', () => {
    const { panel, history } = model(RUNS);
    panel.compare('a');
    history.runs = [];
    history.changed.emit();
    expect(panel.state.compared).toEqual([]);
  });
});
