import { ICodeCellModel } from '@jupyterlab/cells';
import { NotebookPanel } from '@jupyterlab/notebook';

import { REPORT_MIME } from '../../../model';
import { recorded } from '../../../model/__tests__/recorded';
import { openNotebook, output } from '../../__tests__/notebook';
import { OutputFollower } from '../following';
import { HeldReports } from '../heldReports';

describe('OutputFollower, of a notebook that two pages share', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it.each([
    ['writes what nobody has written', 1, 'finished'],
    ['leaves it to the other page', 3, 'running']
  ])('%s', (_, clientID, state) => {
    const { model } = openNotebook([
      { source: 'a', outputs: [output(recorded('running'))] }
    ]);
    Object.defineProperty(model, 'collaborative', { value: true });
    Object.defineProperty(model!.sharedModel, 'awareness', {
      value: { clientID, getStates: () => new Map([[2, { user: {} }]]) }
    });
    const panel = { model } as NotebookPanel;
    const held = new HeldReports(panel, () => undefined);
    const caughtUp = jest.fn();
    const follower = new OutputFollower(panel, held, caughtUp);
    const { run } = recorded('running');
    const report = { ...recorded('pass'), run };

    follower.follow(report, { [REPORT_MIME]: report as never });
    expect(follower.isBehind(run)).toBe(true);
    jest.advanceTimersByTime(2000);

    const { outputs } = model!.cells.get(0) as ICodeCellModel;
    expect(outputs.get(0).data[REPORT_MIME]).toMatchObject({ state });
    expect(follower.isBehind(run)).toBe(false);
    expect(caughtUp).toHaveBeenCalledTimes(1);
    follower.dispose();
    held.dispose();
  });
});
