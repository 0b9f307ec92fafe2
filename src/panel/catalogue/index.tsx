import * as React from 'react';

import { Glyph } from '../../mime/components/glyph';
import { IOperator } from '../../tokens';
import { Accordion } from '../section';
import { ISectionProps } from '../view';

interface ICatalogueProps extends ISectionProps {
  /** Those that have a program. */
  operators: readonly IOperator[];
  /** Why nothing can be verified now; empty where it can. */
  whyNotVerify: string;
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
  whyNotVerify,
  isEmulated,
  actions,
  trans
}: ICardProps): React.JSX.Element {
  const { id, name, replaces, summary } = operator;
  const hintId = `jp-KernelPanel-why-${id}`;
  return (
    <li>
      <h3>{name}</h3>
      <p className="jp-KernelPanel-quiet">
        {trans.__('replaces')} <code>{replaces}</code>
      </p>
      <p className="jp-KernelPanel-figure">
        <Glyph look={{ tone: 'none', shape: 'minus' }} small />
        <span>{trans.__('no figure measured yet')}</span>
      </p>
      <div className="jp-KernelPanel-bar">
        <button
          className="jp-mod-strong"
          aria-label={trans.__('Insert optimized %1', name)}
          title={summary}
          onClick={() => actions.insert(id)}
        >
          {trans.__('Insert')}
        </button>
        <button
          aria-label={
            isEmulated
              ? trans.__('Check %1 on CPU', name)
              : trans.__('Verify %1', name)
          }
          aria-describedby={whyNotVerify ? hintId : undefined}
          title={
            whyNotVerify ||
            trans.__('Build the program of the cell and check it')
          }
          disabled={whyNotVerify !== ''}
          onClick={() => actions.verify(id)}
        >
          {isEmulated ? trans.__('Check on CPU') : trans.__('Verify')}
        </button>
        {whyNotVerify && (
          <span className="jp-KernelPanel-hidden" id={hintId}>
            {whyNotVerify}
          </span>
        )}
      </div>
    </li>
  );
}
