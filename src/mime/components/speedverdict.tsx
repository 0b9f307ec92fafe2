import * as React from 'react';
import type { ISpeed } from '../../report/types';
import { lookOfSpeed } from '../look';
import { Glyph } from './glyph';

/** FASTER, SLOWER, SAME or UNCLEAR, with its shape; nothing for other arithmetic. */
export function SpeedVerdict({
  verdict
}: Pick<ISpeed, 'verdict'>): React.JSX.Element | null {
  return verdict ? (
    <>
      <Glyph look={lookOfSpeed(verdict)} small /> {verdict}
    </>
  ) : null;
}
