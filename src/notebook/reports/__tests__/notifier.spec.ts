import { Notification } from '@jupyterlab/apputils';
import { NotebookPanel } from '@jupyterlab/notebook';
import { nullTranslator } from '@jupyterlab/translation';

import { IReport } from '../../../model';
import { recorded } from '../../../model/__tests__/recorded';
import { IRun } from '../../../tokens';
import { openNotebook } from '../../__tests__/notebook';
import { RunNotifier } from '../notifier';

function setUp({ isVisible = false, isWanted = true } = {}) {
  const panel = {
    isVisible,
    content: openNotebook([{ id: 'shown', source: 'a' }])
  } as unknown as NotebookPanel;
  const [cancel, show] = [jest.fn(), jest.fn()];
  const notifier = new RunNotifier({
    isWanted: () => isWanted,
    cancel,
    show,
    trans: nullTranslator.load('')
  });
  const tell = (report: IReport, isRunning: boolean) =>
    notifier.update(panel, [
      { id: 'kg', report, isRunning, cell: { id: 'shown', prompt: 1 } } as IRun
    ]);
  return { tell, cancel, show };
}

describe('a run that takes longer than 5 seconds', () => {
  beforeEach(() => {
    jest.useFakeTimers();
    Notification.manager.dismiss();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  const notes = () => Notification.manager.notifications;

  it('is shown with what goes on, how far it is, and Cancel', () => {
    const { tell, cancel } = setUp();
    tell(recorded('running'), true);
    jest.advanceTimersByTime(4000);
    tell(recorded('running'), true);
    expect(notes()).toHaveLength(0);
    jest.advanceTimersByTime(1000);
    tell(recorded('running'), true);
    tell(recorded('running'), true);
    expect(notes()).toMatchObject([
      {
        type: 'in-progress',
        message: 'LeakyReLU 64x3072 float32: checking 9 of 15',
        options: { progress: 0.8 }
      }
    ]);
    notes()[0]!.options.actions![0]!.callback({} as MouseEvent);
    expect(cancel).toHaveBeenCalledTimes(1);
  });

  it('ends with its verdict, and a way to its cell', () => {
    const { tell, show } = setUp();
    tell(recorded('running'), true);
    jest.advanceTimersByTime(5000);
    tell(recorded('running'), true);
    tell(recorded('wrong-result'), false);
    tell(recorded('wrong-result'), false);
    expect(notes()).toHaveLength(1);
    expect(notes()[0]).toMatchObject({ type: 'error' });
    expect(notes()[0]!.message).toContain('negative inputs are returned');
    notes()[0]!.options.actions![0]!.callback({} as MouseEvent);
    expect(show).toHaveBeenCalledTimes(1);
  });

  it.each([{ isVisible: true }, { isWanted: false }])(
    'is not shown where it is seen anyway, or not wanted: %p',
    how => {
      const rect = { top: 0, bottom: 100 } as DOMRect;
      jest
        .spyOn(HTMLElement.prototype, 'getBoundingClientRect')
        .mockReturnValue(rect);
      const { tell } = setUp(how);
      tell(recorded('running'), true);
      jest.advanceTimersByTime(6000);
      tell(recorded('running'), true);
      expect(notes()).toHaveLength(0);
      jest.restoreAllMocks();
    }
  );
});
