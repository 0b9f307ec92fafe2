import * as React from 'react';
import type { IMemoryCheck } from '../../model/types';
import { Glyph } from '../../ui/glyph';
import { contractName, placeWords } from '../../ui/words';
import { Prose } from '../parts/prose';
import { useTrans } from '../../ui/trans';

/** What was found when every access of the kernels was looked at. */
export function MemoryCheck({
  memoryCheck
}: {
  memoryCheck: IMemoryCheck;
}): React.JSX.Element {
  const trans = useTrans();
  const { findings, note, state, tool } = memoryCheck;
  const words = (
    <>
      <b>{trans.__('Memory check')}</b>:{' '}
      {findings.length > 0
        ? tool // The findings say the rest.
        : memoryCheck.words || `${state} (${tool}) ${note}`}
    </>
  );
  if (findings.length === 0) {
    return <p className="jp-KernelReport-power">{words}</p>;
  }
  return (
    <details className="jp-KernelReport-power" open>
      <summary>{words}</summary>
      <ul
        className="jp-KernelReport-gates"
        aria-label={trans.__('Faults that were found')}
      >
        {findings.map((finding, n) => (
          <li key={n}>
            <Glyph
              appearance={
                finding.certain
                  ? { tone: 'fail', shape: 'cross' }
                  : { tone: 'info', shape: 'question' }
              }
              small
            />
            <b>{finding.where ? placeWords(finding.where, trans) : ''}</b>
            <span>
              <Prose text={finding.sentence} />
              {finding.contract === 'drop-in' &&
                ` (${contractName(finding.contract, trans)})`}
            </span>
          </li>
        ))}
      </ul>
    </details>
  );
}
