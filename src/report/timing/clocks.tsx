import * as React from 'react';
import { formatDuration } from '../../ui/format';
import { roleOf } from '../../model/speed';
import type { IClock, ITiming } from '../../model/types';
import { Glyph } from '../../ui/glyph';
import { upperFirst } from '../../ui/words';
import { useTrans } from '../../ui/trans';

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
  const name = trans.__('Clocks');
  return (
    <div>
      <div
        className="jp-KernelReport-scroll"
        role="group"
        aria-label={name}
        tabIndex={0}
      >
        <table className="jp-KernelReport-table">
          <caption>
            {name} <small>{timing.clocks_conclusion}</small>
          </caption>
          <thead>
            <tr>
              <th scope="col">
                {trans.__('Clock, calls following each other')}
              </th>
              <th scope="col" className="jp-mod-number">
                {trans.__('Time')}
              </th>
              <th scope="col" className="jp-mod-number">
                {trans.__('Difference')}
              </th>
            </tr>
          </thead>
          {programs.map(program => (
            <Group
              key={program}
              name={
                roleOf(timing, program) === 'candidate'
                  ? upperFirst(program)
                  : program
              }
              clocks={clocks.filter(clock => clock.program === program)}
            />
          ))}
        </table>
      </div>
      {notes.map(note => (
        <p key={note} className="jp-KernelReport-note">
          {note}
        </p>
      ))}
    </div>
  );
}

interface IGroupProps {
  name: string;
  clocks: IClock[];
}

function Group({ name, clocks }: IGroupProps): React.JSX.Element {
  const trans = useTrans();
  const first = clocks[0]?.seconds ?? null;
  return (
    <tbody>
      <tr className="jp-mod-group">
        <th colSpan={3} scope="rowgroup">
          {name}
        </th>
      </tr>
      {clocks.map((clock, n) => (
        <tr key={n} className={clock.agrees ? undefined : 'jp-mod-failed'}>
          <th scope="row">
            {upperFirst(clock.name)}
            {clock.against && (
              <small> {trans.__('against %1', clock.against)}</small>
            )}
          </th>
          <td className="jp-mod-number">
            {clock.seconds === null
              ? trans.__('not read')
              : clock.time || formatDuration(clock.seconds, 4)}
          </td>
          <td className="jp-mod-number">
            {!clock.agrees && (
              <Glyph appearance={{ tone: 'info', shape: 'question' }} small />
            )}{' '}
            {n > 0 && clock.seconds !== null && first
              ? difference(clock.seconds / (clock.against_s ?? first) - 1)
              : ''}
          </td>
        </tr>
      ))}
    </tbody>
  );
}

/** "+0.30%", "−0.07%". */
function difference(part: number): string {
  const percent = (Math.abs(part) * 100).toFixed(2);
  return `${part < 0 ? '−' : '+'}${percent}%`;
}
