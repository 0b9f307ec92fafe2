import { Notification } from '@jupyterlab/apputils';
import { NotebookPanel } from '@jupyterlab/notebook';
import { nullTranslator } from '@jupyterlab/translation';
import { Signal } from '@lumino/signaling';

import { IReport } from '../../../model';
import { recorded } from '../../../model/__tests__/recorded';
import { IPreferences, IRun } from '../../../tokens';
import { openNotebook } from '../../__tests__/notebook';
import { DEFAULTS } from '../../preferences';
import { CallBack, RunNotifier } from '../notifier';
import { askPermission } from '../permission';

function setUp({
  isVisible = false,
  isOtherVisible = false,
  isWanted = true,
  whenEnded = 'title' as IPreferences['whenEnded']
} = {}) {
  const content = openNotebook([{ id: 'shown', source: 'a' }]);
  const view = (isVisible: boolean) => {
    const panel = { isVisible, content } as unknown as NotebookPanel;
    return Object.assign(panel, { disposed: new Signal(panel) });
  };
  const panel = view(isVisible);
  const other = view(isOtherVisible);
  const [cancel, show] = [jest.fn(), jest.fn()];
  const notifier = new RunNotifier({
    isWanted: () => isWanted,
    views: () => [panel, other],
    callBack: new CallBack(() => whenEnded),
    cancel,
    show,
    trans: nullTranslator.load('')
  });
  const tell = (report: IReport, isRunning: boolean, to = panel) =>
    notifier.update(to, [
      { id: 'kg', report, isRunning, cell: { id: 'shown', prompt: 1 } } as IRun
    ]);
  return { tell, cancel, show, panel, other };
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

  it.each([true, false])(
    'says its verdict also where it was short, unless its headline is in sight: %p',
    isSeen => {
      const { tell, panel } = setUp({ isVisible: true });
      const report = document.createElement('kernelgate-report');
      report.innerHTML = '<p class="jp-KernelReport-verdict"></p>';
      panel.content.widgets[0]!.node.append(report);
      jest
        .spyOn(HTMLElement.prototype, 'getBoundingClientRect')
        .mockImplementation(function (this: HTMLElement) {
          const top = !isSeen && this === report.firstElementChild ? 200 : 0;
          return { top, bottom: top + 100 } as DOMRect;
        });
      tell(recorded('running'), true);
      tell(recorded('wrong-result'), false);
      expect(notes()).toHaveLength(isSeen ? 0 : 1);
      jest.restoreAllMocks();
    }
  );

  it('is shown once for two views of a notebook', () => {
    const { tell, panel, other } = setUp();
    for (const to of [panel, other]) {
      tell(recorded('running'), true, to);
    }
    jest.advanceTimersByTime(6000);
    for (const to of [panel, other]) {
      tell(recorded('running'), true, to);
    }
    expect(notes()).toHaveLength(1);
  });

  it('goes with its notebook', () => {
    const { tell, panel } = setUp();
    tell(recorded('running'), true);
    jest.advanceTimersByTime(6000);
    tell(recorded('running'), true);
    expect(notes()).toHaveLength(1);
    (panel.disposed as Signal<NotebookPanel, void>).emit();
    expect(notes()).toHaveLength(0);
  });

  it.each([{ isVisible: true }, { isOtherVisible: true }, { isWanted: false }])(
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

  describe('ends while the page is out of sight', () => {
    const look = (state: DocumentVisibilityState) => {
      jest.spyOn(document, 'visibilityState', 'get').mockReturnValue(state);
      document.dispatchEvent(new Event('visibilitychange'));
    };
    const end = (tell: ReturnType<typeof setUp>['tell'], takes_ms = 6000) => {
      tell(recorded('running'), true);
      jest.advanceTimersByTime(takes_ms);
      tell(recorded('running'), true);
      tell(recorded('running'), true);
      tell(recorded('wrong-result'), false);
    };
    const OURS = 'a.ipynb - JupyterLab';
    const LATER = 'b.ipynb - JupyterLab';
    const { sentence } = recorded('wrong-result').verdict!;
    beforeEach(() => {
      document.title = OURS;
      look('hidden');
    });
    afterEach(() => {
      jest.restoreAllMocks();
      Reflect.deleteProperty(window, 'Notification');
    });

    it('and the title of the tab says how, until the page is looked at', () => {
      const { tell } = setUp();
      end(tell);
      end(tell);
      expect(document.title).toBe(`${sentence} – ${OURS}`);
      look('visible');
      expect(document.title).toBe(OURS);
    });

    it('and Lab may write the title meanwhile, behind the words', async () => {
      end(setUp().tell);
      document.title = LATER;
      await Promise.resolve();
      expect(document.title).toBe(`${sentence} – ${LATER}`);
      look('visible');
      expect(document.title).toBe(LATER);
    });

    it.each([
      ['the run was short', 'hidden', 'title', 4000],
      ['the page is in sight', 'visible', 'title', 6000],
      ['nothing is to say so', 'hidden', 'nothing', 6000]
    ] as const)('and the title stays where %s', (_, seen, whenEnded, ms) => {
      look(seen);
      end(setUp({ whenEnded }).tell, ms);
      expect(document.title).toBe(OURS);
    });

    it.each([
      ['granted', 1, OURS],
      ['denied', 0, `${sentence} – ${OURS}`],
      ['default', 0, `${sentence} – ${OURS}`]
    ])(
      'and the operating system says how if that is %s, else the title',
      (permission, times, title) => {
        const shown = Object.assign(jest.fn(), {
          permission,
          requestPermission: jest.fn()
        });
        Object.assign(window, { Notification: shown, focus: jest.fn() });
        askPermission({ ...DEFAULTS, whenEnded: 'system' });
        shown.prototype.close = jest.fn();
        const { tell, show } = setUp({ whenEnded: 'system' });
        end(tell);
        expect(shown).toHaveBeenCalledTimes(times);
        expect(shown.requestPermission).toHaveBeenCalledTimes(
          Number(permission === 'default')
        );
        expect(document.title).toBe(title);
        expect(shown.mock.calls.map(([, { body }]) => body)).toEqual(
          times ? [sentence] : []
        );
        shown.mock.instances.forEach(one => one.onclick());
        expect(show).toHaveBeenCalledTimes(times);
      }
    );
  });
});
