/** A stranger's notebook: what a press of Verify runs of it. */

import { waitForDialog } from '@jupyterlab/testing';

import { Catalogue } from '../../../catalogue/catalogue';
import { noteBrought } from '../../brought';
import { sources } from '../../__tests__/notebook';
import { verifyCall, verifyCellSource } from '../verifySource';
import { openForVerify as open } from './open';

const PROGRAM = 'class ModelNew(nn.Module):\n  pass';
const leakyrelu = new Catalogue().get('leakyrelu')!;

afterEach(() => {
  jest.restoreAllMocks();
});

describe('runVerify', () => {
  it.each([
    ['far to the right', `x = 1${' '.repeat(300)};boom()`],
    [
      'in a reference',
      'import kernelgate\nkernelgate.verify(cell="mine", reference="boom()")'
    ]
  ])(
    'leaves a cell alone that came with the file: code %s',
    async (_, theirs) => {
      const { session, content, run, press } = open([
        { id: 'mine', source: PROGRAM },
        { id: 'check', source: theirs, mark: { verify: 'mine' } }
      ]);
      noteBrought(content.model!);
      const done = press();
      await session.reply(0, { status: 'ok', data: {} });
      await done;
      const ours = verifyCellSource(verifyCall('verify', leakyrelu, 'mine'));
      expect(sources(content)).toEqual([PROGRAM, ours, theirs]);
      expect(run.mock.calls[0]![1]).toEqual([content.widgets[1]]);
      content.dispose();
    }
  );

  it('takes a cell that came with the file where it is a call as we write it', async () => {
    const ours = verifyCellSource(verifyCall('verify', leakyrelu, 'mine'));
    const { session, content, press } = open([
      { id: 'mine', source: PROGRAM },
      { id: 'check', source: ours, mark: { verify: 'mine' } }
    ]);
    noteBrought(content.model!);
    const done = press();
    await session.reply(0, { status: 'ok', data: {} });
    await done;
    expect(sources(content)).toEqual([PROGRAM, ours]);
    content.dispose();
  });

  it.each([true, false])(
    'asks before it runs a cell again that came with the file, with its whole text: %s',
    async isAgreed => {
      const hidden = `x = 1${' '.repeat(300)};boom()`;
      const { session, content, run, again } = open([
        { id: 'mine', source: PROGRAM },
        { id: 'check', source: hidden, mark: { verify: 'mine' } }
      ]);
      noteBrought(content.model!);
      const done = again('check');
      await session.reply(0, { status: 'ok', data: {} });
      await waitForDialog();
      expect(run).not.toHaveBeenCalled();
      expect(document.querySelector('.jp-Dialog pre')!.textContent).toBe(
        'x = 1300 blanks;boom()'
      );
      const buttons = document.querySelectorAll<HTMLElement>(
        '.jp-Dialog .jp-Dialog-footer button'
      );
      buttons[isAgreed ? 1 : 0]!.click();
      await done;
      expect(run).toHaveBeenCalledTimes(isAgreed ? 1 : 0);
      content.dispose();
    }
  );
});
