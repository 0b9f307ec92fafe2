import * as React from 'react';

import { ProgramForm } from '../tokens';
import { CommandIDs } from '../tokens/commandIds';

interface IPanelButtonProps {
  isStrong?: boolean;
  /** With the object that it acts on. */
  name: string;
  label: string;
  title: string;
  /** Why it cannot be pressed now; empty where it can. */
  whyNot: string;
  /** What it inserts, said on the page: it is loaded when the pointer or the focus comes. */
  inserts?: { operator: string; form?: ProgramForm };
  onClick: () => void;
}

/** A button that says why it is disabled, to a keyboard as well. */
export function PanelButton(props: IPanelButtonProps): React.JSX.Element {
  const hintId = React.useId();
  const { whyNot, inserts } = props;
  return (
    <>
      <button
        className={props.isStrong ? 'jp-mod-strong' : undefined}
        aria-label={props.name}
        aria-describedby={whyNot ? hintId : undefined}
        aria-disabled={whyNot !== ''}
        title={whyNot || props.title}
        data-command={inserts && CommandIDs.insert}
        data-operator={inserts?.operator}
        data-form={inserts?.form}
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
