import { NotebookPanel } from '@jupyterlab/notebook';

import { IRun } from '../../../tokens';
import { openNotebook } from '../../__tests__/notebook';
import { HeadInSight } from '../inSight';

function setUp({ isVisible = true, isDrawn = true } = {}) {
  const content = openNotebook([{ id: 'shown', source: 'a' }]);
  const panel = { isVisible, content } as unknown as NotebookPanel;
  const scrolled: string[] = [];
  const draw = () => {
    const report = document.createElement('kernelgate-report');
    for (const [tag, name] of [
      ['header', ''],
      ['div', 'jp-KernelReport-verdict']
    ] as const) {
      const part = document.createElement(tag);
      part.className = name;
      part.scrollIntoView = () => scrolled.push(tag);
      report.append(part);
    }
    content.widgets[0]!.node.append(report);
  };
  if (isDrawn) {
    draw();
  }
  const head = new HeadInSight();
  const tell = (isRunning: boolean) => {
    scrolled.length = 0;
    head.update(panel, [
      { id: 'kg', isRunning, cell: { id: 'shown', prompt: 1 } } as IRun
    ]);
    return [...scrolled];
  };
  return { tell, draw, content };
}

const HEAD = ['header', 'div'];

describe('the head of a report', () => {
  it('is scrolled to as its run starts and as it ends, and not between', () => {
    const { tell } = setUp();
    expect(tell(true)).toEqual(HEAD);
    expect(tell(true)).toEqual([]);
    expect(tell(false)).toEqual(HEAD);
    expect(tell(false)).toEqual([]);
  });

  it('is scrolled to when it is drawn, if that is later', () => {
    const { tell, draw } = setUp({ isDrawn: false });
    expect(tell(true)).toEqual([]);
    draw();
    expect(tell(true)).toEqual(HEAD);
  });

  it.each(['wheel', 'touchmove', 'pointerdown', 'keydown'])(
    'is left alone after a %s in the notebook',
    gesture => {
      const { tell, content } = setUp();
      tell(true);
      content.node.dispatchEvent(new Event(gesture, { bubbles: true }));
      expect(tell(true)).toEqual([]);
      expect(tell(false)).toEqual([]);
    }
  );

  it('is left alone in a notebook out of sight, and for a run of the file', () => {
    expect(setUp({ isVisible: false }).tell(true)).toEqual([]);
    expect(setUp().tell(false)).toEqual([]);
  });
});
