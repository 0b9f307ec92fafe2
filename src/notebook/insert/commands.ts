/** The commands that put a cell into a notebook. None runs it. Each answers with JSON, null where it did nothing. */

import { Notification } from '@jupyterlab/apputils';
import { NotebookPanel } from '@jupyterlab/notebook';
import { ITranslator } from '@jupyterlab/translation';
import {
  ReadonlyJSONObject,
  ReadonlyPartialJSONObject
} from '@lumino/coreutils';

import { insertDisabledReason } from '../../kernel/disabledReason';
import { IOperator, PROGRAM_FORMS } from '../../tokens';
import { CommandIDs } from '../../tokens/commandIds';
import { operatorIcon } from '../../ui/icons';
import { argumentsOf, ICommandContext, idProperty } from '../commandContext';
import { TOAST_MS } from '../../ui/toast';
import { loadInsertion } from './program';
import { useSource } from './use';

export function addInsertCommands(context: ICommandContext): void {
  addInsert(context);
  addInsertInstallCell(context);
  addNewNotebook(context);
  addPasteAndVerify(context);
}

function addInsert(context: ICommandContext): void {
  const { tracker, catalogue, link, translator } = context;
  const { commands } = context.app;
  const trans = translator.load('jupyterlab_kernelgate');
  const disabledReason = () => insertDisabledReason(link.state, translator);
  const operatorOf = (args: ReadonlyPartialJSONObject) =>
    catalogue.get(args.operator);
  commands.addCommand(CommandIDs.insert, {
    label: args => {
      const operator = operatorOf(args);
      return operator
        ? trans.__('Insert optimized %1', operator.name)
        : trans.__('Insert optimized operator');
    },
    caption: args => {
      const operator = operatorOf(args);
      return (
        disabledReason() ||
        (operator
          ? // The toolbar's button may be its icon alone.
            trans.__('Insert %1: %2', operator.name, operator.summary)
          : '')
      );
    },
    icon: args => (args.isPalette ? undefined : operatorIcon),
    // On the items of menus and of the palette, for `near`.
    dataset: args => ({ operator: String(args.operator ?? '') }),
    describedBy: () => insertArguments(context),
    isEnabled: args =>
      disabledReason() === '' && Boolean(operatorOf(args)?.loadProgram),
    execute: async args => {
      const operator = operatorOf(args);
      if (!operator?.loadProgram) {
        throw new Error('kernelgate:insert takes the id of an operator');
      }
      const panel = tracker.currentWidget;
      return panel && insertProgram(panel, operator, context, args);
    }
  });
}

/** What the command takes. */
function insertArguments({ catalogue, translator }: ICommandContext) {
  const trans = translator.load('jupyterlab_kernelgate');
  const insertable = catalogue.operators
    .filter(({ loadProgram }) => loadProgram)
    .map(({ id }) => id);
  return argumentsOf(
    {
      operator: idProperty(
        trans.__('The id of an operator of the catalogue'),
        insertable
      ),
      form: {
        type: 'string',
        enum: [...PROGRAM_FORMS],
        description: trans.__('The form of the program')
      },
      parameters: {
        type: 'object',
        additionalProperties: { type: 'number' },
        description: trans.__(
          'Values for the constructor, by name; a cell below uses them'
        )
      }
    },
    ['operator']
  );
}

/** The cell names the bytes that it takes: whoever registers a name with a package index has no part in it. */
function addInsertInstallCell(context: ICommandContext): void {
  const { tracker, translator } = context;
  const { commands } = context.app;
  const trans = translator.load('jupyterlab_kernelgate');
  commands.addCommand(CommandIDs.insertInstallCell, {
    label: trans.__('Insert install cell'),
    caption: trans.__(
      'A cell that has this page send the kernelgate package to this kernel'
    ),
    describedBy: argumentsOf(),
    isEnabled: () => tracker.currentWidget !== null,
    execute: async () => {
      const panel = tracker.currentWidget;
      if (!panel) {
        return null;
      }
      const [text, { insertCode }] = await Promise.all([
        installCell(translator),
        import('../cells')
      ]);
      if (text === null || panel.isDisposed) {
        return null;
      }
      insertCode(panel.content, text);
      return { cellId: panel.content.activeCell?.model.id ?? null };
    }
  });
}

/** Null where that failed, and a notification has said so. */
async function installCell(translator: ITranslator): Promise<string | null> {
  const trans = translator.load('jupyterlab_kernelgate');
  try {
    const [{ wheelCell }, { loadWheels }] = await Promise.all([
      import('../wheel/cellText'),
      import('../wheel/manifest')
    ]);
    return wheelCell(await loadWheels());
  } catch {
    Notification.error(
      trans.__(
        'The package’s files could not be read from the Jupyter server. Try again when it answers.'
      ),
      { autoClose: TOAST_MS }
    );
    return null;
  }
}

function addNewNotebook(context: ICommandContext): void {
  const { catalogue, translator } = context;
  const { commands } = context.app;
  const trans = translator.load('jupyterlab_kernelgate');
  commands.addCommand(CommandIDs.newNotebook, {
    label: trans.__('New notebook with a CUDA kernel'),
    caption: trans.__(
      'An example for the GPU, which can be verified with one and without'
    ),
    icon: operatorIcon,
    describedBy: argumentsOf(),
    execute: async () => {
      const panel = await newNotebook(context);
      const operator = catalogue.operators.find(one => one.loadProgram);
      if (!panel || !operator) {
        return null;
      }
      const inserted = await insertProgram(panel, operator, context);
      return { notebook: panel.context.path, ...inserted };
    }
  });
}

/** A notebook with one empty cell and the panel beside it; Lab asks for its kernel where several run Python. */
async function newNotebook({
  app: { commands, serviceManager, shell }
}: ICommandContext): Promise<NotebookPanel | null> {
  const specs = Object.values(
    serviceManager.kernelspecs.specs?.kernelspecs ?? {}
  ).filter(one => one?.language.toLowerCase() === 'python');
  const panel: unknown = await commands.execute('notebook:create-new', {
    activate: true,
    ...(specs.length === 1 && { kernelName: specs[0]?.name })
  });
  if (!(panel instanceof NotebookPanel)) {
    return null;
  }
  if (commands.hasCommand(CommandIDs.showPanel)) {
    await commands.execute(CommandIDs.showPanel);
    shell.activateById(panel.id);
  }
  // Its one empty cell is replaced, once Lab has finished making it.
  await panel.revealed;
  await panel.content.activeCell?.ready;
  return panel;
}

function addPasteAndVerify(context: ICommandContext): void {
  const { tracker, translator } = context;
  const { commands } = context.app;
  const trans = translator.load('jupyterlab_kernelgate');
  commands.addCommand(CommandIDs.pasteAndVerify, {
    label: trans.__('Paste CUDA program and verify'),
    caption: trans.__(
      'Take a model’s answer from the clipboard, put its program into cells, and verify it'
    ),
    icon: args => (args.isPalette ? undefined : operatorIcon),
    describedBy: argumentsOf(),
    execute: async () => {
      // The browser wants to be asked while the press lasts; on http it has no clipboard.
      const reading = Promise.resolve().then(() =>
        navigator.clipboard.readText()
      );
      const [{ copiedText, insertAnswer }, python] = await Promise.all([
        import('./paste'),
        import('../programs/python')
      ]);
      const text = await copiedText(reading, trans);
      const read = await python.pythonReader(context.languages);
      const panel =
        text && (tracker.currentWidget ?? (await newNotebook(context)));
      const cellId = panel ? insertAnswer(panel, text, read, trans) : null;
      if (!panel || cellId === null) {
        return null;
      }
      await panel.sessionContext.ready;
      return commands.execute(CommandIDs.verify, {
        cellId
      }) as Promise<ReadonlyJSONObject | null>;
    }
  });
}

/**
 * Into the notebook in which it was asked for, whichever is in front when it has
 * loaded, in the form that is given, or else in the one that the person has set.
 * The id of the new cell; null where there is none.
 */
async function insertProgram(
  panel: NotebookPanel,
  operator: IOperator,
  { translator, preferences }: ICommandContext,
  args: ReadonlyPartialJSONObject = {}
): Promise<ReadonlyJSONObject | null> {
  const { id, name } = operator;
  const trans = translator.load('jupyterlab_kernelgate');
  let insertion;
  try {
    insertion = await loadInsertion(operator, preferences(), args.form);
  } catch {
    Notification.error(
      trans.__(
        '%1 could not be loaded from the Jupyter server. Try again when it answers.',
        name
      ),
      { autoClose: TOAST_MS }
    );
    return null;
  }
  if (!insertion || panel.isDisposed) {
    return null;
  }
  const { text, isFolded, cells } = insertion;
  cells.insertCode(panel.content, text, {
    mark: { operator: id },
    isFolded,
    use: useSource(operator, args.parameters)
  });
  return { operator: id, cellId: panel.content.activeCell?.model.id ?? null };
}
