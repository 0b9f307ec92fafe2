import * as React from 'react';
import { roleOf } from '../../model/speed';
import type { IClock, ITiming } from '../../model/types';
import { Glyph } from '../../ui/glyph';
import { upperFirst } from '../../ui/words';
import { ScrollTable, type IRow } from '../../ui/table';
import { useTrans, type Trans } from '../../ui/trans';

/** Ways to tell the time of the same calls, against each other. */
export function Clocks({
  timing
}: {
  timing: ITiming;
}): React.JSX.Element | null {
  const trans = useTrans();
  const { clocks } = timing;
  if (clocks.length === 0) {
    return null;
  }
  const programs = [...new Set(clocks.map(({ program }) => program))];
  const notes = [
    ...new Set(
      clocks
        .filter(({ note }) => note !== '')
        .map(({ name, note }) => `${upperFirst(name)}: ${note}`)
    )
  ];
  return (
    <div>
      <ScrollTable
        label={trans.__('Clocks')}
        caption={trans.__('Clocks')}
        hint={timing.clocks_conclusion}
        columns={[
          { name: trans.__('Clock, calls following each other') },
          { name: trans.__('Time'), kind: 'number' },
          { name: trans.__('Difference'), kind: 'number' }
        ]}
        groups={programs.map(program => ({
          name:
            roleOf(timing, program) === 'candidate'
              ? upperFirst(program)
              : program,
          rows: clockRows(
            clocks.filter(clock => clock.program === program),
            trans
          )
        }))}
      />
      {notes.map(note => (
        <p key={note} className="jp-KernelReport-note">
          {note}
        </p>
      ))}
    </div>
  );
}

/** The clocks of one program, each against the first, or as it says. */
function clockRows(clocks: readonly IClock[], trans: Trans): IRow[] {
  const first = clocks[0]?.seconds ?? null;
  return clocks.map((clock, n) => ({
    kind: clock.agrees ? undefined : 'failed',
    name: (
      <>
        {upperFirst(clock.name)}
        {clock.against && (
          <small> {trans.__('against %1', clock.against)}</small>
        )}
      </>
    ),
    cells: [
      clock.seconds === null ? trans.__('not read') : clock.time,
      <>
        {!clock.agrees && (
          <Glyph appearance={{ tone: 'info', shape: 'question' }} small />
        )}{' '}
        {n > 0 && clock.seconds !== null && first
          ? difference(clock.seconds / (clock.against_s ?? first) - 1)
          : ''}
      </>
    ]
  }));
}

/** "+0.30%", "−0.07%". */
function difference(part: number): string {
  const percent = (Math.abs(part) * 100).toFixed(2);
  return `${part < 0 ? '−' : '+'}${percent}%`;
}
