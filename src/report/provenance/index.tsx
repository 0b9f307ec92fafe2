import * as React from 'react';
import type { IReport } from '../../model/types';
import { useTrans } from '../../ui/trans';

/** Everything that somebody needs to repeat the run. */
export function Provenance({ report }: { report: IReport }): React.JSX.Element {
  const trans = useTrans();
  const { candidate, device, environment } = report;
  const sha = candidate.source_sha256;
  const versions = [
    environment.torch && trans.__('torch %1', environment.torch),
    environment.cuda && trans.__('CUDA %1', environment.cuda),
    environment.driver && trans.__('driver %1', environment.driver),
    trans.__('Python %1', environment.python),
    environment.platform
  ];
  return (
    <footer className="jp-KernelReport-footer">
      {device.kind !== 'none' && (
        <span title={device.detail || undefined}>{device.name}</span>
      )}
      {report.scaled && (
        <span>{trans.__('shape scaled %1', report.scaled)}</span>
      )}
      <span>{versions.filter(part => part !== '').join(', ')}</span>
      {environment.confined && (
        <span>{trans.__('Confined: %1', environment.confined)}</span>
      )}
      {report.seed && (
        <span>{trans.__('seed %1 (drawn for this run)', report.seed)}</span>
      )}
      <span title={sha}>{trans.__('source sha256 %1…', sha.slice(0, 6))}</span>
      <span>{trans.__('kernelgate %1', environment.kernelgate)}</span>
      <span>{trans.__('report version %1', report.schema)}</span>
    </footer>
  );
}
