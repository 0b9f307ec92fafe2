import * as React from 'react';
import { formatCount } from '../../ui/format';
import { useTrans } from '../../ui/trans';

interface ILogProps {
  name: string;
  text: string;
  /** How many lines the whole log has; `text` may be a part. */
  lines: number;
}

/** What a tool said, word for word, folded. */
export function Log({ name, text, lines }: ILogProps): React.JSX.Element {
  const trans = useTrans();
  const shown = text.replace(/\n$/, '').split('\n').length;
  const count = Math.max(lines, shown);
  return (
    <details className="jp-KernelReport-log">
      <summary>
        {count === 1
          ? trans.__('%1, 1 line', name)
          : trans.__('%1, %2 lines', name, formatCount(count))}
      </summary>
      <pre tabIndex={0} role="group" aria-label={name}>
        {text}
      </pre>
    </details>
  );
}
