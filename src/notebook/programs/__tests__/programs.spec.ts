/** The bars below programs, in a notebook as a person edits it. */

import { JupyterFrontEnd } from '@jupyterlab/application';
import { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import { nullTranslator } from '@jupyterlab/translation';
import { CommandRegistry } from '@lumino/commands';
import { Signal } from '@lumino/signaling';

import { Catalogue } from '../../../catalogue/catalogue';
import { KernelLink } from '../../../kernel/link';
import { IReportHistory } from '../../../tokens';
import { languages } from '../../__tests__/languages';
import { openNotebook } from '../../__tests__/notebook';
import { ICommandContext } from '../../commandContext';
import { DEFAULTS } from '../../preferences';
import { loadPrograms } from '../programs';

const PROGRAM = 'class ModelNew(nn.Module):\n  pass';

async function open(texts: readonly string[], active: number) {
  const content = openNotebook(
    texts.map((source, n) => ({ id: `c${n}`, source })),
    active
  );
  const panel = { id: 'n', content } as unknown as NotebookPanel;
  Object.assign(panel, { disposed: new Signal(panel) });
  const tracker = {
    currentWidget: panel,
    forEach: (act: (one: NotebookPanel) => void) => act(panel),
    widgetAdded: new Signal(panel),
    activeCellChanged: new Signal(panel)
  };
  const context = {
    app: { commands: new CommandRegistry() } as JupyterFrontEnd,
    tracker: tracker as unknown as INotebookTracker,
    catalogue: new Catalogue(),
    link: new KernelLink(),
    history: {} as IReportHistory,
    preferences: () => DEFAULTS,
    languages: languages(),
    translator: nullTranslator
  } as unknown as ICommandContext;
  for (const name of ['verify', 'benchmark']) {
    context.app.commands.addCommand(`kernelgate:${name}`, {
      execute: () => undefined
    });
  }
  const programs = await loadPrograms(context);
  const drawn = () => new Promise(resolve => programs.changed.connect(resolve));
  await drawn();
  return { content, programs, drawn };
}

describe('Programs', () => {
  it('knows what the active cell is checked against, and takes another word', async () => {
    const { content, programs } = await open(
      ['class Model: pass', PROGRAM, 'x = 1'],
      1
    );
    expect(programs.current).toMatchObject({ cellId: 'c1', chosen: 'cell:c0' });
    programs.choose('c1', 'leakyrelu');
    await Promise.resolve();
    expect(programs.current?.chosen).toBe('leakyrelu');
    programs.set('c1', { rtol: 0.5 });
    programs.set('c1', { atol: 0.25 });
    expect(programs.current?.options).toMatchObject({ rtol: 0.5, atol: 0.25 });
    content.activeCellIndex = 2;
    expect(programs.current).toBeNull();
    content.dispose();
  });

  it('draws a bar below each program, which comes and goes with it', async () => {
    const { content, drawn } = await open([PROGRAM, 'x = 1'], 0);
    const bars = () =>
      content.widgets.map(
        cell =>
          cell.node.querySelectorAll('kernelgate-bar, .jp-KernelBar').length > 0
      );
    await content.widgets[0]!.ready;
    expect(bars()).toEqual([true, false]);
    content.widgets[1]!.model.sharedModel.setSource(PROGRAM);
    content.widgets[0]!.model.sharedModel.setSource('x = 1');
    await drawn();
    await content.widgets[1]!.ready;
    expect(bars()).toEqual([false, true]);
    content.dispose();
  });
});
