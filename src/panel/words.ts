/** Words that several sections of the panel share. */

import { TranslationBundle } from '@jupyterlab/translation';

import { formatRatio, headline, IReport, speedVerdict } from '../report';
import { IRun } from '../tokens';

/** "Go to cell [7]"; a cell that runs has no number yet. */
export function goToWords(
  { prompt }: NonNullable<IRun['cell']>,
  trans: TranslationBundle
): string {
  return prompt === null
    ? trans.__('Go to cell')
    : trans.__('Go to cell [%1]', prompt);
}

/** How a run came out, in two or three words. */
export function resultWords(run: IRun, trans: TranslationBundle): string {
  const { report } = run;
  if (report.state === 'running') {
    return run.isRunning ? trans.__('running') : trans.__('did not finish');
  }
  switch (report.verdict?.kind) {
    case 'pass':
      return passWords(report, trans);
    case 'read':
      return trans.__('cannot be read');
    case 'build':
      return trans.__('does not build');
    case 'wrong':
      return trans.__('wrong result');
    case 'fault':
      return trans.__('memory fault or crash');
    case 'weak':
      return trans.__('unclear');
    case 'timeout':
      return trans.__('timed out');
    case 'cancelled':
      return trans.__('cancelled');
    case 'refused':
      return trans.__('not covered in emulation');
    case 'environment':
      return trans.__('could not run here');
    case 'profiled':
      return trans.__('profiled');
    default:
      return trans.__('no verdict');
  }
}

function passWords(report: IReport, trans: TranslationBundle): string {
  if (report.verdict?.outcome !== 'pass') {
    return trans.__('unclear');
  }
  if (report.device.kind !== 'cuda') {
    return trans.__('correct in emulation');
  }
  const ratio = formatRatio(headline(report.timing)?.ratio ?? 1);
  switch (speedVerdict(report)) {
    case 'FASTER':
      return trans.__('correct, %1 faster', ratio);
    case 'SLOWER':
      return trans.__('correct, %1 slower', ratio);
    case 'SAME':
      return trans.__('correct, same speed');
    case 'UNCLEAR':
      return trans.__('correct, speed unclear');
    default:
      return trans.__('correct');
  }
}
