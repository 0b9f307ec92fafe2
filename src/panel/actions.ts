import { ProgramForm, RunOptions } from '../tokens';

/** What a person has chosen on an operator's card, beside the operator. */
export interface IInsertChoice {
  form?: ProgramForm;
  /** The values of the parameters, by name. */
  parameters?: Readonly<Record<string, number>>;
}

/** What a person can do in the panel. The views call these, and know no commands. */
export interface IPanelActions {
  insert(operatorId: string, choice: IInsertChoice): void;
  verify(operatorId: string): void;
  benchmark(operatorId: string): void;
  /** Of a cell of the notebook in front. */
  runCell(verb: 'verify' | 'benchmark', cellId: string): void;
  choose(cellId: string, key: string): void;
  setOptions(cellId: string, options: Partial<RunOptions>): void;
  paste(): void;
  copyForModel(run: string): void;
  goToRun(run: string): void;
  toggleCompared(run: string): void;
  deleteRun(run: string): void;
  /** Of two runs, the earlier one first. */
  showDifference(before: string, after: string): void;
  insertComparison(before: string, after: string): void;
  cancel(run: string): void;
  refresh(): void;
  insertInstallCell(): void;
  chooseKernel(): void;
  restartKernel(): void;
  newNotebook(): void;
}
