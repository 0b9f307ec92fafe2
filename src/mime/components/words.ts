/** The words of a report that do not come from its data. */
import type { IRenderMime } from '@jupyterlab/rendermime-interfaces';
import { countGates, formatCount } from '../../report/format';
import type {
  ICase,
  IEnvironment,
  IExamination,
  IGate,
  IPlace,
  IPower,
  IReport,
  IStage
} from '../../report/types';

type Trans = IRenderMime.TranslationBundle;

/** The name of a stage as a step: a person compiles, they do not build. */
export function stageName(name: IStage['name'], trans: Trans): string {
  return {
    build: trans.__('Compile'),
    check: trans.__('Check'),
    time: trans.__('Time'),
    profile: trans.__('Profile')
  }[name];
}

/** The stage that is going on: "Checking". */
export function stageDoing(name: IStage['name'], trans: Trans): string {
  return {
    build: trans.__('Compiling'),
    check: trans.__('Checking'),
    time: trans.__('Timing'),
    profile: trans.__('Profiling')
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

/** "16 of 16". */
export function ofTotal(done: number, total: number, trans: Trans): string {
  return trans.__('%1 of %2', formatCount(done), formatCount(total));
}

/** "cell [4], line 33", or as much of it as is known. */
export function placeWords(place: IPlace, trans: Trans): string {
  if (place.line === null) {
    return place.label;
  }
  return place.column === null
    ? trans.__('%1, line %2', place.label, place.line)
    : trans.__('%1, line %2, column %3', place.label, place.line, place.column);
}

/** Whether the case is judged bit by bit, and came out so. */
export function isBitwiseEqual(one: ICase): boolean {
  return (
    one.outcome === 'pass' && one.error_units === null && !(one.max_ulp ?? 0)
  );
}

/** Whether the case failed by its values, and not by a fault. */
export function isWrong(one: ICase): boolean {
  return one.outcome === 'fail' && (one.wrong > 0 || one.first !== null);
}

/** The outcome of a case in one or two words. */
export function caseOutcome(one: ICase, trans: Trans): string {
  switch (one.outcome) {
    case 'pass':
      return isBitwiseEqual(one) ? trans.__('equal') : trans.__('within bound');
    case 'fail':
      // A fault ends a case before there is anything to compare.
      return isWrong(one) ? trans.__('wrong') : trans.__('failed');
    case 'unsupported':
      return trans.__('not supported');
    case 'not run':
      return trans.__('not run');
  }
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

/** The outcome of a gate in a few words. */
export function gateOutcome(gate: IGate, trans: Trans): string {
  return {
    pass: trans.__('holds'),
    fail: trans.__('does not hold'),
    unsupported: trans.__('not supported'),
    'not run': trans.__('not tried here')
  }[gate.outcome];
}

/** "10 of 13 gates": of those that were tried. */
export function gatesWords(gates: IGate[], trans: Trans): string {
  const { held, tried } = countGates(gates);
  return trans.__('%1 gates', ofTotal(held, tried, trans));
}

/** "catches 9 of 9 known-wrong programs". */
export function powerWords(power: IPower, trans: Trans): string {
  return trans.__(
    'catches %1 known-wrong programs',
    ofTotal(power.caught, power.total, trans)
  );
}

/** "no fault found: bounds, races, uninitialised reads (emulation)". */
export function examinationWords(
  { state, tool, note, findings }: IExamination,
  trans: Trans
): string {
  switch (state) {
    case 'clean':
      return trans.__(
        'no fault found: bounds, races, uninitialised reads (%1)',
        tool
      );
    case 'cut short':
      return trans.__('no fault found (%1), but %2', tool, note);
    case 'found':
      return trans._n(
        '%1 fault found (%2)',
        '%1 faults found (%2)',
        findings.length,
        tool
      );
    case 'not run':
      return trans.__('not done: %1', note);
  }
}

/** What was closed to the candidate's process, and why not more. */
export function confinementWords(
  { confinement, unconfined }: IEnvironment,
  trans: Trans
): string {
  const held = confinement.join(', ');
  if (unconfined === '') {
    return held && trans.__('confined: %1', held);
  }
  // Limits alone close nothing.
  return held === '' || held === 'limits'
    ? trans.__('not confined: %1', unconfined)
    : trans.__('confined in part: %1; not more: %2', held, unconfined);
}

/** Whether a program that was read holds no CUDA kernel. */
export function hasNoKernel({ candidate, verdict }: IReport): boolean {
  const unread = ['read', 'environment', 'internal', 'cancelled', 'profiled'];
  return (
    verdict !== null &&
    !unread.includes(verdict.kind) &&
    candidate.cuda_kernels.length === 0
  );
}

/** "13 cases pass, 1 fails, 1 not run": every outcome that occurs. */
export function outcomeCounts(cases: ICase[], trans: Trans): string {
  const count = (outcome: ICase['outcome']) =>
    cases.filter(one => one.outcome === outcome).length;
  const [passed, failed, unsupported, left] = [
    count('pass'),
    count('fail'),
    count('unsupported'),
    count('not run')
  ];
  const parts = [
    trans._n('%1 case passes', '%1 cases pass', passed),
    failed && trans._n('%1 fails', '%1 fail', failed),
    unsupported && trans.__('%1 not supported', unsupported),
    left && trans.__('%1 not run', left)
  ];
  return parts.filter(part => part !== 0).join(', ');
}
