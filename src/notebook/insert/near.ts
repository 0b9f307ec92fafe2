/**
 * Loads what Insert needs when the pointer or the focus comes to what inserts: a
 * press may follow, and then nobody waits for the Jupyter server.
 *
 * In: the page's buttons and menu items that carry the command's name. Nothing is
 * sent to a kernel, and nothing is loaded while they are only in sight.
 */

import { IOperator } from '../../tokens';
import { CommandIDs } from '../../tokens/commandIds';
import { ICommandContext } from '../commandContext';
import { loadInsertion } from './program';

/** Lab writes it on the items of its toolbars, menus and palette, the panel on its cards. */
const INSERTS = `[data-command="${CommandIDs.insert}"]`;

type Context = Pick<ICommandContext, 'app' | 'catalogue' | 'preferences'>;

export function loadWhenNear({ app, catalogue, preferences }: Context): void {
  const onNear = ({ target }: Event) => {
    const item =
      target instanceof Element && target.closest<HTMLElement>(INSERTS);
    if (!item) {
      return;
    }
    const { operator: id, form } = item.dataset;
    // Lab's toolbar does not say which: the first has its button.
    const operator =
      id === undefined ? catalogue.operators[0] : catalogue.get(id);
    if (
      operator &&
      app.commands.isEnabled(CommandIDs.insert, { operator: operator.id })
    ) {
      void load(operator, form);
    }
  };
  const load = async (operator: IOperator, form?: string) => {
    try {
      await loadInsertion(operator, preferences(), form);
    } catch {
      // A press asks again, and says whether it came.
    }
  };
  document.addEventListener('pointerover', onNear);
  document.addEventListener('focusin', onNear);
}
