import * as React from 'react';
import type { ISpeed } from '../../model/types';
import { appearanceOfSpeed } from '../../ui/appearance';
import { Glyph } from '../../ui/glyph';

/** FASTER, SLOWER, SAME or UNCLEAR, with its shape; nothing for other arithmetic. */
export function SpeedVerdict({
  verdict
}: Pick<ISpeed, 'verdict'>): React.JSX.Element | null {
  return verdict ? (
    <>
      <Glyph appearance={appearanceOfSpeed(verdict)} small /> {verdict}
    </>
  ) : null;
}
