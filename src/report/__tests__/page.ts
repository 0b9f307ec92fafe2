/** A page with reports on it, as their renderer draws them, and what a test reads of them. */
import { MimeModel } from '@jupyterlab/rendermime';
import type { IRenderMime } from '@jupyterlab/rendermime-interfaces';
import type { ReadonlyPartialJSONObject } from '@lumino/coreutils';
import type { IDisposable } from '@lumino/disposable';
import { Widget } from '@lumino/widgets';
import { flushSync } from 'react-dom';
import type { FixPlace } from '../../model/fix';
import { REPORT_MIME } from '../../model/mimeType';
import { reportBus, type IRunState } from '../../model/reportBus';
import extension from '..';
import { inTurn } from '../turns';
// The renderer loads it with the first report: here before the time of a test counts.
import '../draw';

export function bundle(report: unknown, plain = 'KernelGate summary') {
  return {
    [REPORT_MIME]: report,
    'text/plain': plain
  } as ReadonlyPartialJSONObject;
}

let widgets: IRenderMime.IRenderer[] = [];
let outputs: IRenderMime.IMimeModel[] = [];
let known: IRunState | null = null;
let answers: IDisposable | null = null;

/** A renderer on the page that shows `report`, and the model behind it. */
export async function render(
  report: unknown,
  plain?: string,
  trans?: IRenderMime.TranslationBundle
) {
  const widget = extension.rendererFactory.createRenderer({
    mimeType: REPORT_MIME,
    resolver: null,
    sanitizer: { sanitize: (text: string) => text },
    linkHandler: null,
    latexTypesetter: null,
    translator: trans && { languageCode: 'pseudo', load: () => trans }
  });
  widgets.push(widget);
  const model = new MimeModel({ data: bundle(report, plain) });
  outputs.push(model);
  Widget.attach(widget, document.body);
  await widget.renderModel(model);
  await whole(widget.node);
  return { widget, model, node: widget.node };
}

/** What is in closed sections comes after the report is on the page. */
export async function whole(node: HTMLElement): Promise<void> {
  while (node.querySelector('details[aria-busy="true"]')) {
    await settled();
  }
}

/** The same, where only what is drawn counts. */
export async function draw(report: unknown): Promise<HTMLElement> {
  return (await render(report)).node;
}

/** From now on every output is one of an open notebook, in that state. */
export function know(state: IRunState): void {
  known = state;
  answers ??= reportBus.answer(() => known);
  for (const output of outputs) {
    reportBus.announce(output);
  }
}

/** Takes every report off the page. */
export function clearPage(): void {
  widgets.forEach(widget => widget.dispose());
  widgets = [];
  outputs = [];
  answers?.dispose();
  answers = null;
}

/** A fix as the notebook has placed it. */
export const PLACED: FixPlace = {
  kind: 'placed',
  offset: 3,
  end: 3,
  text: 'int f();',
  line: 7,
  rows: [
    { sign: '−', line: 7, text: 'cpp = ""' },
    { sign: '+', line: 7, text: 'cpp = "int f();"' }
  ]
};

/** Let the lazy import of a redraw settle. */
export async function settled(): Promise<void> {
  await new Promise(resolve => setTimeout(resolve, 0));
  await inTurn(() => undefined); // behind the draws that wait, on a slow machine
}

export function textOf(root: ParentNode, selector: string): string {
  return root.querySelector(selector)?.textContent?.trim() ?? '';
}

export function button(
  root: ParentNode,
  name: string
): HTMLButtonElement | undefined {
  return [...root.querySelectorAll('button')].find(
    ({ textContent }) => textContent === name
  );
}

export function section(root: ParentNode, name: string): HTMLDetailsElement {
  const found = findSection(root, name);
  if (!found) {
    throw new Error(`no section ${name}`);
  }
  return found;
}

export function findSection(
  root: ParentNode,
  name: string
): HTMLDetailsElement | undefined {
  return [...root.querySelectorAll('details')].find(
    details => details.querySelector('summary b')?.textContent === name
  );
}

export function conclusion(details: HTMLDetailsElement): string {
  return details.querySelector('summary span')?.textContent ?? '';
}

/** The cells of a table's rows, without those that hold a chart. */
export function rows(root: ParentNode, name: string): string[][] {
  return [...table(root, name).querySelectorAll('tbody tr')].map(row =>
    [...row.children]
      .filter(cell => !cell.querySelector('svg[role="img"]'))
      .map(cell => (cell.textContent ?? '').trim())
  );
}

/** The group of a table or chart, by its name. */
export function group(root: ParentNode, name: string): HTMLElement {
  const found = root.querySelector<HTMLElement>(
    `[role="group"][aria-label="${name}"]`
  );
  if (!found) {
    throw new Error(`no group ${name}`);
  }
  return found;
}

export function table(root: ParentNode, name: string): HTMLTableElement {
  return group(root, name).querySelector('table') as HTMLTableElement;
}

/** Title and description of the charts in a part of the report. */
export function charts(root: ParentNode): string[] {
  return [...root.querySelectorAll('svg[role="img"]')].map(chart =>
    [...chart.querySelectorAll(':scope > title, :scope > desc')]
      .map(({ textContent }) => textContent)
      .join('; ')
  );
}

export function press(node: HTMLElement, key: string): void {
  flushSync(() => {
    node.dispatchEvent(
      new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true })
    );
  });
}

/** What is said of the mark that has the focus. */
export function said(node: HTMLElement): string {
  return node.nextElementSibling?.textContent ?? '';
}
