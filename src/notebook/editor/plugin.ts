import {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { Compartment, Extension } from '@codemirror/state';
import { ViewPlugin } from '@codemirror/view';
import {
  EditorExtensionRegistry,
  IEditorExtensionRegistry,
  IEditorLanguageRegistry
} from '@jupyterlab/codemirror';
import { INotebookTracker } from '@jupyterlab/notebook';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import { ICatalogue, IReportHistory } from '../../tokens';

export const editor: JupyterFrontEndPlugin<void> = {
  id: 'jupyterlab-kernelgate:editor',
  description: 'Marks lines of programs, and colours CUDA, in their editors.',
  autoStart: true,
  requires: [INotebookTracker, ICatalogue, IReportHistory],
  optional: [IEditorExtensionRegistry, IEditorLanguageRegistry, ITranslator],
  activate: (
    _: JupyterFrontEnd,
    tracker: INotebookTracker,
    catalogue: ICatalogue,
    history: IReportHistory,
    extensions: IEditorExtensionRegistry | null,
    languages: IEditorLanguageRegistry | null,
    translator: ITranslator | null
  ) => {
    const trans = (translator ?? nullTranslator).load('jupyterlab_kernelgate');
    let make: ((model: object) => Extension) | undefined;
    const load = async () => {
      const { CellMarks, editorExtension } = await import('.');
      if (!make) {
        const marks = new CellMarks(tracker, history);
        make = model =>
          editorExtension({ model, marks, catalogue, languages, trans });
      }
      return make;
    };
    extensions?.addExtension({
      name: 'kernelgate',
      factory: ({ model }) =>
        EditorExtensionRegistry.createImmutableExtension(
          // To put it into an editor later would draw that twice.
          make?.(model) ?? loaded(async () => (await load())(model))
        )
    });
  }
};

/** An extension that takes its place when it has been loaded. */
function loaded(load: () => Promise<Extension>): Extension {
  const slot = new Compartment();
  return [
    slot.of([]),
    ViewPlugin.define(view => {
      let isGone = false;
      void load().then(extension => {
        if (!isGone) {
          view.dispatch({ effects: slot.reconfigure(extension) });
        }
      });
      return {
        destroy: () => {
          isGone = true;
        }
      };
    })
  ];
}
