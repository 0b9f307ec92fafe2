/** What the renderer draws of a report as a whole, and when. */
import { Widget } from '@lumino/widgets';
import { REPORT_MIME } from '../../model/mimeType';
import { reportBus } from '../../model/reportBus';
import extension from '..';
import { fixture, type Json } from '../../model/__tests__/recorded';
import {
  bundle,
  button,
  clearPage,
  know,
  render,
  section,
  settled,
  textOf
} from './page';

afterEach(clearPage);

describe('the renderer of reports', () => {
  it('stands before the HTML fallback, in untrusted notebooks too', () => {
    expect(extension.rank).toBeLessThan(50);
    expect(extension.rendererFactory.safe).toBe(true);
    expect(extension.rendererFactory.mimeTypes).toEqual([REPORT_MIME]);
  });

  it.each([
    ['pass', 'info', 'Correct in emulation; timing not measured'],
    ['cuda-pass', 'pass', 'Correct, bitwise equal to PyTorch; timing'],
    ['problem-only', 'warn', 'Correct for this problem; not a drop-in'],
    ['fault-beyond', 'warn', 'not a drop-in: illegal memory access on odd'],
    ['build-failure', 'fail', 'Does not compile: cpp_sources declares no'],
    ['wrong-result', 'fail', 'Wrong result: negative inputs are returned'],
    ['memory-fault', 'fail', 'Illegal memory access: a thread reads past'],
    ['read-error', 'fail', 'Not Python: a bracket is never closed'],
    ['graded', 'warn', 'Correct for this problem; not a drop-in: does not'],
    ['weak', 'info', 'Unclear: this check catches 5 of 7 mutants'],
    ['timed-out', 'warn', 'Timed out after 60 s while checking'],
    ['cancelled', 'none', 'Cancelled while checking: no verdict'],
    ['refused', 'info', 'Not run: emulation does not cover'],
    ['environment', 'warn', 'No C++ compiler is in this kernel’s environment'],
    ['internal', 'warn', 'KernelGate failed: no verdict'],
    ['benchmark', 'none', 'Correct, same speed as PyTorch eager'],
    ['profile', 'pass', 'Correct, 1.01x faster forward, and at the device'],
    ['sweep', 'info', 'Correct; speed unclear: the times vary'],
    ['other-arithmetic', 'pass', 'Correct, 4.55x faster than PyTorch eager'],
    ['slower', 'warn', 'Correct for this problem, but 1.59x slower than'],
    ['unclear', 'info', 'Correct; speed unclear: the clocks'],
    ['cell-profile', 'none', 'Profiled: 56 operators'],
    ['cell-profile-gpu', 'none', 'Profiled: 51 kernel launches'],
    ['running', 'running', 'Checking'],
    ['unknown-version', 'none', 'This report cannot be drawn here; its text']
  ])('says the verdict of %s in words', async (name, tone, words) => {
    const { node } = await render(fixture(name));
    const article = node.querySelector('article');
    expect(article?.classList).toContain(`jp-mod-${tone}`);
    expect(textOf(node, '[role="status"]')).toContain(words);
    expect(node.querySelectorAll('[role="status"]')).toHaveLength(1);
    const heading = article?.getAttribute('aria-labelledby');
    expect(document.getElementById(heading ?? '')?.tagName).toBe('H3');
  });

  it.each([
    [{ key: 'd' }, false],
    [{ key: 'Enter', shiftKey: true }, false],
    [{ key: 'Enter', ctrlKey: true }, false],
    [{ key: 'A', ctrlKey: true }, false],
    [{ key: 's', ctrlKey: true }, true],
    [{ key: 's', metaKey: true }, true]
  ])(
    'keeps keys of the command mode, and leaves Lab %p: %p',
    async (how, isLabs) => {
      const { node } = await render(fixture('pass'));
      const heard = jest.fn();
      document.body.addEventListener('keydown', heard);
      const event = new KeyboardEvent('keydown', { ...how, bubbles: true });
      node.querySelector('button, summary')!.dispatchEvent(event);
      document.body.removeEventListener('keydown', heard);
      expect(heard).toHaveBeenCalledTimes(Number(isLabs));
    }
  );

  it('says what was run, what it replaces and where', async () => {
    const { node } = await render(fixture('pass'));
    expect(textOf(node, 'header h3')).toBe('LeakyReLU');
    expect(textOf(node, 'header p')).toBe(
      '64x3072 float32 · replaces nn.LeakyReLU · emulation on the CPU · cell [4]'
    );
  });

  it('says first whose program it is where it is ours', async () => {
    const { candidate, ...report } = fixture('pass');
    const ours = {
      ...report,
      title: `our program: ${String(report.title)}`,
      candidate: { ...(candidate as Json), ours: true, label: 'our program' }
    };
    const { node } = await render(ours);
    expect(textOf(node, 'header h3')).toBe('Our program: LeakyReLU');
    expect(textOf(node, 'header p')).toBe(
      '64x3072 float32 · replaces nn.LeakyReLU · emulation on the CPU'
    );
  });

  it('answers the three questions, and says what was not measured', async () => {
    const { node } = await render(fixture('pass'));
    const facts = [...node.querySelectorAll('dl > div')].map(
      fact => `${textOf(fact, 'dt')} ${textOf(fact, 'dd')}`
    );
    expect(facts).toEqual([
      'Correct? Yes, bitwise equal',
      'Faster? Not measured'
    ]);
    expect(textOf(node, 'svg[role="img"] title')).toBe('Cases: 15 of 15 pass');
  });

  it('answers no plain yes where something beyond the problem is wrong', async () => {
    const { node } = await render(fixture('fault-beyond'));
    const answer = node.querySelector('dl > div > dd')!;
    expect(answer.textContent?.trim()).toBe(
      'For this problem only, bitwise equal'
    );
    expect(answer.querySelector('svg')?.classList).toContain('jp-mod-warn');
  });

  it('leads from a fault beyond the problem to its line', async () => {
    const revealCell = jest.fn();
    const offer = reportBus.offer({ revealCell });
    know({
      isLost: false,
      isUnheard: false,
      isStale: false,
      heardAt: 0,
      fix: null
    });
    const { node } = await render(fixture('fault-beyond'));
    expect(node.textContent).toContain('Check the index against the size');
    button(node, 'Go to line 9')?.click();
    expect(revealCell).toHaveBeenCalledWith(expect.anything(), '3f2a91c0', 9);
    offer.dispose();
  });

  it('closes every section of a pass, each with its conclusion', async () => {
    const { node } = await render(fixture('pass'));
    const sections = [...node.querySelectorAll('details')];
    expect(sections.map(({ open }) => open)).toEqual([false, false]);
    expect(sections.map(one => textOf(one, 'summary span'))).toEqual([
      '15 of 15 cases bitwise equal; 3 of 3 gates hold',
      expect.stringMatching(
        /^emulation, g\+\+ 12.2.0, in 900 ms · 2 CUDA kernels · torch /
      )
    ]);
  });

  it('says once that a program holds no CUDA kernel, if the report says so', async () => {
    const kernel_note = 'contains no CUDA kernel';
    const { node } = await render({ ...fixture('pass'), kernel_note });
    expect(node.textContent?.split('Contains no CUDA kernel.')).toHaveLength(2);
    const { node: other } = await render(fixture('pass'));
    expect(other.textContent).not.toContain('no CUDA kernel');
  });

  it('names the stage in which a run was cut off', async () => {
    const { node } = await render(fixture('timed-out'));
    expect(textOf(node, 'header p')).toContain('check stage');
  });

  it('gives a failure in three parts, with the lines', async () => {
    const { node } = await render(fixture('build-failure'));
    const parts = [...node.querySelectorAll('dt')].map(dt => dt.textContent);
    expect(parts.slice(0, 4)).toEqual([
      'What happened',
      'Where',
      'What to do',
      'Not run'
    ]);
    expect(textOf(node, 'pre .jp-mod-marked')).toBe('▸40    cpp_sources="",');
    expect(textOf(node, 'details summary')).toBe('Compiler output, 42 lines');
    // Nobody offers more here: its text is all that can be had of it.
    const buttons = [...node.querySelectorAll('button')];
    expect(buttons.map(one => one.textContent)).toEqual(['Copy']);
  });

  it('names no stage that was not run, and no device where there was none', async () => {
    const report = fixture('environment');
    const failure = { ...(report.failure as Json), stage: 'build' };
    const { node } = await render({ ...report, failure });
    const header = textOf(node, 'header p');
    expect(header).toContain('after 100 ms');
    expect(header).not.toContain('compile stage');
    expect(node.textContent).not.toContain('no device');
  });

  it('shows how far a running report is, and that it is busy', async () => {
    const { node } = await render(fixture('running'));
    expect(node.querySelector('article[aria-busy="true"]')).not.toBeNull();
    expect(textOf(node, '.jp-KernelReport-verdict h4')).toBe(
      'Checking: 9 of 15'
    );
    expect(textOf(node, '[aria-current="step"] > span')).toBe('9 of 15');
    const progress = node.querySelector('progress');
    expect([progress?.value, progress?.max]).toEqual([9, 15]);
  });

  it('names rows, columns and scrolling parts for a screen reader', async () => {
    const { node } = await render(fixture('cuda-pass'));
    const table = node.querySelector('table');
    expect(table?.querySelectorAll('thead th[scope="col"]')).toHaveLength(6);
    expect(table?.querySelectorAll('tbody th[scope="row"]')).toHaveLength(16);
    expect(
      node.querySelectorAll('svg:not([aria-hidden]):not([role])')
    ).toHaveLength(0);
    node.querySelectorAll('pre').forEach(pre => {
      expect(pre.tabIndex).toBe(0);
    });
  });
});

describe('a run without an end', () => {
  it('is said not to have finished, and goes on if it does', async () => {
    const { node, model, widget } = await render(fixture('running'));
    const before = model.data;
    know({
      isLost: true,
      isUnheard: false,
      isStale: false,
      heardAt: 0,
      fix: null
    });
    await settled();
    expect(textOf(node, '[role="status"]')).toBe('Did not finish: no verdict');
    expect(node.querySelector('article[aria-busy]')).toBeNull();
    expect(button(node, 'Cancel')).toBeUndefined();
    expect(model.data).toBe(before);
    model.setData({ data: bundle({ ...fixture('pass'), run: 'kg-0005' }) });
    await widget.renderModel(model);
    expect(textOf(node, '[role="status"]')).toContain('Correct in emulation');
  });

  it('is said not to be heard of while its server is gone', async () => {
    const offer = reportBus.offer({ runAgain: jest.fn() });
    const { node } = await render(fixture('running'));
    know({
      isLost: false,
      isUnheard: true,
      isStale: false,
      heardAt: 0,
      fix: null
    });
    await settled();
    expect(textOf(node, '[role="status"]')).toContain('Not heard of');
    expect(node.querySelector('article[aria-busy]')).toBeNull();
    expect(node.textContent).toContain('what was last heard');
    expect(button(node, 'Run again')).toBeUndefined();
    offer.dispose();
    know({
      isLost: false,
      isUnheard: false,
      isStale: false,
      heardAt: 0,
      fix: null
    });
    await settled();
    expect(textOf(node, '[role="status"]')).toBe('Checking');
  });

  it('is not drawn by a renderer that was disposed', async () => {
    const { widget, node } = await render(fixture('running'));
    widget.dispose();
    know({
      isLost: true,
      isUnheard: false,
      isStale: false,
      heardAt: 0,
      fix: null
    });
    await settled();
    expect(node.childElementCount).toBe(0);
  });
});

describe('an output that leaves the page', () => {
  it('is drawn again when it comes back, its sections as they were', async () => {
    const { node, widget } = await render(fixture('pass'));
    section(node, 'Details').open = true;
    await settled();
    await settled();
    Widget.detach(widget as unknown as Widget);
    expect(node.childElementCount).toBe(0);
    Widget.attach(widget as unknown as Widget, document.body);
    await settled();
    expect(section(node, 'Details').open).toBe(true);
    expect(section(node, 'Correctness').open).toBe(false);
  });
});
