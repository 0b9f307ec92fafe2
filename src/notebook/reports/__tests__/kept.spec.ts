import { createHash } from 'crypto';

import { ICodeCellModel } from '@jupyterlab/cells';
import { NotebookPanel } from '@jupyterlab/notebook';

import { FakeSession } from '../../../kernel/__tests__/fakeSession';
import { REPORT_MIME } from '../../../model';
import { fixture as report, recorded } from '../../../model/__tests__/recorded';
import { HeldReports } from '../heldReports';
import { NotebookRuns } from '../runs';
import { ITestCell, openNotebook, output } from '../../__tests__/notebook';

/** A recorded report with changes, as its output holds it. */
function fixture(name: string, changes: object = {}): { run: string } {
  return { run: '', ...report(name), ...changes };
}

describe('NotebookRuns: what is kept', () => {
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
    runs = new NotebookRuns(panel);
    await Promise.resolve();
    await Promise.resolve();
  }

  /** The kernel publishes a report. */
  function publish(report: unknown): void {
    session.iopubMessage.emit({
      header: { msg_type: 'display_data' },
      parent_header: {},
      content: {
        data: { [REPORT_MIME]: report, 'text/plain': 'report' },
        metadata: {}
      }
    });
  }

  it('deletes a run with its output, and puts it back', async () => {
    await open([
      {
        source: 'a',
        outputs: [
          { output_type: 'stream', name: 'stdout', text: 'kept' },
          output(fixture('pass')),
          output(fixture('wrong-result'))
        ]
      }
    ]);
    const saved = () => panel.model!.cells.get(0).sharedModel.toJSON().outputs;
    const before = saved();
    const [, older] = runs.runs;
    const undo = runs.remove(older!);
    expect(runs.runs).toHaveLength(1);
    expect(saved()).toHaveLength(2);
    undo();
    expect(saved()).toEqual(before);
    expect(runs.runs.map(({ number }) => number)).toEqual([2, 1]);
  });

  it('takes nothing from a cell that ran again meanwhile', async () => {
    await open([{ source: 'a', outputs: [output(fixture('pass'))] }]);
    const { outputs } = panel.model!.cells.get(0) as ICodeCellModel;
    const held = new HeldReports(panel, () => undefined);
    const [found] = held.all();
    outputs.fromJSON([
      { output_type: 'stream', name: 'stdout', text: 'later' }
    ]);
    held.remove(found!)();
    expect(outputs.toJSON()).toMatchObject([{ text: 'later' }]);
  });

  it('deletes a run that no cell shows, and puts it back', async () => {
    await open([]);
    publish(fixture('pass'));
    const undo = runs.remove(runs.runs[0]!);
    expect(runs.runs).toEqual([]);
    undo();
    expect(runs.runs).toHaveLength(1);
  });

  it('keeps the numbers of the other runs when one goes', async () => {
    await open([]);
    for (const [n, name] of ['a', 'b', 'c'].entries()) {
      const created = `2026-01-0${n + 1}T00:00:00Z`;
      publish(fixture('pass', { run: `kg-${name}`, created }));
    }
    runs.remove(runs.runs[1]!);
    publish(fixture('pass', { run: 'kg-d', created: '2026-02-01T00:00:00Z' }));
    expect(runs.runs.map(({ number }) => number)).toEqual([4, 3, 1]);
  });

  it('knows the program of a run after its cell has changed', async () => {
    const source = 'class ModelNew: pass';
    const hash = createHash('sha256').update(source).digest('hex');
    const candidate = {
      ...recorded('pass').candidate,
      cell_id: 'program',
      source_sha256: hash
    };
    await open([
      {
        id: 'program',
        source,
        outputs: [output(fixture('pass', { candidate }))]
      }
    ]);
    panel.model!.cells.get(0).sharedModel.setSource('another');
    jest.advanceTimersByTime(1000);
    expect(runs.runs[0]?.isStale).toBe(true);
    expect(await runs.programOf(runs.runs[0]!, null)).toBe(source);
  });

  it('knows the program of a run of the catalogue, and takes no other for it', async () => {
    const program = 'ours';
    const hash = createHash('sha256').update(program).digest('hex');
    const candidate = {
      ...recorded('pass').candidate,
      cell_id: null,
      source_sha256: hash
    };
    await open([]);
    publish(fixture('pass', { candidate }));
    const [run] = runs.runs;
    expect(await runs.programOf(run!, async () => program)).toBe(program);
    expect(await runs.programOf(run!, async () => 'newer')).toBeNull();
  });
});
