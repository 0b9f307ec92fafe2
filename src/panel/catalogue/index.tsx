import * as React from 'react';

import { Glyph } from '../../ui/glyph';
import { IAppearance } from '../../ui/appearance';
import { IOperator } from '../../tokens';
import { Accordion } from '../section';
import { ISectionProps } from '../props';

const MEASURED: IAppearance = { tone: 'pass', shape: 'faster' };
const NO_FIGURE: IAppearance = { tone: 'none', shape: 'minus' };

interface ICatalogueProps extends ISectionProps {
  /** Those that have a program. */
  operators: readonly IOperator[];
  /** Why nothing can be inserted now; empty where it can. */
  insertDisabledReason: string;
  /** Why nothing can be verified now; empty where it can. */
  verifyDisabledReason: string;
  /** Why nothing can be timed now; empty where it can. */
  timeDisabledReason: string;
  isEmulated: boolean;
}

export function CatalogueSection({
  operators,
  ...props
}: ICatalogueProps): React.JSX.Element {
  return (
    <Accordion
      title={props.trans.__('Catalogue')}
      note={String(operators.length)}
    >
      <ul className="jp-KernelPanel-cards">
        {operators.map(operator => (
          <Card key={operator.id} operator={operator} {...props} />
        ))}
      </ul>
    </Accordion>
  );
}

interface ICardProps extends Omit<ICatalogueProps, 'operators'> {
  operator: IOperator;
}

function Card({
  operator,
  insertDisabledReason,
  verifyDisabledReason,
  timeDisabledReason,
  isEmulated,
  actions,
  trans
}: ICardProps): React.JSX.Element {
  const { id, name, replaces, summary, figure } = operator;
  return (
    <li>
      <h3>{name}</h3>
      <p className="jp-KernelPanel-quiet">
        {trans.__('replaces')} <code>{replaces}</code>
      </p>
      <p className="jp-KernelPanel-figure">
        <Glyph appearance={figure === null ? NO_FIGURE : MEASURED} small />
        <span>{figure ?? trans.__('no figure measured yet')}</span>
      </p>
      <div className="jp-KernelPanel-bar">
        <CardButton
          isStrong
          name={trans.__('Insert optimized %1', name)}
          label={trans.__('Insert')}
          title={summary}
          whyNot={insertDisabledReason}
          onClick={() => actions.insert(id)}
        />
        <CardButton
          name={
            isEmulated
              ? trans.__('Check %1 on CPU', name)
              : trans.__('Verify %1', name)
          }
          label={isEmulated ? trans.__('Check on CPU') : trans.__('Verify')}
          title={trans.__('Build the program of the cell and check it')}
          whyNot={verifyDisabledReason}
          onClick={() => actions.verify(id)}
        />
        <CardButton
          name={trans.__('Benchmark %1', name)}
          label={trans.__('Benchmark')}
          title={trans.__(
            'Build the program of the cell, check it and time it against PyTorch'
          )}
          whyNot={timeDisabledReason}
          onClick={() => actions.benchmark(id)}
        />
      </div>
      <Preview operator={operator} trans={trans} />
    </li>
  );
}

/** The program before it is inserted; loaded when it is opened. */
function Preview({
  operator: { name, loadProgram },
  trans
}: Pick<ICardProps, 'operator' | 'trans'>): React.JSX.Element {
  const [program, setProgram] = React.useState<string | null>(null);
  const load = async () => {
    try {
      setProgram((await loadProgram?.()) ?? '');
    } catch {
      setProgram(trans.__('The Jupyter server did not answer.'));
    }
  };
  return (
    <details
      className="jp-KernelPanel-preview"
      onToggle={({ currentTarget }) => {
        if (currentTarget.open && program === null) {
          void load();
        }
      }}
    >
      <summary>{trans.__('Program')}</summary>
      <pre tabIndex={0} aria-label={trans.__('Program of %1', name)}>
        {program ?? trans.__('Loading…')}
      </pre>
    </details>
  );
}

interface ICardButtonProps {
  isStrong?: boolean;
  /** With the object that it acts on. */
  name: string;
  label: string;
  title: string;
  /** Why it cannot be pressed now; empty where it can. */
  whyNot: string;
  onClick: () => void;
}

/** A button that says why it is disabled, to a keyboard as well. */
function CardButton(props: ICardButtonProps): React.JSX.Element {
  const hintId = React.useId();
  const { whyNot } = props;
  return (
    <>
      <button
        className={props.isStrong ? 'jp-mod-strong' : undefined}
        aria-label={props.name}
        aria-describedby={whyNot ? hintId : undefined}
        aria-disabled={whyNot !== ''}
        title={whyNot || props.title}
        onClick={() => {
          if (!whyNot) {
            props.onClick();
          }
        }}
      >
        {props.label}
      </button>
      {whyNot && (
        <span className="jp-KernelPanel-hidden" id={hintId}>
          {whyNot}
        </span>
      )}
    </>
  );
}
