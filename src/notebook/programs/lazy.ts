/** `IPrograms` from the start of the page on; what reads cells is loaded with the first notebook. */

import { ISignal, Signal } from '@lumino/signaling';

import { ICellProgram, IPrograms, RunOptions } from '../../tokens';
import { ICommandContext } from '../commandContext';

export class LazyPrograms implements IPrograms {
  constructor(context: ICommandContext) {
    const { tracker } = context;
    const load = () => {
      tracker.widgetAdded.disconnect(load);
      void this._load(context);
    };
    tracker.widgetAdded.connect(load);
    if (tracker.size > 0) {
      load();
    }
  }

  get current(): ICellProgram | null {
    return this._loaded?.current ?? null;
  }

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  choose(cellId: string, key: string): void {
    this._loaded?.choose(cellId, key);
  }

  set(cellId: string, options: Partial<RunOptions>): void {
    this._loaded?.set(cellId, options);
  }

  private async _load(context: ICommandContext): Promise<void> {
    const { loadPrograms } = await import('./programs');
    this._loaded = await loadPrograms(context);
    this._loaded.changed.connect(() => this._changed.emit());
    this._changed.emit();
  }

  private _loaded: IPrograms | null = null;
  private _changed = new Signal<this, void>(this);
}
