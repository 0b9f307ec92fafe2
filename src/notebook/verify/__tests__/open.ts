/** A notebook with a kernel that answers what a test says, and presses of Verify in it. */

import { NotebookActions, NotebookPanel } from '@jupyterlab/notebook';
import { nullTranslator } from '@jupyterlab/translation';

import { Catalogue } from '../../../catalogue/catalogue';
import { FakeSession } from '../../../kernel/__tests__/fakeSession';
import { KernelLink } from '../../../kernel/link';
import { ITestCell, openNotebook } from '../../__tests__/notebook';
import { DEFAULTS } from '../../preferences';
import { Verb } from '../verbs';
import { Problem } from '../verifySource';
import { languages } from '../../__tests__/languages';
import { NOTHING, pythonReader, ReadPython } from '../../programs/python';
import { findTarget } from '../target';
import { runVerify, runVerifyAgain } from '../verify';

const catalogue = new Catalogue();
const leakyrelu = catalogue.get('leakyrelu')!;

/** Reads Python, in a test that has loaded its parser. */
let read: ReadPython = () => NOTHING;

export async function loadPython(): Promise<ReadPython> {
  read = await pythonReader(languages());
  return read;
}

export function openForVerify(
  cells: ITestCell[],
  verb: Verb = 'verify',
  active = 0
) {
  const session = new FakeSession();
  const content = openNotebook(cells, active);
  const link = new KernelLink();
  const panel = { content, sessionContext: session.context } as NotebookPanel;
  const run = jest.spyOn(NotebookActions, 'runCells').mockResolvedValue(true);
  const options = {
    panel,
    link,
    verb,
    options: DEFAULTS,
    read,
    translator: nullTranslator
  };
  return {
    session,
    content,
    run,
    press: (problem: Problem | null = leakyrelu) =>
      runVerify({
        ...options,
        target: findTarget(content, catalogue, {})!,
        problem
      }),
    again: (id: string) => runVerifyAgain(id, catalogue, options)
  };
}
