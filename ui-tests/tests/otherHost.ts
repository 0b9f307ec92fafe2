/** What the stories on other hosts share, without Galata, which knows one version of JupyterLab. */

import type { NotebookPanel } from '@jupyterlab/notebook';
import { expect, type Page } from '@playwright/test';
import type { Cell } from './gate';

/** Uploads a notebook of these cells under a name of its own; its name. */
export async function putNotebook(
  page: Page,
  baseURL: string | undefined,
  cells: Cell[]
): Promise<string> {
  const name = `story-${Date.now()}.ipynb`;
  const url = new URL(`/api/contents/${name}`, baseURL).href;
  const reply = await page.request.put(url, {
    data: {
      type: 'notebook',
      content: {
        cells: cells.map((cell, n) => ({ ...cell, id: `cell-${n}` })),
        metadata: { kernelspec: { name: 'python3', display_name: 'Python 3' } },
        nbformat: 4,
        nbformat_minor: 5
      }
    }
  });
  expect(reply.ok(), await reply.text()).toBe(true);
  return name;
}

/** Goes to a notebook, and waits until its kernel is idle. */
export async function openHere(page: Page, name: string): Promise<void> {
  // On a busy machine, collaboration asks whether to wait for the document.
  const dialog = page.getByRole('dialog', { name: /^Loading/ });
  await page.addLocatorHandler(dialog, () =>
    dialog.getByRole('button', { name: 'Continue waiting' }).click()
  );
  // So does Lab where the server has saved what all pages share before this one does.
  const changed = page.getByRole('dialog', { name: /^File Changed/ });
  await page.addLocatorHandler(changed, () =>
    changed.getByRole('button', { name: 'Overwrite' }).click()
  );
  await page.goto(name);
  await page.waitForFunction(() => {
    const front = window.jupyterapp?.shell.currentWidget as NotebookPanel;
    return front?.sessionContext?.kernelDisplayStatus === 'idle';
  });
}

/** Makes a cell the active one. */
export async function selectHere(page: Page, index: number): Promise<void> {
  await page.evaluate(index => {
    const front = window.jupyterapp.shell.currentWidget as NotebookPanel;
    front.content.activeCellIndex = index;
  }, index);
}
