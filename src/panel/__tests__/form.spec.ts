/** The panel: the form of a program that is inserted. */
import { act } from 'react';

import { Catalogue } from '../../catalogue/catalogue';
import { actions, draw, setUp } from './draw';

setUp();

const { operators } = new Catalogue();

function choiceOf(node: HTMLElement, name: string): HTMLSelectElement | null {
  return node.querySelector(`[aria-label="Form of ${name}"]`);
}

function choose(select: HTMLSelectElement, form: string): void {
  act(() => {
    select.value = form;
    select.dispatchEvent(new Event('change', { bubbles: true }));
  });
}

/** What the card says of the form that stands in its choice. */
function hintOf(node: HTMLElement, select: HTMLSelectElement): string {
  const id = select.getAttribute('aria-describedby');
  return node.querySelector(`[id="${id}"]`)?.textContent ?? '';
}

const withoutShort = {
  ...operators[1]!,
  otherForms: operators[1]!.otherForms!.filter(({ form }) => form !== 'short')
};

it('offers the forms that an operator has', () => {
  const { node } = draw({ operators: [operators[0]!, withoutShort] });
  const offered = (name: string) =>
    [...choiceOf(node, name)!.options].map(({ value }) => value);
  expect(offered('LeakyReLU')).toEqual(['full', 'short', 'benchmark']);
  expect(offered(withoutShort.name)).toEqual(['full', 'benchmark']);
});

it('offers no choice where there is one form', () => {
  const { otherForms: _, ...operator } = operators[0]!;
  const { node } = draw({ operators: [operator] });
  expect(choiceOf(node, 'LeakyReLU')).toBeNull();
});

it('inserts the chosen form, and says what it gives up', () => {
  const { node, button } = draw({});
  const select = choiceOf(node, 'LeakyReLU')!;
  expect(hintOf(node, select)).toBe('');

  choose(select, 'short');

  const { givenUp } = operators[0]!.otherForms![0]!;
  expect(hintOf(node, select)).toBe(`Gives up: ${givenUp}`);
  button('Insert optimized LeakyReLU').click();
  expect(actions.insert).toHaveBeenCalledWith('leakyrelu', { form: 'short' });
});

it('begins with the form that the person has set, or the full one where that is missing', () => {
  const shown = [operators[0]!, withoutShort];
  const { node, button } = draw({ form: 'short', operators: shown });
  expect(choiceOf(node, 'LeakyReLU')!.value).toBe('short');
  expect(choiceOf(node, withoutShort.name)!.value).toBe('full');
  button('Insert optimized LeakyReLU').click();
  expect(actions.insert).toHaveBeenCalledWith('leakyrelu', {});
});

it('shows the program of the chosen form before it is inserted', async () => {
  const { node } = draw({});
  const details = node.querySelector<HTMLDetailsElement>(
    '.jp-KernelPanel-preview'
  )!;
  const settled = () => act(() => new Promise(done => setTimeout(done)));
  details.open = true;
  details.dispatchEvent(new Event('toggle'));
  await settled();
  const shown = () => details.querySelector('pre')?.textContent ?? '';
  expect(shown()).toBe(await operators[0]!.loadProgram!());

  choose(choiceOf(node, 'LeakyReLU')!, 'short');
  await settled();

  expect(shown()).toContain('in CUDA, short');
});
