import * as React from 'react';
import type { IReport } from '../../report/types';
import { useView } from './view';
import { confinementWords } from './words';

/** Everything that somebody needs to repeat the run. */
export function Provenance({ report }: { report: IReport }): React.JSX.Element {
  const { trans } = useView();
  const { candidate, device, environment, problem } = report;
  const sha = candidate.source_sha256;
  const versions = [
    environment.torch && trans.__('torch %1', environment.torch),
    environment.cuda && trans.__('CUDA %1', environment.cuda),
    environment.driver && trans.__('driver %1', environment.driver),
    trans.__('Python %1', environment.python),
    environment.platform
  ];
  const confined = confinementWords(environment, trans);
  return (
    <footer className="jp-KernelReport-footer">
      {device.kind !== 'none' && (
        <span title={device.detail || undefined}>{device.name}</span>
      )}
      {problem.full_shape !== null && report.cases.length > 0 && (
        <span>
          {trans.__(
            'shape scaled from %1 to %2',
            problem.full_shape,
            problem.shape
          )}
        </span>
      )}
      <span>{versions.filter(part => part !== '').join(', ')}</span>
      {confined && <span>{confined}</span>}
      {report.seed && (
        <span>{trans.__('seed %1 (drawn for this run)', report.seed)}</span>
      )}
      <span title={sha}>{trans.__('source sha256 %1…', sha.slice(0, 6))}</span>
      <span>{trans.__('kernelgate %1', environment.kernelgate)}</span>
      <span>{trans.__('report version %1', report.schema)}</span>
    </footer>
  );
}
