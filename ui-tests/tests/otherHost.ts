/** What the stories on other hosts share, without Galata, which knows one version of JupyterLab. */

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
