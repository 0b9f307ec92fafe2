/**
 * What a person has set, as schema/plugin.json describes it.
 *
 * In: the settings as Lab has them, of which anything may be missing or of
 * another kind. Out: a choice for each, the schema's default where there is none.
 */

import { ISettingRegistry } from '@jupyterlab/settingregistry';

export const DEVICES = ['auto', 'cuda', 'emulated'] as const;
export const CONTRACTS = ['problem', 'drop-in'] as const;
export const FORMS = ['folded', 'open', 'magic'] as const;
export const NOTIFY = ['out of sight', 'never'] as const;

export interface IPreferences {
  /** Where a program runs, in a cell that Verify writes. */
  readonly device: (typeof DEVICES)[number];
  /** What a program is held to there. */
  readonly contract: (typeof CONTRACTS)[number];
  /** Whether more cases are tried there. */
  readonly thorough: boolean;
  /** How long times are taken at most, in seconds. */
  readonly budget: number;
  /** What Insert puts into a notebook: a program, folded or open, or its magic. */
  readonly form: (typeof FORMS)[number];
  /** When a run that goes on is shown as a notification. */
  readonly notify: (typeof NOTIFY)[number];
}

/** As in the schema, which a test holds them to. */
export const DEFAULTS: IPreferences = {
  device: 'auto',
  contract: 'problem',
  thorough: false,
  budget: 20,
  form: 'folded',
  notify: 'out of sight'
};

export function readPreferences(
  settings: Readonly<Record<string, unknown>>
): IPreferences {
  const oneOf = <T>(name: keyof IPreferences, among: readonly T[]) =>
    among.find(value => value === settings[name]);
  const { thorough, budget } = settings;
  return {
    device: oneOf('device', DEVICES) ?? DEFAULTS.device,
    contract: oneOf('contract', CONTRACTS) ?? DEFAULTS.contract,
    thorough: typeof thorough === 'boolean' ? thorough : DEFAULTS.thorough,
    budget:
      typeof budget === 'number' && Number.isFinite(budget) && budget > 0
        ? budget
        : DEFAULTS.budget,
    form: oneOf('form', FORMS) ?? DEFAULTS.form,
    notify: oneOf('notify', NOTIFY) ?? DEFAULTS.notify
  };
}

/** What holds now: the defaults until the settings are there, or where Lab has none. */
export function followPreferences(
  registry: ISettingRegistry | null,
  pluginId: string
): () => IPreferences {
  let current = DEFAULTS;
  void registry?.load(pluginId).then(
    settings => {
      const read = () => {
        current = readPreferences(settings.composite);
      };
      settings.changed.connect(read);
      read();
    },
    (reason: Error) => console.error(reason.message)
  );
  return () => current;
}
