import * as React from 'react';
import type { Tone } from '../../ui/appearance';

interface IFrameProps {
  tone: Tone;
  headingId: string;
  busy?: boolean;
  /** Whether the notebook's file alone says what it shows. */
  saved?: boolean;
  children: React.ReactNode;
}

/** The border of a report; an article named by its heading. */
export function Frame(props: IFrameProps): React.JSX.Element {
  return (
    <article
      className={`jp-KernelReport jp-mod-${props.tone}${props.saved ? ' jp-mod-saved' : ''}`}
      aria-labelledby={props.headingId}
      aria-busy={props.busy ? true : undefined}
    >
      {props.children}
    </article>
  );
}
