/**
 * What the commands share: the services that they use, and their arguments.
 *
 * Arguments are ids that are looked up, never code or paths: a page may hold
 * buttons that a stranger's notebook put there.
 */

import { JupyterFrontEnd } from '@jupyterlab/application';
import { ISessionContext } from '@jupyterlab/apputils';
import { IEditorLanguageRegistry } from '@jupyterlab/codemirror';
import { INotebookTracker } from '@jupyterlab/notebook';
import { ITranslator } from '@jupyterlab/translation';
import { ReadonlyJSONObject, ReadonlyJSONValue } from '@lumino/coreutils';

import {
  ICatalogue,
  IKernelLink,
  IPreferences,
  IReportHistory
} from '../tokens';
import type { RunActions } from './reports/runActions';

export interface ICommandContext {
  app: JupyterFrontEnd;
  tracker: INotebookTracker;
  catalogue: ICatalogue;
  link: IKernelLink;
  history: IReportHistory;
  preferences: () => IPreferences;
  /** What Lab colours languages with; null where a host has none. */
  languages: IEditorLanguageRegistry | null;
  /** What Lab asks before a kernel is restarted. */
  dialogs: ISessionContext.IDialogs;
  translator: ITranslator;
}

/** Loads the actions on a run when a person first uses one. */
export type LoadActions = () => Promise<RunActions>;

type Schema = { readonly [name: string]: ReadonlyJSONValue };

/** How a command describes its arguments: a schema of an object with these properties. */
export function argumentsOf(
  properties: Schema = {},
  required: readonly string[] = []
): { args: ReadonlyJSONObject } {
  return { args: { type: 'object', properties, required: [...required] } };
}

/** A text property: an id; if `among` is given, one of those. */
export function idProperty(
  description: string,
  among?: readonly string[]
): ReadonlyJSONObject {
  return {
    type: 'string',
    ...(among ? { enum: [...among] } : {}),
    description
  };
}
