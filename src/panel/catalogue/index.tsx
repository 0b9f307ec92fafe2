import * as React from 'react';

import { Glyph } from '../../ui/glyph';
import { IAppearance } from '../../ui/appearance';
import { formOf, IOperator, loadForm, ProgramForm } from '../../tokens';
import { Accordion } from '../section';
import { ISectionProps } from '../props';
import { PanelButton } from '../button';
import { FormChoice } from './form';
import { Given, missingParameter, Parameters, valuesOf } from './parameters';

const MEASURED: IAppearance = { tone: 'pass', shape: 'faster' };
const NO_FIGURE: IAppearance = { tone: 'none', shape: 'minus' };

/** From how many operators on they are shown by group. */
const MANY = 8;

interface ICatalogueProps extends ISectionProps {
  /** Those that have a program. */
  operators: readonly IOperator[];
  /** The form of a program, until one is chosen on its card. */
  form: ProgramForm;
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
  const { trans } = props;
  const [filter, setFilter] = React.useState('');
  const shown = operators.filter(operator => matches(operator, filter));
  const isGrouped = operators.length >= MANY;
  const groups = groupsOf(shown, isGrouped, trans.__('Others'));
  return (
    <Accordion
      title={trans.__('Catalogue')}
      note={
        shown.length < operators.length
          ? trans.__('%1 of %2', shown.length, operators.length)
          : String(operators.length)
      }
    >
      <input
        className="jp-KernelPanel-filter"
        type="search"
        placeholder={trans.__('Filter kernels')}
        aria-label={trans.__('Filter kernels')}
        value={filter}
        onChange={({ target }) => setFilter(target.value)}
      />
      <p className="jp-KernelPanel-quiet" role="status">
        {shown.length === 0 && trans.__('No kernel has these words.')}
      </p>
      {groups.map(([group, members]) => (
        <React.Fragment key={group}>
          {group && <h3 className="jp-KernelPanel-group">{group}</h3>}
          <ul className="jp-KernelPanel-cards" aria-label={group || undefined}>
            {members.map(operator => (
              <Card
                key={operator.id}
                operator={operator}
                level={group ? 4 : 3}
                {...props}
              />
            ))}
          </ul>
        </React.Fragment>
      ))}
    </Accordion>
  );
}

/**
 * The operators by group, in the order of each group's first, those without one
 * last; all in one whose name is empty, where there are no groups.
 */
function groupsOf(
  operators: readonly IOperator[],
  isGrouped: boolean,
  others: string
): [string, IOperator[]][] {
  const groups = new Map<string, IOperator[]>();
  for (const operator of operators) {
    const group = isGrouped ? (operator.group ?? others) : '';
    groups.set(group, [...(groups.get(group) ?? []), operator]);
  }
  return [...groups].sort(
    ([one], [other]) => Number(one === others) - Number(other === others)
  );
}

/** Whether all words of a filter stand in what a card says. */
function matches(operator: IOperator, filter: string): boolean {
  const { id, name, replaces, summary, magic, group = '' } = operator;
  const text = [id, name, replaces, summary, magic, group]
    .join(' ')
    .toLowerCase();
  const words = filter.toLowerCase().split(/\s+/);
  return words.every(word => text.includes(word));
}

interface ICardProps extends Omit<ICatalogueProps, 'operators'> {
  operator: IOperator;
  /** The level of its heading: below that of its group, if there is one. */
  level: 3 | 4;
}

function Card({
  operator,
  level,
  form: set,
  ...props
}: ICardProps): React.JSX.Element {
  const { name, replaces, figure, parameters } = operator;
  const { trans } = props;
  const Heading = `h${level}` as const;
  const [given, setGiven] = React.useState<Given>({});
  const [chosen, setChosen] = React.useState<ProgramForm>();
  const form = formOf(operator, chosen ?? set);
  const loadProgram = loadForm(operator, form);
  const values = valuesOf(operator, given);
  return (
    <li>
      <Heading>{name}</Heading>
      <p className="jp-KernelPanel-quiet">
        {trans.__('replaces')} <code>{replaces}</code>
      </p>
      <p className="jp-KernelPanel-figure">
        <Glyph appearance={figure === null ? NO_FIGURE : MEASURED} small />
        <span>{figure ?? trans.__('no figure measured yet')}</span>
      </p>
      <FormChoice
        operator={operator}
        form={form}
        onChange={setChosen}
        trans={trans}
      />
      <CardButtons
        operator={operator}
        chosen={chosen}
        onInsert={() =>
          props.actions.insert(operator.id, {
            ...(chosen && { form: chosen }),
            ...(values && { parameters: values })
          })
        }
        missing={missingParameter(operator, given)}
        {...props}
      />
      {parameters && parameters.length > 0 && (
        <Parameters
          operator={operator}
          given={given}
          onChange={setGiven}
          trans={trans}
        />
      )}
      <Preview name={name} loadProgram={loadProgram} trans={trans} />
    </li>
  );
}

interface ICardButtonsProps extends Omit<ICardProps, 'form' | 'level'> {
  /** The form that was chosen on the card, if one was. */
  chosen?: ProgramForm;
  onInsert: () => void;
  /** The parameter that still needs a value; empty where none does. */
  missing: string;
}

function CardButtons({
  operator,
  chosen,
  onInsert,
  missing,
  insertDisabledReason,
  verifyDisabledReason,
  timeDisabledReason,
  isEmulated,
  actions,
  trans
}: ICardButtonsProps): React.JSX.Element {
  const { id, name, summary } = operator;
  return (
    <div className="jp-KernelPanel-bar">
      <PanelButton
        isStrong
        name={trans.__('Insert optimized %1', name)}
        label={trans.__('Insert')}
        title={summary}
        whyNot={
          insertDisabledReason ||
          (missing && trans.__('Needs a value of %1', missing))
        }
        inserts={{ operator: id, form: chosen }}
        onClick={onInsert}
      />
      <PanelButton
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
      <PanelButton
        name={trans.__('Benchmark %1', name)}
        label={trans.__('Benchmark')}
        title={trans.__(
          'Build the program of the cell, check it and time it against PyTorch'
        )}
        whyNot={timeDisabledReason}
        onClick={() => actions.benchmark(id)}
      />
    </div>
  );
}

interface IPreviewProps extends Pick<ISectionProps, 'trans'> {
  name: string;
  loadProgram: IOperator['loadProgram'];
}

/** The program before it is inserted; loaded when it is opened, and for each form. */
function Preview({
  name,
  loadProgram,
  trans
}: IPreviewProps): React.JSX.Element {
  const [isOpen, setOpen] = React.useState(false);
  const [program, setProgram] = React.useState<string | null>(null);
  React.useEffect(() => {
    let isWanted = isOpen;
    const show = (text: string) => {
      if (isWanted) {
        setProgram(text);
      }
    };
    if (isOpen) {
      loadProgram?.().then(show, () =>
        show(trans.__('The Jupyter server did not answer.'))
      );
    }
    return () => {
      isWanted = false;
    };
  }, [isOpen, loadProgram, trans]);
  return (
    <details
      className="jp-KernelPanel-preview"
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary>{trans.__('Program')}</summary>
      <pre tabIndex={0} aria-label={trans.__('Program of %1', name)}>
        {program ?? trans.__('Loading…')}
      </pre>
    </details>
  );
}
