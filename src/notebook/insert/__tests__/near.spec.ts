import { JupyterFrontEnd } from '@jupyterlab/application';

import { Catalogue } from '../../../catalogue/catalogue';
import { CommandIDs } from '../../../tokens/commandIds';
import { lab } from '../../__tests__/lab';
import { sources } from '../../__tests__/notebook';
import { DEFAULTS } from '../../preferences';
import { loadWhenNear } from '../near';

/** A page with a notebook, or without one, in which the programs of two operators can be loaded. */
function page(cells: { source: string }[] | null = [{ source: 'a' }]) {
  const loaded: string[] = [];
  const load = (name: string) => () => {
    loaded.push(name);
    return Promise.resolve(name);
  };
  const [one] = new Catalogue().operators;
  const operators = ['first', 'second'].map(id => ({
    ...one!,
    id,
    loadProgram: load(id),
    otherForms: [
      { form: 'short' as const, loadProgram: load(`${id} short`), givenUp: '' }
    ]
  }));
  const { commands, content } = lab(cells, [], operators);
  loadWhenNear({
    app: { commands } as unknown as JupyterFrontEnd,
    catalogue: new Catalogue(operators),
    preferences: () => DEFAULTS
  });
  return { loaded, operators, commands, content };
}

/** An item of the page with that data, with an icon in it to which an event comes. */
function item(data: Record<string, string>): HTMLElement {
  const button = document.createElement('button');
  Object.assign(button.dataset, data);
  document.body.append(button);
  return button.appendChild(document.createElement('span'));
}

function come(to: HTMLElement, event = 'pointerover'): void {
  to.dispatchEvent(new Event(event, { bubbles: true }));
}

describe('what Insert needs', () => {
  const command = CommandIDs.insert;

  it.each(['pointerover', 'focusin'])(
    'is loaded at %s of what inserts, and nothing before',
    event => {
      const { loaded, content } = page();
      const toolbar = item({ command });
      const menu = item({ command, operator: 'second' });
      const card = item({ command, operator: 'second', form: 'short' });
      expect(loaded).toEqual([]);
      come(toolbar, event);
      expect(loaded).toEqual(['first']);
      come(menu, event);
      expect(loaded).toEqual(['first', 'second']);
      come(card, event);
      expect(loaded).toEqual(['first', 'second', 'second short']);
      expect(sources(content)).toEqual(['a']);
    }
  );

  it('is not loaded elsewhere, for no operator, or where nothing can be inserted', () => {
    const { loaded } = page();
    come(item({}));
    come(item({ command: CommandIDs.verify }));
    come(item({ command, operator: '' }));
    come(item({ command, operator: '__proto__' }));
    expect(loaded).toEqual([]);
    const without = page(null);
    come(item({ command }));
    expect(without.loaded).toEqual([]);
  });

  it('is asked for again by a press where it did not come', async () => {
    const { operators, commands, content } = page();
    const load = jest
      .spyOn(operators[0]!, 'loadProgram')
      .mockRejectedValueOnce(new Error('Loading chunk 7 failed'));
    come(item({ command }));
    expect(load).toHaveBeenCalledTimes(1);
    await commands.execute(command, { operator: 'first' });
    expect(sources(content)[1]).toBe('first');
  });

  it('names its operator on the items of a menu', () => {
    const { commands } = page();
    expect(commands.dataset(command, { operator: 'second' })).toEqual({
      operator: 'second'
    });
  });
});
