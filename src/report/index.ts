/**
 * The MIME renderer: draws a report in a cell's output.
 *
 * In: a MIME bundle with a report, from a notebook, and what the app knows of the
 * output. Out: the drawn report; nothing is written to the notebook. The bundle
 * is untrusted; nothing of it becomes markup, an address or a command, save ids
 * that were checked.
 */
import type { IRenderMime } from '@jupyterlab/rendermime-interfaces';
import { nullTranslator } from '@jupyterlab/translation';
import type { Message } from '@lumino/messaging';
import { Signal } from '@lumino/signaling';
import { Widget } from '@lumino/widgets';
import type { Root } from 'react-dom/client';
import {
  reportBus,
  type ReportBus,
  type ReportOutput
} from '../model/reportBus';
import { REPORT_MIME } from '../model/mimeType';
import { inTurn } from './turns';

/** Ahead of text/html (50), which stands in the same bundle. */
const RANK = 40;

export class ReportRenderer extends Widget implements IRenderMime.IRenderer {
  constructor(options: IRenderMime.IRendererOptions) {
    super({ node: document.createElement('kernelgate-report') });
    this.addClass('jp-RenderedKernelReport');
    this.node.addEventListener('keydown', keepCellKeys);
    this._trans = (options.translator ?? nullTranslator).load(
      'jupyterlab_kernelgate'
    );
    reportBus.stateChanged.connect(this._onStateChanged, this);
    reportBus.actionsChanged.connect(this._onActionsChanged, this);
  }

  dispose(): void {
    if (this.isDisposed) {
      return;
    }
    Signal.clearData(this);
    this._unmount();
    this._model = null;
    super.dispose();
  }

  async renderModel(model: IRenderMime.IMimeModel): Promise<void> {
    this._model = model;
    const { createRoot, drawReport } = await import('./draw');
    await inTurn(() => {
      if (this.isDisposed || this._model !== model) {
        return;
      }
      this._root ??= createRoot(this.node);
      drawReport(this._root, model, {
        trans: this._trans,
        bus: reportBus,
        opened: this._opened
      });
    });
  }

  protected onBeforeDetach(msg: Message): void {
    this._unmount();
    super.onBeforeDetach(msg);
  }

  /** Notebooks take outputs that are out of sight off the page, and back. */
  protected onAfterAttach(msg: Message): void {
    super.onAfterAttach(msg);
    if (!this._root) {
      this._redraw();
    }
  }

  private _onStateChanged(_: ReportBus, output: ReportOutput): void {
    if (output === this._model) {
      this._redraw();
    }
  }

  private _onActionsChanged(): void {
    this._redraw();
  }

  private _redraw(): void {
    if (this._model) {
      void this.renderModel(this._model);
    }
  }

  private _unmount(): void {
    this._root?.unmount();
    this._root = null;
  }

  private _model: IRenderMime.IMimeModel | null = null;
  private _opened = new Map<string, boolean>();
  private _root: Root | null = null;
  private _trans: IRenderMime.TranslationBundle;
}

/** With Ctrl and the like, these act on cells. */
const OF_CELLS = /^(enter|backspace|arrow\w+|a|m)$/i;

/** Keys of the command mode would act on the cell while a section is focused; Save and the like are Lab's. */
function keepCellKeys(event: KeyboardEvent): void {
  const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey;
  if (isPlain || OF_CELLS.test(event.key)) {
    event.stopPropagation();
  }
}

const extension: IRenderMime.IExtension = {
  id: 'jupyterlab-kernelgate:report',
  description: 'Draws the report of a run in the output of its cell.',
  rendererFactory: {
    safe: true,
    mimeTypes: [REPORT_MIME],
    createRenderer: options => new ReportRenderer(options)
  },
  rank: RANK,
  dataType: 'json'
};

export default extension;
