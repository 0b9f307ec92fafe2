import { Clipboard } from '@jupyterlab/apputils';
import { CommandRegistry } from '@lumino/commands';
import { Menu } from '@lumino/widgets';
import * as React from 'react';
import type { IReport } from '../../model/types';
import { useTrans, type Trans } from '../../ui/trans';
import { useView } from '../parts/view';
import { asJson, asMarkdown, asPng } from './copies';

/** How long a button says that it copied. */
const COPIED_MS = 2000;

interface ICopyProps {
  report: IReport;
  summary: string;
  /** Set by the toolbar. */
  tabIndex?: number;
}

/** A button with a menu of the forms in which a report can be copied. */
export function Copy({
  report,
  summary,
  tabIndex
}: ICopyProps): React.JSX.Element {
  const trans = useTrans();
  const [said, setSaid] = React.useState('');
  const { forModel } = useView();

  React.useEffect(() => {
    if (said) {
      const timer = setTimeout(() => setSaid(''), COPIED_MS);
      return () => clearTimeout(timer);
    }
  }, [said]);

  const { label } = report.candidate;
  const forms = (button: HTMLElement): Forms => ({
    [trans.__('Copy as text')]: () => Clipboard.copyToSystem(summary),
    [trans.__('Copy as Markdown')]: () =>
      Clipboard.copyToSystem(asMarkdown(report, summary)),
    ...(forModel && {
      [trans.__('Copy for the model')]: () => Clipboard.copyToSystem(forModel)
    }),
    [trans.__('Copy as JSON')]: () => Clipboard.copyToSystem(asJson(report)),
    [trans.__('Copy as PNG')]: () =>
      copyPicture(button.closest<HTMLElement>('.jp-KernelReport'))
  });
  return (
    <button
      type="button"
      className="jp-KernelReport-button jp-mod-flat jp-KernelReport-copy"
      aria-haspopup="menu"
      aria-label={
        said ? trans.__('%1: %2', said, label) : trans.__('Copy: %1', label)
      }
      title={trans.__('Copy this report')}
      tabIndex={tabIndex}
      onClick={({ currentTarget }) =>
        openMenu(currentTarget, forms(currentTarget), setSaid, trans)
      }
    >
      {said || trans.__('Copy')}
    </button>
  );
}

/** By what they are called. */
type Forms = Readonly<Record<string, () => void | Promise<void>>>;

/** Lab's own kind of menu, below the button; the keyboard goes along it. */
function openMenu(
  button: HTMLElement,
  forms: Forms,
  say: (words: string) => void,
  trans: Trans
): void {
  const commands = new CommandRegistry();
  const menu = new Menu({ commands });
  Object.entries(forms).forEach(([label, copy], n) => {
    const command = `copy-${n}`;
    commands.addCommand(command, {
      label,
      describedBy: { args: { type: 'object', properties: {} } },
      execute: async () => {
        button.focus();
        try {
          await copy();
          say(trans.__('Copied'));
        } catch {
          say(trans.__('Not copied'));
        }
      }
    });
    menu.addItem({ command });
  });
  menu.aboutToClose.connect(() => {
    // What was chosen runs after the menu has closed.
    setTimeout(() => menu.dispose());
  });
  const { left, bottom } = button.getBoundingClientRect();
  menu.open(left, bottom);
}

/** Into the clipboard; browsers offer pictures to it on https and localhost only. */
async function copyPicture(node: HTMLElement | null): Promise<void> {
  if (!node) {
    return;
  }
  // The browser wants to be asked while the press lasts.
  await navigator.clipboard.write([
    new ClipboardItem({ 'image/png': asPng(node) })
  ]);
}
