/** What every component of a report may use, besides its own part of the data. */
import { createContext, useContext } from 'react';
import type { IReportActions, IRunState } from '../../model/reportBus';

/** What the app offers to the report that is drawn. */
export type IOutputActions = {
  [name in Exclude<keyof IReportActions, 'revealCell'>]?: () => void;
} & { revealCell?: (cellId: string, line: number | null) => void };

export interface IView {
  /** What the app offers; a button without its action is not drawn. */
  actions: Readonly<IOutputActions>;
  /** What the notebook that holds the output knows of it; null if none does. */
  state: IRunState | null;
  /** The report as text, from the same bundle; may be empty. */
  summary: string;
  /** What a person copies for a model, from the same bundle; null if the run brought none. */
  forModel: string | null;
  /** Sections that the person opened or closed, kept when the output is redrawn. */
  opened: Map<string, boolean>;
}

export const ViewContext = createContext<IView | null>(null);

export function useView(): IView {
  const view = useContext(ViewContext);
  if (!view) {
    throw new Error('A part of a report is drawn outside of a report');
  }
  return view;
}

/** A cell id as nbformat defines it; nothing else is handed to a command. */
const CELL_ID = /^[A-Za-z0-9_-]{1,64}$/;

export function isCellId(id: string | null): id is string {
  return id !== null && CELL_ID.test(id);
}
