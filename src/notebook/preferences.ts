/**
 * What a person has set, as schema/plugin.json describes it.
 *
 * In: the settings as Lab has them, of which anything may be missing or of
 * another kind. Out: a choice for each, the schema's default where there is none.
 */

import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { ISignal, Signal } from '@lumino/signaling';

import { IPreferences, IPreferenceStore, PROGRAM_FORMS } from '../tokens';

/** What can be chosen, and the defaults: as in the schema, which a test holds them to. */
export const CHOICES: {
  readonly [name in keyof IPreferences]?: readonly IPreferences[name][];
} = {
  device: ['auto', 'cuda', 'emulated'],
  contract: ['problem', 'drop-in'],
  insertAs: ['folded', 'open', 'magic'],
  form: PROGRAM_FORMS,
  notify: ['out of sight', 'never'],
  whenEnded: ['title', 'system', 'nothing']
};

export const DEFAULTS: IPreferences = {
  device: 'auto',
  contract: 'problem',
  thorough: false,
  rtol: 0,
  atol: 0,
  budget: 20,
  insertAs: 'folded',
  form: 'full',
  notify: 'out of sight',
  whenEnded: 'title'
};

export function readPreferences(
  settings: Readonly<Record<string, unknown>>
): IPreferences {
  const chosen = <Name extends keyof IPreferences>(name: Name) =>
    CHOICES[name]?.find(value => value === settings[name]) ?? DEFAULTS[name];
  const atLeast0 = (value: unknown) =>
    typeof value === 'number' && Number.isFinite(value) && value >= 0
      ? value
      : 0;
  const { thorough, rtol, atol, budget } = settings;
  return {
    device: chosen('device'),
    contract: chosen('contract'),
    thorough: typeof thorough === 'boolean' ? thorough : DEFAULTS.thorough,
    rtol: atLeast0(rtol),
    atol: atLeast0(atol),
    budget:
      typeof budget === 'number' && Number.isFinite(budget) && budget > 0
        ? budget
        : DEFAULTS.budget,
    insertAs: chosen('insertAs'),
    form: chosen('form'),
    notify: chosen('notify'),
    whenEnded: chosen('whenEnded')
  };
}

export class PreferenceStore implements IPreferenceStore {
  constructor(registry: ISettingRegistry | null, pluginId: string) {
    void registry?.load(pluginId).then(
      settings => {
        const read = () => {
          this._current = readPreferences(settings.composite);
          this._changed.emit();
        };
        settings.changed.connect(read);
        read();
      },
      (reason: Error) => console.error(reason.message)
    );
  }

  get current(): IPreferences {
    return this._current;
  }

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  private _current = DEFAULTS;
  private _changed = new Signal<this, void>(this);
}
