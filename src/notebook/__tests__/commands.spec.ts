import { Notification } from '@jupyterlab/apputils';
import { nullTranslator } from '@jupyterlab/translation';

import { H200 } from '../../kernel/__tests__/fakeSession';
import { sha256 } from '../../model';
import { IRun } from '../../tokens';
import { CommandIDs } from '../../tokens/commandIds';
import { verifyDisabledReason } from '../../kernel/disabledReason';
import { lab } from './lab';
import { sources } from './notebook';
import { recorded } from '../../model/__tests__/recorded';

describe('kernelgate:verify', () => {
  it('hands a program over once, however often it is asked meanwhile', async () => {
    const { commands, content, session } = lab([
      { source: 'class ModelNew: 1', mark: { operator: 'leakyrelu' } }
    ]);
    const all = [1, 2, 3].map(() => commands.execute(CommandIDs.verify));
    while (session.asked.length === 0) {
      await new Promise(resolve => setTimeout(resolve));
    }
    await session.raise(0, 'ValueError');
    await Promise.all(all);
    expect(session.asked).toHaveLength(1);
    expect(sources(content)).toHaveLength(1);
  });

  it('offers to insert a program where there is none, in sight', async () => {
    const warning = jest.spyOn(Notification, 'warning');
    const { commands, content } = lab([{ source: 'x = 1' }]);
    await commands.execute(CommandIDs.verify, { operator: 'leakyrelu' });
    const [words, options] = warning.mock.calls.pop()!;
    expect(words).toContain('There is no program for LeakyReLU here');
    // Without it, Lab only counts the message in its status bar.
    expect(options?.autoClose).toBeGreaterThan(0);
    const insert = options?.actions?.[0];
    expect(insert?.label).toBe('Insert LeakyReLU');
    insert?.callback({} as MouseEvent);
    await new Promise(resolve => setTimeout(resolve));
    expect(sources(content)[1]).toContain('class ModelNew');
  });

  it('says what to do where the cell has no program', async () => {
    const warning = jest.spyOn(Notification, 'warning');
    const { commands, session } = lab([{ source: 'x = 1' }]);
    await commands.execute(CommandIDs.verify);
    expect(warning.mock.calls[0]?.[0]).toContain('defines no ModelNew');
    expect(session.asked).toHaveLength(0);
  });

  it('refuses an unknown operator', async () => {
    const { commands } = lab([{ source: 'class ModelNew: 1' }]);
    await expect(
      commands.execute(CommandIDs.verify, { operator: 'softmax' })
    ).rejects.toThrow('takes the id of an operator');
  });

  it('waits for the running cell, and says so', () => {
    const { commands, session } = lab([{ source: 'class ModelNew: 1' }]);
    expect(commands.isEnabled(CommandIDs.verify)).toBe(true);
    session.setStatus('busy');
    expect(commands.isEnabled(CommandIDs.verify)).toBe(false);
    expect(commands.caption(CommandIDs.verify)).toBe(
      'Waits for the running cell'
    );
  });

  it('offers the install cell where the package is missing', async () => {
    const error = jest.spyOn(Notification, 'error');
    const { commands, session } = lab([
      { source: 'class ModelNew: 1', mark: { operator: 'leakyrelu' } }
    ]);
    const done = commands.execute(CommandIDs.verify);
    while (session.asked.length === 0) {
      await new Promise(resolve => setTimeout(resolve));
    }
    await session.raise(0, 'ModuleNotFoundError');
    await done;
    expect(error.mock.calls[0]?.[0]).toContain('package is missing');
    expect(error.mock.calls[0]?.[1]?.actions?.[0]?.label).toBe(
      'Insert install cell'
    );
  });
});

describe('kernelgate:reveal-run and kernelgate:interrupt', () => {
  const report = { run: 'kg-1' } as IRun['report'];
  const runs = [{ report, isRunning: true, cell: { id: 'two', prompt: 2 } }];
  const cells = [
    { id: 'one', source: '1' },
    { id: 'two', source: '2' }
  ];

  it('goes to the cell that shows the run', async () => {
    const { commands, content } = lab(cells, runs);
    const answer = commands.execute(CommandIDs.revealRun, { run: 'kg-1' });
    expect(await answer).toEqual({ run: 'kg-1' });
    expect(content.activeCellIndex).toBe(1);
  });

  it('goes nowhere for an unknown run', async () => {
    const { commands, content } = lab(cells, runs);
    const answer = commands.execute(CommandIDs.revealRun, { run: 'kg-2' });
    expect(await answer).toBeNull();
    expect(content.activeCellIndex).toBe(0);
  });

  it('interrupts the kernel of the run, and of no unknown one', async () => {
    const { commands, session } = lab(cells, runs);
    await commands.execute(CommandIDs.interrupt, { run: 'kg-2' });
    expect(session.kernel.interrupt).not.toHaveBeenCalled();
    await commands.execute(CommandIDs.interrupt, { run: 'kg-1' });
    expect(session.kernel.interrupt).toHaveBeenCalledTimes(1);
  });
});

describe('kernelgate:insert-fix', () => {
  const cells = [
    { id: 'one', source: 'print()' },
    { id: 'two', source: 'm = load_inline("m", cpp_sources="")\nm.f' }
  ];
  const report = {
    run: 'kg-1',
    candidate: { cell_id: 'two', source_sha256: sha256(cells[1]!.source) },
    failure: {
      fix: 'int f();',
      edit: { line: 1, column: 34, text: 'int f();', replaces: 0 }
    }
  } as IRun['report'];
  const FIXED = 'm = load_inline("m", cpp_sources="int f();")\nm.f';

  it('writes the fix into the cell, goes there, and one undo takes it back', async () => {
    const { commands, content } = lab(cells, [{ report, isStale: false }]);
    await commands.execute(CommandIDs.insertFix, { run: 'kg-1' });
    expect(sources(content)).toEqual(['print()', FIXED]);
    expect(content.activeCellIndex).toBe(1);
    expect(content.mode).toBe('edit');
    content.activeCell!.model.sharedModel.undo();
    expect(sources(content)[1]).toBe(cells[1]!.source);
  });

  it('leaves a cell alone that was edited since, and says so', async () => {
    const warning = jest.spyOn(Notification, 'warning');
    const { commands, content } = lab(cells, [{ report }]);
    const edited = `${cells[1]!.source}()`;
    content.widgets[1]!.model.sharedModel.setSource(edited);
    await commands.execute(CommandIDs.insertFix, { run: 'kg-1' });
    expect(sources(content)[1]).toBe(edited);
    expect(warning.mock.calls.pop()?.[0]).toContain('edited after this report');
  });

  it('leaves a cell alone where the report shows another fix, and says so', async () => {
    const warning = jest.spyOn(Notification, 'warning');
    const failure = { ...report.failure, fix: 'int g();' };
    const { commands, content } = lab(cells, [
      { report: { ...report, failure } as IRun['report'] }
    ]);
    await commands.execute(CommandIDs.insertFix, { run: 'kg-1' });
    expect(sources(content)[1]).toBe(cells[1]!.source);
    expect(warning.mock.calls.pop()?.[0]).toContain('not inserted');
  });

  it('does nothing for a run that it does not know, or that has no fix', async () => {
    const plain = { ...report, run: 'kg-2', failure: null };
    const { commands, content } = lab(cells, [
      { report: plain, isStale: false }
    ]);
    await commands.execute(CommandIDs.insertFix, { run: 'kg-1' });
    await commands.execute(CommandIDs.insertFix, { run: 'kg-2' });
    expect(sources(content)[1]).toBe(cells[1]!.source);
  });
});

describe('kernelgate:insert-failing-case', () => {
  const cells = [
    { id: 'one', source: '1' },
    { id: '3f2a91c0', source: 'class ModelNew: 1' },
    { id: 'three', source: '3' }
  ];
  const report = recorded('wrong-result');

  it('inserts one cell below the one that was judged, also where that was edited since', async () => {
    const { commands, content, session } = lab(cells, [
      { report, isStale: true }
    ]);
    await commands.execute(CommandIDs.insertFailingCase, { run: report.run });
    expect(sources(content)).toHaveLength(4);
    expect(sources(content)[2]).toContain('kernelgate.draw_case(');
    expect(content.activeCellIndex).toBe(2);
    expect(session.asked).toHaveLength(0);
  });

  it('inserts nothing where that cell is gone, and says so', async () => {
    const warning = jest.spyOn(Notification, 'warning');
    const { commands, content } = lab(cells.slice(0, 1), [{ report }]);
    await commands.execute(CommandIDs.insertFailingCase, { run: report.run });
    expect(sources(content)).toEqual(['1']);
    expect(warning.mock.calls.pop()?.[0]).toContain('no longer in');
  });

  it('inserts nothing for a run that it does not know, or whose failure is no case', async () => {
    const plain = { ...report, run: 'kg-2', failure: null };
    const { commands, content } = lab(cells, [{ report: plain }]);
    await commands.execute(CommandIDs.insertFailingCase, { run: report.run });
    await commands.execute(CommandIDs.insertFailingCase, { run: 'kg-2' });
    expect(sources(content)).toHaveLength(3);
  });
});

describe('kernelgate:benchmark and kernelgate:profile', () => {
  it('need a GPU, and say so; verify does not', async () => {
    const { commands, link, session } = lab([{ source: 'class ModelNew: 1' }]);
    link.refresh();
    const device = { ...H200.device, kind: 'emulated' };
    await session.answer(0, { ...H200, device });
    for (const id of [CommandIDs.benchmark, CommandIDs.profile]) {
      expect(commands.isEnabled(id)).toBe(false);
      expect(commands.caption(id)).toBe('Needs a GPU');
    }
    expect(commands.isEnabled(CommandIDs.verify)).toBe(true);
  });

  it('are named after what they do', () => {
    const { commands } = lab(null);
    const args = { operator: 'leakyrelu' };
    expect(commands.label(CommandIDs.benchmark, args)).toBe(
      'Benchmark LeakyReLU'
    );
    expect(commands.label(CommandIDs.profile)).toBe('Profile program in cell');
  });
});

describe('in a kernel that cannot check', () => {
  it('of another language: offers neither Insert nor Verify, and says why', () => {
    const { commands, link, session } = lab([{ source: 'class ModelNew: 1' }]);
    session.kernel.name = 'ir';
    session.kernelChanged.emit(null);
    link.refresh();
    expect(session.asked).toHaveLength(0);
    const args = { operator: 'leakyrelu' };
    for (const id of [CommandIDs.insert, CommandIDs.verify]) {
      expect(commands.isEnabled(id, args)).toBe(false);
      expect(commands.caption(id, args)).toContain('This kernel runs R');
    }
  });

  it('without torch: does not offer Verify, and says why', async () => {
    const { commands, link, session } = lab([{ source: 'class ModelNew: 1' }]);
    link.refresh();
    expect(commands.isEnabled(CommandIDs.verify)).toBe(false);
    expect(commands.caption(CommandIDs.verify)).toContain('Waits for');
    await session.answer(0, { ...H200, torch: null });
    expect(commands.isEnabled(CommandIDs.verify)).toBe(false);
    expect(commands.caption(CommandIDs.verify)).toContain('PyTorch is not');
    const args = { operator: 'leakyrelu' };
    expect(commands.isEnabled(CommandIDs.insert, args)).toBe(true);
  });
});

describe('verifyDisabledReason', () => {
  it('has a reason where the kernel has no device', async () => {
    const { link, session } = lab([{ source: '' }]);
    link.refresh();
    const device = { ...H200.device, kind: 'none' };
    await session.answer(0, { ...H200, device });
    expect(verifyDisabledReason(link.state, false, nullTranslator)).toContain(
      'Nothing can be checked'
    );
  });
});
