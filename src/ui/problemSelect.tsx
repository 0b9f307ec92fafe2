/** What a program is checked against, to choose from: what the notebook offers, then the catalogue. */
import * as React from 'react';

interface IChoice {
  readonly key: string;
  readonly label: string;
  readonly isCatalogue: boolean;
}

interface IProblemSelectProps {
  label: string;
  /** What stands there while nothing is chosen. */
  unchosen: string;
  /** The heading of the operators. */
  catalogue: string;
  choices: readonly IChoice[];
  /** The key of the choice that holds; empty for none. */
  chosen: string;
  onChoose: (key: string) => void;
}

export function ProblemSelect({
  label,
  unchosen,
  catalogue,
  choices,
  chosen,
  onChoose
}: IProblemSelectProps): React.JSX.Element {
  const options = (isCatalogue: boolean) =>
    choices
      .filter(one => one.isCatalogue === isCatalogue)
      .map(one => (
        <option key={one.key} value={one.key}>
          {one.label}
        </option>
      ));
  return (
    <label>
      <span>{label}</span>
      <select value={chosen} onChange={({ target }) => onChoose(target.value)}>
        {chosen === '' && <option value="">{unchosen}</option>}
        {options(false)}
        <optgroup label={catalogue}>{options(true)}</optgroup>
      </select>
    </label>
  );
}
