/**
 * The program of the active cell: what it is checked against, how, and what
 * checks it. Where that cell has no program, the way to one.
 */

import * as React from 'react';

import { textForModel } from '../../model';
import { ICellProgram, IRun, RunOptions } from '../../tokens';
import { ProblemSelect } from '../../ui/problemSelect';
import { PanelButton } from '../button';
import { ISectionProps } from '../props';
import { Accordion } from '../section';

interface IThisCellProps extends ISectionProps {
  program: ICellProgram | null;
  /** Newest first. */
  runs: readonly IRun[];
  /** Why nothing can be verified now; empty where it can. */
  verifyDisabledReason: string;
  /** Why nothing can be timed now; empty where it can. */
  timeDisabledReason: string;
}

export function ThisCell(props: IThisCellProps): React.JSX.Element {
  const { program, actions, trans } = props;
  if (!program) {
    return (
      <Accordion title={trans.__('This cell')} note={trans.__('no program')}>
        <p className="jp-KernelPanel-quiet">
          {trans.__(
            'Copy a model’s answer and paste it here, or select a cell that defines ModelNew.'
          )}
        </p>
        <div className="jp-KernelPanel-bar">
          <button onClick={() => actions.paste()}>
            {trans.__('Paste and verify')}
          </button>
        </div>
      </Accordion>
    );
  }
  const { cellId, prompt, options } = program;
  return (
    <Accordion
      title={trans.__('This cell')}
      note={prompt === null ? undefined : `[${prompt}]`}
    >
      <div className="jp-KernelPanel-problem">
        <ProblemSelect
          label={trans.__('Check against')}
          unchosen={trans.__('Choose…')}
          catalogue={trans.__('Catalogue')}
          {...program}
          onChoose={key => actions.choose(cellId, key)}
        />
      </div>
      <HowChecked
        key={cellId}
        options={options}
        onChange={changed => actions.setOptions(cellId, changed)}
        trans={trans}
      />
      <Buttons {...props} cellId={cellId} />
    </Accordion>
  );
}

function Buttons({
  cellId,
  runs,
  verifyDisabledReason,
  timeDisabledReason,
  actions,
  trans
}: IThisCellProps & { cellId: string }): React.JSX.Element {
  const last = runs.find(({ report }) => report.candidate.cell_id === cellId);
  return (
    <div className="jp-KernelPanel-bar">
      <PanelButton
        isStrong
        name={trans.__('Verify this cell')}
        label={trans.__('Verify')}
        title={trans.__('Build the program of the cell and check it')}
        whyNot={verifyDisabledReason}
        onClick={() => actions.runCell('verify', cellId)}
      />
      <PanelButton
        name={trans.__('Benchmark this cell')}
        label={trans.__('Benchmark')}
        title={trans.__(
          'Build the program of the cell, check it and time it against PyTorch'
        )}
        whyNot={timeDisabledReason}
        onClick={() => actions.runCell('benchmark', cellId)}
      />
      <PanelButton
        name={trans.__('Paste another program and verify it')}
        label={trans.__('Paste and verify')}
        title={trans.__(
          'Take a model’s answer from the clipboard, put its program into cells, and verify it'
        )}
        whyNot=""
        onClick={() => actions.paste()}
      />
      {last && textForModel(last) !== null && (
        <PanelButton
          name={trans.__('Copy run %1 for the model', last.number)}
          label={trans.__('Copy for the model')}
          title={trans.__(
            'What is wrong, where, and what to change, as a text to be pasted into a model’s chat'
          )}
          whyNot=""
          onClick={() => actions.copyForModel(last.id)}
        />
      )}
    </div>
  );
}

interface IHowCheckedProps extends Pick<ISectionProps, 'trans'> {
  options: RunOptions;
  onChange: (changed: Partial<RunOptions>) => void;
}

/** Effort, contract and tolerances; closed, it says which of them are not the usual ones. */
function HowChecked({
  options,
  onChange,
  trans
}: IHowCheckedProps): React.JSX.Element {
  const { thorough, contract, rtol, atol } = options;
  const unusual = [
    thorough ? trans.__('thorough') : '',
    contract === 'drop-in' ? trans.__('as a drop-in') : '',
    rtol > 0 ? `rtol ${rtol}` : '',
    atol > 0 ? `atol ${atol}` : ''
  ].filter(part => part !== '');
  return (
    <details className="jp-KernelPanel-how">
      <summary>
        {trans.__('Effort and tolerances')}
        <em>{unusual.join(', ') || trans.__('as usual')}</em>
      </summary>
      <Choice
        label={trans.__('Effort')}
        value={thorough ? 'thorough' : 'usual'}
        choices={{
          usual: trans.__('Usual'),
          thorough: trans.__('Thorough: more cases')
        }}
        onChange={value => onChange({ thorough: value === 'thorough' })}
      />
      <Choice
        label={trans.__('Held to')}
        value={contract}
        choices={{
          problem: trans.__('The problem'),
          'drop-in': trans.__('A drop-in for the module')
        }}
        onChange={value =>
          onChange({ contract: value === 'drop-in' ? value : 'problem' })
        }
      />
      <Tolerance
        label={trans.__('Relative tolerance')}
        value={rtol}
        onChange={value => onChange({ rtol: value })}
      />
      <Tolerance
        label={trans.__('Absolute tolerance')}
        value={atol}
        onChange={value => onChange({ atol: value })}
      />
      <p className="jp-KernelPanel-quiet">
        {trans.__(
          'Tolerances as in torch.allclose; empty: the judge’s own. The settings hold what is usual.'
        )}
      </p>
    </details>
  );
}

interface IChoiceProps {
  label: string;
  value: string;
  /** What can be chosen, with its words. */
  choices: Readonly<Record<string, string>>;
  onChange: (value: string) => void;
}

function Choice({
  label,
  value,
  choices,
  onChange
}: IChoiceProps): React.JSX.Element {
  return (
    <label>
      {label}
      <select value={value} onChange={({ target }) => onChange(target.value)}>
        {Object.entries(choices).map(([key, words]) => (
          <option key={key} value={key}>
            {words}
          </option>
        ))}
      </select>
    </label>
  );
}

interface IToleranceProps {
  label: string;
  value: number;
  onChange: (value: number) => void;
}

/** What is being typed may be no number yet. */
function Tolerance({
  label,
  value,
  onChange
}: IToleranceProps): React.JSX.Element {
  const [typed, setTyped] = React.useState(value > 0 ? String(value) : '');
  const isBroken = !(Number(typed) >= 0);
  return (
    <label>
      {label}
      <input
        inputMode="decimal"
        aria-invalid={isBroken}
        value={typed}
        onChange={({ target }) => {
          setTyped(target.value);
          const now = Number(target.value);
          if (now >= 0 && Number.isFinite(now)) {
            onChange(now);
          }
        }}
      />
    </label>
  );
}
