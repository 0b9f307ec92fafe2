import * as React from 'react';
import type { IGate } from '../../model/types';
import { appearanceOfOutcome } from '../../ui/appearance';
import { Glyph } from '../../ui/glyph';
import { contractName } from '../../ui/words';
import { Prose } from '../parts/prose';
import { useTrans } from '../../ui/trans';

/** What asks for attention first; within an outcome, in the order of the run. */
const ORDER: IGate['outcome'][] = ['fail', 'unsupported', 'pass', 'not run'];

/** Properties beyond right values, those of this problem and those of a drop-in. */
export function Gates({ gates }: { gates: IGate[] }): React.JSX.Element {
  const trans = useTrans();
  const id = React.useId();
  return (
    <div role="group" aria-labelledby={id}>
      <h4 id={id}>
        {trans.__('Gates')}{' '}
        <small>{trans.__('it must behave as the module it replaces')}</small>
      </h4>
      {(['problem', 'drop-in'] as const).map(contract => (
        <GateList
          key={contract}
          name={contractName(contract, trans)}
          gates={gates.filter(gate => gate.contract === contract)}
        />
      ))}
    </div>
  );
}

interface IGateListProps {
  name: string;
  gates: IGate[];
}

function GateList(props: IGateListProps): React.JSX.Element | null {
  const id = React.useId();
  if (props.gates.length === 0) {
    return null;
  }
  const ordered = ORDER.flatMap(outcome =>
    props.gates.filter(gate => gate.outcome === outcome)
  );
  return (
    <>
      <p id={id} className="jp-KernelReport-group">
        {props.name}
      </p>
      <ul className="jp-KernelReport-gates" aria-labelledby={id}>
        {ordered.map((gate, n) => (
          <GateRow key={n} gate={gate} />
        ))}
      </ul>
    </>
  );
}

function GateRow({ gate }: { gate: IGate }): React.JSX.Element {
  const trans = useTrans();
  const outcome = gate.result || gate.outcome;
  // What a failure costs, and why, takes a line of its own; the rest is short.
  const costs = gate.outcome === 'fail' || gate.outcome === 'unsupported';
  return (
    <li className={gate.outcome === 'fail' ? 'jp-mod-failed' : undefined}>
      <Glyph appearance={appearanceOfOutcome(gate.outcome)} small />
      <b>{gate.name}</b>
      <span>
        {gate.message && !costs
          ? trans.__('%1: %2', outcome, gate.message)
          : outcome}
      </span>
      {gate.message && costs && (
        <small>
          <Prose text={gate.message} />
        </small>
      )}
    </li>
  );
}
