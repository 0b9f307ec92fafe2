/**
 * A report whose run has no end, because its kernel stopped, was replaced, or is
 * out of reach: it must not be drawn as if the run went on. The notebook keeps it as it is.
 */
import type { IRenderMime } from '@jupyterlab/rendermime-interfaces';
import type { IRunState } from '../model/reportBus';
import type { IReport } from '../model/types';

/** The report with its known end, for drawing. */
export function closeInterrupted(
  report: IReport,
  { isUnheard }: IRunState,
  trans: IRenderMime.TranslationBundle
): IReport {
  return {
    ...report,
    state: 'finished',
    stages: report.stages.map(stage =>
      stage.state === 'running'
        ? { ...stage, state: 'stopped' }
        : stage.state === 'waiting'
          ? { ...stage, state: 'not run' }
          : stage
    ),
    verdict: {
      kind: 'cancelled',
      outcome: 'not run',
      obstacle: '',
      strays: false,
      untried: '',
      ...(isUnheard
        ? {
            short: trans.__('not heard of'),
            sentence: trans.__(
              'Not heard of: the kernel’s server does not answer'
            ),
            support: [
              trans.__('The run may go on there; this is what was last heard.'),
              trans.__('It is shown again when the server answers.')
            ]
          }
        : {
            short: trans.__('did not finish'),
            sentence: trans.__('Did not finish: no verdict'),
            support: [
              trans.__('The Jupyter kernel stopped before the run ended.'),
              trans.__('Run the cell again for a verdict.')
            ]
          })
    }
  };
}
