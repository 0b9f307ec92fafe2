import { createHash } from 'crypto';

import { ICodeCellModel } from '@jupyterlab/cells';
import { NotebookPanel } from '@jupyterlab/notebook';

import { FakeSession } from '../../../kernel/__tests__/fakeSession';
import { IReport, REPORT_MIME, reportBus } from '../../../model';
import { fixture as report } from '../../../model/__tests__/recorded';
import { NotebookRuns } from '../runs';
import { ITestCell, openNotebook, output } from '../../__tests__/notebook';

/** A recorded report with changes, as its output holds it. */
function fixture(name: string, changes: object = {}): { run: string } {
  return { run: '', ...report(name), ...changes };
}

describe('NotebookRuns', () => {
  let session: FakeSession;
  let runs: NotebookRuns;
  let panel: NotebookPanel;

  beforeEach(() => {
    jest.useFakeTimers();
    session = new FakeSession();
  });

  afterEach(() => {
    runs.dispose();
    jest.useRealTimers();
  });

  async function open(cells: ITestCell[]): Promise<void> {
    const { model } = openNotebook(cells);
    panel = {
      sessionContext: session.context,
      context: { ready: Promise.resolve() },
      model
    } as unknown as NotebookPanel;
    runs = new NotebookRuns(panel, client => client === 'another notebook');
    await Promise.resolve();
    await Promise.resolve();
  }

  /** The kernel publishes a report. */
  function publish(
    report: unknown,
    msg_type = 'display_data',
    client = 'this page'
  ): void {
    session.iopubMessage.emit({
      header: { msg_type },
      parent_header: { session: client },
      content: {
        data: { [REPORT_MIME]: report, 'text/plain': 'report' },
        metadata: {}
      }
    });
  }

  /** The data of an output of a cell. */
  function dataOf(cell: number, n = 0) {
    const model = panel.model!.cells.get(cell) as ICodeCellModel;
    return model.outputs.get(n);
  }

  function summary() {
    return runs.runs.map(({ report, isRunning, cell }) => [
      report.run,
      report.state,
      isRunning,
      cell?.prompt ?? null
    ]);
  }

  it('reads the saved outputs, newest first, with their cells', async () => {
    await open([
      {
        source: 'a',
        outputs: [output(fixture('pass', { created: '2026-01-01T00:00:00Z' }))]
      },
      {
        id: 'newer',
        source: 'b',
        outputs: [
          output(fixture('wrong-result', { created: '2026-02-01T00:00:00Z' }))
        ]
      }
    ]);
    expect(runs.runs.map(({ report }) => report.verdict?.kind)).toEqual([
      'wrong',
      'pass'
    ]);
    expect(runs.runs[0]?.cell).toEqual({ id: 'newer', prompt: 7 });
  });

  it('passes over what is no report', async () => {
    await open([
      {
        source: 'a',
        outputs: [
          output('text'),
          output(null),
          output({ run: 'kg-1' }),
          output(fixture('pass', { run: '<script>' })),
          output(fixture('unknown-version'))
        ]
      }
    ]);
    expect(runs.runs).toHaveLength(0);
    publish({ run: 'kg-1', schema: 1 });
    publish(undefined);
    expect(runs.runs).toHaveLength(0);
  });

  it('keeps the object of each run of which nothing changed', async () => {
    const saved = (run: string, elapsed_s: number) =>
      output(
        fixture('pass', { run, elapsed_s, created: `2026-01-0${run.at(-1)}` })
      );
    await open([
      { source: 'a', outputs: [saved('kg-2', 1), saved('kg-1', 1)] }
    ]);
    const before = [...runs.runs];
    expect(before.map(({ report }) => report.run)).toEqual(['kg-2', 'kg-1']);

    const { data } = saved('kg-1', 2) as unknown as { data: never };
    dataOf(0, 1).setData({ data });
    jest.advanceTimersByTime(1000);

    expect(runs.runs[0]).toBe(before[0]);
    expect(runs.runs[1]).not.toBe(before[1]);
    expect(runs.runs[1]?.report.elapsed_s).toBe(2);
  });

  it('takes a saved run that never ended for no running one', async () => {
    await open([{ source: 'a', outputs: [output(fixture('running'))] }]);
    expect(summary()).toEqual([['kg-0005', 'running', false, 7]]);
  });

  it('follows a run that the kernel publishes', async () => {
    await open([]);
    publish(fixture('running', { run: 'kg-9' }));
    expect(summary()).toEqual([['kg-9', 'running', true, null]]);
    publish(fixture('pass', { run: 'kg-9' }), 'update_display_data');
    expect(summary()).toEqual([['kg-9', 'finished', false, null]]);
  });

  it('keeps the live report of a run whose output is older, and says so once', async () => {
    await open([{ source: 'a', outputs: [output(fixture('running'))] }]);
    const changed = jest.fn();
    runs.changed.connect(changed);
    publish(fixture('pass', { run: 'kg-0005' }));
    jest.advanceTimersByTime(1000);
    expect(summary()).toEqual([['kg-0005', 'finished', false, 7]]);
    expect(changed).toHaveBeenCalledTimes(1);
  });

  it.each(['restarting', 'dead'] as const)(
    'ends its runs when the kernel is %s',
    async status => {
      await open([]);
      publish(fixture('running'));
      session.setStatus(status);
      expect(summary()).toEqual([['kg-0005', 'running', false, null]]);
    }
  );

  it.each([
    ['idle', true],
    ['dead', true],
    ['busy', false],
    ['unknown', false]
  ] as const)(
    'gives a saved run without an end up when the kernel is %s: %s',
    async (status, isLost) => {
      const run = `kg-saved-${status}`;
      session.kernel.status = status;
      await open([
        { source: 'a', outputs: [output(fixture('running', { run }))] }
      ]);
      expect(runs.stateOf(dataOf(0))?.isLost).toBe(isLost);
    }
  );

  it('gives a run up when its kernel restarts, and not while it goes on', async () => {
    await open([{ source: 'a', outputs: [output(fixture('running'))] }]);
    session.setStatus('busy');
    publish(fixture('running', { elapsed_s: 99 }));
    const isLost = () => runs.stateOf(dataOf(0))?.isLost;
    expect(isLost()).toBe(false);
    const told = jest.fn();
    reportBus.stateChanged.connect(told);
    session.setStatus('restarting');
    expect(isLost()).toBe(true);
    expect(told).toHaveBeenCalledWith(reportBus, dataOf(0));
    reportBus.stateChanged.disconnect(told);
    publish(fixture('running', { elapsed_s: 100 }));
    expect(isLost()).toBe(false);
  });

  it('does not draw a run as going on while its server is gone', async () => {
    await open([{ source: 'a', outputs: [output(fixture('running'))] }]);
    session.setStatus('busy');
    expect(runs.runs[0]?.heardAt).toBeNull(); // the file alone has it
    publish(fixture('running', { elapsed_s: 99 }));
    expect(runs.stateOf(dataOf(0))?.heardAt).toBeGreaterThan(0);
    expect(runs.runs[0]).toMatchObject({ isRunning: true, isUnheard: false });
    runs.isReachable = false;
    expect(runs.runs[0]).toMatchObject({ isRunning: false, isUnheard: true });
    expect(runs.stateOf(dataOf(0))).toMatchObject({
      isLost: false,
      isUnheard: true
    });
    runs.isReachable = true;
    expect(runs.stateOf(dataOf(0))).toMatchObject({ isUnheard: false });
    publish(fixture('running', { elapsed_s: 100 }));
    expect(runs.runs[0]).toMatchObject({ isRunning: true });
  });

  it('gives a run up that ended while its server was gone', async () => {
    await open([{ source: 'a', outputs: [output(fixture('running'))] }]);
    session.setStatus('busy');
    publish(fixture('running', { elapsed_s: 99 }));
    runs.isReachable = false;
    session.setStatus('idle');
    runs.isReachable = true;
    expect(runs.stateOf(dataOf(0))?.isLost).toBe(true);
  });

  describe('calls a run stale', () => {
    const SOURCE = '%%leakyrelu_cuda\nclass ModelNew: pass';

    /** A notebook whose second cell shows a run of that text of the first. */
    async function openWithRun(text: string): Promise<void> {
      const candidate = {
        ...(fixture('pass') as unknown as IReport).candidate,
        cell_id: 'program',
        source_sha256: createHash('sha256').update(text).digest('hex')
      };
      const outputs = [output(fixture('pass', { run: 'kg-old', candidate }))];
      await open([
        { id: 'program', source: SOURCE },
        { source: 'kernelgate.verify()', outputs }
      ]);
    }

    function edit(source: string): void {
      panel.model!.cells.get(0).sharedModel.setSource(source);
      jest.advanceTimersByTime(1000);
    }

    const isStale = () => runs.runs[0]?.isStale;

    it('while its cell reads otherwise, and tells who draws it', async () => {
      await openWithRun(SOURCE);
      expect(isStale()).toBe(false);
      edit('class ModelNew: 1');
      expect(isStale()).toBe(true);
      expect(runs.stateOf(dataOf(1))?.isStale).toBe(true);
      edit(SOURCE);
      expect(isStale()).toBe(false);
      expect(runs.stateOf(dataOf(1))?.isStale).toBe(false);
    });

    it.each([
      ['the whole cell', SOURCE],
      ['the body of its magic', 'class ModelNew: pass\n']
    ])('not where it was given %s', async (_, text) => {
      await openWithRun(text);
      expect(isStale()).toBe(false);
    });

    it('as soon as the notebook is opened', async () => {
      await openWithRun('class ModelNew: something else');
      expect(isStale()).toBe(true);
    });

    it('not for a keystroke in a cell that is not its program', async () => {
      await openWithRun(SOURCE);
      const said = jest.fn();
      runs.changed.connect(said);
      panel.model!.cells.get(1).sharedModel.setSource('kernelgate.verify( )');
      jest.advanceTimersByTime(1000);
      expect(isStale()).toBe(false);
      expect(said).not.toHaveBeenCalled();
    });
  });

  describe('writes what the kernel publishes', () => {
    const finished = () => fixture('pass', { run: 'kg-0005' });
    const stateOf = (n: number) =>
      (dataOf(n).data[REPORT_MIME] as unknown as IReport).state;

    it('to an output that shows the run as going on, unless another page that shares the notebook does', async () => {
      await open([{ source: 'a', outputs: [output(fixture('running'))] }]);
      publish(finished(), 'update_display_data');
      expect(stateOf(0)).toBe('finished');
      expect(dataOf(0).data['text/plain']).toBe('report');
      await open([{ source: 'a', outputs: [output(fixture('running'))] }]);
      Object.defineProperty(panel.model, 'collaborative', { value: true });
      publish(finished(), 'update_display_data');
      expect(stateOf(0)).toBe('running');
      // Nobody else has written it.
      jest.advanceTimersByTime(2000);
      expect(stateOf(0)).toBe('finished');
    });

    it('to every copy of it in the notebook, and to no other run', async () => {
      const other = fixture('running', { run: 'kg-6' });
      await open(
        [fixture('running'), other, fixture('running')].map(report => ({
          source: 'a',
          outputs: [output(report)]
        }))
      );
      publish(finished());
      expect([0, 1, 2].map(stateOf)).toEqual([
        'finished',
        'running',
        'finished'
      ]);
    });

    it('not to a report that has ended, whatever its id', async () => {
      const wrong = fixture('wrong-result', { run: 'kg-0005' });
      await open([{ source: 'a', outputs: [output(wrong)] }]);
      const before = dataOf(0).toJSON();
      publish(finished());
      publish(fixture('running'));
      expect(dataOf(0).toJSON()).toEqual(before);
      expect(runs.runs.map(({ report }) => report.verdict?.kind)).toEqual([
        'wrong'
      ]);
    });

    it('not where another notebook asked the kernel, and lists no run of it', async () => {
      await open([{ source: 'a', outputs: [output(fixture('running'))] }]);
      publish(finished(), 'display_data', 'another notebook');
      publish(fixture('pass'), 'display_data', 'another notebook');
      expect(stateOf(0)).toBe('running');
      expect(runs.runs).toHaveLength(1);
    });

    it('nothing but the report and its texts', async () => {
      await open([{ source: 'a', outputs: [output(fixture('running'))] }]);
      session.iopubMessage.emit({
        header: { msg_type: 'display_data' },
        parent_header: {},
        content: {
          data: {
            [REPORT_MIME]: finished(),
            'application/javascript': 'alert(1)'
          }
        }
      });
      expect(stateOf(0)).toBe('finished');
      expect(dataOf(0).data['application/javascript']).toBeUndefined();
    });

    it('once where the output shows it already', async () => {
      await open([{ source: 'a', outputs: [output(fixture('running'))] }]);
      const changed = jest.fn();
      dataOf(0).changed.connect(changed);
      publish(fixture('running'));
      expect(changed).not.toHaveBeenCalled();
    });
  });

  it('tells reports of one id apart by the outputs that hold them', async () => {
    const same = (name: string) => output(fixture(name, { run: 'kg-1' }));
    await open([
      { id: 'one', source: 'a', outputs: [same('pass'), same('wrong-result')] },
      { id: 'two', source: 'b', outputs: [same('pass')] }
    ]);
    expect(new Set(runs.runs.map(({ id }) => id)).size).toBe(3);
    expect(runs.holding(dataOf(0, 1))).toMatchObject({
      report: { verdict: { kind: 'wrong' } },
      cell: { id: 'one' }
    });
    expect(runs.holding(dataOf(1))?.cell?.id).toBe('two');
    expect(runs.holding({ data: dataOf(0).data })).toBeNull();
  });

  it('keeps every run that the notebook holds, and a hundred others', async () => {
    await open(
      Array.from({ length: 120 }, (_, n) => ({
        source: 'a',
        outputs: [output(fixture('pass', { run: `kg-held-${n}` }))]
      }))
    );
    expect(runs.runs).toHaveLength(120);
    for (let n = 0; n < 110; n++) {
      const created = new Date(n * 1000).toISOString();
      publish(fixture('pass', { run: `kg-${n}`, created }));
    }
    expect(runs.runs).toHaveLength(220);
    expect(runs.holding(dataOf(119))?.report.run).toBe('kg-held-119');
  });
});
