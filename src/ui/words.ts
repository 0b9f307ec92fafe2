/** Labels of a report, and where something is. Conclusions come from the report itself. */
import type { IPlace, IReport, IStage } from '../model/types';
import type { Trans } from './trans';

/** The name of a stage as a step: a person compiles, they do not build. */
export function stageName(name: IStage['name'], trans: Trans): string {
  return {
    build: trans.__('Compile'),
    check: trans.__('Check'),
    time: trans.__('Time'),
    profile: trans.__('Profile')
  }[name];
}

/** The stage in which a run ended: "check stage". */
export function stagePhrase(name: IStage['name'], trans: Trans): string {
  return {
    build: trans.__('compile stage'),
    check: trans.__('check stage'),
    time: trans.__('time stage'),
    profile: trans.__('profile stage')
  }[name];
}

/** Our own word starts a line. */
export function upperFirst(words: string): string {
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}

/** "cell [4], line 33, column 5", or as much of it as is known. */
export function placeWords(place: IPlace, trans: Trans): string {
  const words =
    place.words || [place.label, place.line].filter(part => part).join(':');
  return place.column === null
    ? words
    : trans.__('%1, column %2', words, place.column);
}

/** The heading over what belongs to a contract. */
export function contractName(
  contract: IReport['contract'],
  trans: Trans
): string {
  return contract === 'problem'
    ? trans.__('This problem')
    : trans.__('As a drop-in, beyond this problem');
}

/** A run as a list shows it. */
export interface IListedRun {
  readonly number: number;
  readonly report: IReport;
  readonly isRunning: boolean;
  readonly isUnheard: boolean;
}

/** How a run came out, in two or three words. */
export function resultWords(
  { report, isRunning, isUnheard }: IListedRun,
  trans: Trans
): string {
  if (report.state === 'running') {
    return isRunning
      ? trans.__('running')
      : isUnheard
        ? trans.__('not heard of')
        : trans.__('did not finish');
  }
  return report.verdict?.short || trans.__('no verdict');
}
