import { ITranslator } from '@jupyterlab/translation';
import { VDomRenderer } from '@jupyterlab/ui-components';
import { Message, MessageLoop } from '@lumino/messaging';
import { Widget } from '@lumino/widgets';
import * as React from 'react';

import { Own } from '../ui/own';
import { operatorIcon } from '../ui/icons';
import { IPanelActions } from './actions';
import { PanelModel } from './model';

/**
 * The side panel. Hidden means silent: its model hears what is in sight, and what
 * draws it is loaded when it is shown first.
 */
export class KernelPanel extends VDomRenderer<PanelModel> {
  constructor(
    model: PanelModel,
    private _actions: IPanelActions,
    translator: ITranslator
  ) {
    super(model);
    this._trans = translator.load('jupyterlab_kernelgate');
    this.id = 'kernelgate-panel';
    this.node.style.minWidth = 'var(--jp-sidebar-min-width)';
    this.node.setAttribute('role', 'region');
    this.node.setAttribute('aria-label', this._trans.__('KernelGate'));
    this.title.icon = operatorIcon;
    this.title.caption = this._trans.__('KernelGate');
  }

  /** Brings the comparison into sight, and the focus to it. */
  async showComparison(): Promise<void> {
    await this._loadView();
    // What was chosen just now is drawn first.
    MessageLoop.sendMessage(this, Widget.Msg.UpdateRequest);
    await this.renderPromise;
    const comparison = this.node.querySelector<HTMLElement>(
      '.jp-KernelPanel-comparison'
    );
    comparison?.closest('details')?.setAttribute('open', '');
    comparison?.focus();
  }

  protected render(): React.JSX.Element | null {
    const Panel = this._view?.Panel;
    return this.model && Panel ? (
      <Own tag="kernelgate-panel">
        <div className="jp-KernelPanel">
          <Panel
            state={this.model.state}
            actions={this._actions}
            trans={this._trans}
          />
        </div>
      </Own>
    ) : null;
  }

  protected onAfterAttach(msg: Message): void {
    super.onAfterAttach(msg);
    this._onSight();
  }

  protected onAfterShow(msg: Message): void {
    super.onAfterShow(msg);
    this._onSight();
  }

  protected onAfterHide(msg: Message): void {
    super.onAfterHide(msg);
    this._onSight();
  }

  protected onBeforeDetach(msg: Message): void {
    if (this.model) {
      this.model.isVisible = false;
    }
    super.onBeforeDetach(msg);
  }

  private _onSight(): void {
    if (this.model) {
      this.model.isVisible = this.isVisible;
    }
    if (this.isVisible) {
      void this._loadView();
    }
  }

  private async _loadView(): Promise<void> {
    if (!this._view) {
      this._view = await import('./view');
      this.update();
    }
  }

  private _trans;
  private _view: typeof import('./view') | null = null;
}
