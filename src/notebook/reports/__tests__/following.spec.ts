import { ICodeCellModel } from '@jupyterlab/cells';
import { NotebookPanel } from '@jupyterlab/notebook';

import { REPORT_MIME } from '../../../model';
import { recorded } from '../../../model/__tests__/recorded';
import { openNotebook, output } from '../../__tests__/notebook';
import { OutputFollower } from '../following';
import { HeldReports } from '../heldReports';

/** A notebook that pages share, with these reports in its cell, and what follows its runs. */
function shareNotebook(reports: readonly unknown[], clientID = 1) {
  const { model } = openNotebook([
    { source: 'a', outputs: reports.map(output) }
  ]);
  Object.defineProperty(model, 'collaborative', { value: true });
  Object.defineProperty(model!.sharedModel, 'awareness', {
    value: { clientID, getStates: () => new Map([[2, { user: {} }]]) }
  });
  const panel = { model } as NotebookPanel;
  const held = new HeldReports(panel, () => undefined);
  const caughtUp = jest.fn();
  const follower = new OutputFollower(panel, held, caughtUp);
  const cell = model!.cells.get(0) as ICodeCellModel;
  const dispose = () => {
    follower.dispose();
    held.dispose();
  };
  return { cell, follower, caughtUp, dispose };
}

/** What the outputs of a cell show, and what other pages have of it. */
const states = ({ outputs, sharedModel }: ICodeCellModel) =>
  [outputs.toJSON(), sharedModel.getOutputs()].map(list =>
    list.map(one => {
      const data = one.data as Record<string, { state: string } | undefined>;
      return data[REPORT_MIME]?.state;
    })
  );

/** An output that another page or the server adds. */
function addToShared({ sharedModel }: ICodeCellModel, report: unknown): void {
  const end = sharedModel.getOutputs().length;
  sharedModel.updateOutputs(end, end, [output(report)]);
}

const twice = (list: readonly string[]) => [list, list];

describe('OutputFollower, of a notebook that two pages share', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it.each([
    ['writes what nobody has written', 1, 'finished'],
    ['leaves it to the other page', 3, 'running']
  ])('%s', (_, clientID, state) => {
    const { cell, follower, caughtUp, dispose } = shareNotebook(
      [recorded('running')],
      clientID
    );
    const { run } = recorded('running');
    const report = { ...recorded('pass'), run };

    follower.follow(report, { [REPORT_MIME]: report as never });
    expect(follower.isBehind(run)).toBe(true);
    jest.advanceTimersByTime(2000);

    expect(states(cell)).toEqual(twice([state]));
    expect(follower.isBehind(run)).toBe(false);
    expect(caughtUp).toHaveBeenCalledTimes(1);
    dispose();
  });

  const running = recorded('running');
  const { run } = running;
  const further = { ...running, elapsed_s: running.elapsed_s + 1 };
  const finished = { ...recorded('pass'), run };
  const another = { ...recorded('pass'), run: `${run}-other` };

  it.each([
    [
      'keeps the last where the server adds one for each update',
      [further, finished],
      ['finished']
    ],
    [
      'keeps one where the server is late and the page has written it',
      [finished, finished],
      ['finished']
    ],
    [
      'leaves other runs of the cell alone',
      [another, finished],
      ['finished', 'finished']
    ]
  ])('%s', async (_, added, expected) => {
    const { cell, follower, dispose } = shareNotebook([running]);
    for (const report of added) {
      follower.follow(report, { [REPORT_MIME]: report as never });
      addToShared(cell, report);
      await Promise.resolve();
    }
    expect(states(cell)).toEqual(twice(expected));
    dispose();
  });

  it('takes out what is replaced also where the kernel is heard later than the server', async () => {
    const { cell, follower, dispose } = shareNotebook([running, further]);
    follower.follow(further, { [REPORT_MIME]: further as never });
    await Promise.resolve();
    expect(states(cell)).toEqual(twice(['running']));
    dispose();
  });

  it('changes nothing of a run that no kernel has spoken of', async () => {
    const { cell, follower, dispose } = shareNotebook([running, further]);
    follower.follow(another, { [REPORT_MIME]: another as never });
    addToShared(cell, finished);
    await Promise.resolve();
    jest.advanceTimersByTime(2000);
    expect(states(cell)).toEqual(twice(['running', 'running', 'finished']));
    dispose();
  });
});
