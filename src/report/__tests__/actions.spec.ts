/** What a report offers to do. */
import { MimeModel } from '@jupyterlab/rendermime';
import { reportBus } from '../../model/reportBus';
import { fixture, type Json } from '../../model/__tests__/recorded';
import {
  bundle,
  button,
  clearPage,
  know,
  PLACED,
  render,
  settled
} from './page';

afterEach(clearPage);

describe('actions', () => {
  const KNOWN = {
    isLost: false,
    isUnheard: false,
    isStale: false,
    heardAt: 0,
    fix: PLACED
  };
  const OLD = {
    isLost: false,
    isUnheard: false,
    isStale: true,
    heardAt: 0,
    fix: null
  };

  it('are drawn while the app offers them, and get ids only', async () => {
    const revealCell = jest.fn();
    const insertFix = jest.fn();
    const { node, model } = await render(fixture('build-failure'), '');
    know(KNOWN);
    const offer = reportBus.offer({ revealCell, insertFix });
    await settled();
    button(node, 'Go to line 40')?.click();
    button(node, 'Insert fix')?.click();
    expect(revealCell).toHaveBeenCalledWith(model, '3f2a91c0', 40);
    expect(insertFix).toHaveBeenCalledWith(model);
    offer.dispose();
    await settled();
    expect(node.querySelectorAll('button')).toHaveLength(0);
  });

  it('underline what the fix changes, in the excerpt and in the fix', async () => {
    const report = fixture('wrong-result');
    const text = 'y[idx] = 0.011f * x[idx];';
    const failure = {
      ...(report.failure as Json),
      where: {
        ...((report.failure as Json).where as Json),
        excerpt: [{ line: 18, text, marked: true }]
      },
      fix: 'y[idx] = 0.01f * x[idx];',
      edit: {
        line: 18,
        column: 0,
        text: 'y[idx] = 0.01f * x[idx];\n',
        replaces: 1
      }
    };
    const { node } = await render({ ...report, failure });
    expect(
      [...node.querySelectorAll('mark')].map(one => one.textContent)
    ).toEqual(['0.011f', '0.011f', '0.01f']);
  });

  it('insert a failing case where values are wrong, also below an edited cell, and nothing where a fix is certain', async () => {
    const insertFailingCase = jest.fn();
    const offer = reportBus.offer({ insertFailingCase, insertFix: jest.fn() });
    const NAME = 'Insert failing case as a cell';
    know(OLD);
    const report = fixture('wrong-result');
    const { node, model } = await render(report);
    const found = button(node, NAME);
    expect(found?.getAttribute('aria-label')).toBe(`${NAME} below cell [4]`);
    expect(found?.tabIndex).toBe(0);
    found?.click();
    expect(insertFailingCase).toHaveBeenCalledWith(model);

    const certain = { ...(report.failure as Json), fix: 'int f();' };
    const { node: other } = await render({ ...report, failure: certain });
    expect(button(other, NAME)).toBeUndefined();
    offer.dispose();
    await settled();
    expect(button(node, NAME)).toBeUndefined();
  });

  it('go to a line of the program, and to none of its reference', async () => {
    const offer = reportBus.offer({ revealCell: jest.fn() });
    know(KNOWN);
    const report = fixture('build-failure');
    const failure = report.failure as Json;
    const where = { ...(failure.where as Json), label: 'torch.nn.GELUU' };
    const { node } = await render({
      ...report,
      failure: { ...failure, where }
    });
    expect(button(node, 'Go to line 40')).toBeUndefined();
    offer.dispose();
  });

  it('verify a report again that the file alone brings, which is drawn as such', async () => {
    const runAgain = jest.fn();
    const offer = reportBus.offer({ runAgain });
    const { node } = await render(fixture('pass'));
    know({ ...KNOWN, heardAt: null });
    await settled();
    expect(node.querySelector('article')!.className).toContain('jp-mod-saved');
    expect(node.textContent).toContain('From the file, not run here.');
    const [first] = node.querySelectorAll('button');
    expect(first!.textContent).toBe('Verify again');
    first!.click();
    expect(runAgain).toHaveBeenCalledTimes(1);
    know({ ...KNOWN, heardAt: Date.now() });
    await settled();
    expect(node.textContent).toMatch(/Run here, \d\d:\d\d/);
    expect(node.textContent).not.toContain('From the file');
    offer.dispose();
  });

  it('are those of every part of the app that offers some', async () => {
    const { node } = await render(fixture('pass'));
    know(KNOWN);
    const again = reportBus.offer({ runAgain: jest.fn() });
    const compare = reportBus.offer({ compare: jest.fn() });
    await settled();
    const names = () =>
      [...node.querySelectorAll('header button')].map(one => one.textContent);
    expect(names()).toEqual(['Run again', 'Compare', 'Copy']);
    again.dispose();
    await settled();
    expect(names()).toEqual(['Compare', 'Copy']);
    compare.dispose();
  });

  it('are drawn and act by the output, not by the id of the run in it', async () => {
    const runAgain = jest.fn();
    const offer = reportBus.offer({ runAgain });
    const { node, model } = await render(fixture('pass'));
    const { node: elsewhere } = await render(fixture('pass'));
    const answer = reportBus.answer(output =>
      output === model ? KNOWN : null
    );
    await settled();
    expect(button(elsewhere, 'Run again')).toBeUndefined();
    button(node, 'Run again')?.click();
    expect(runAgain.mock.calls).toEqual([[model]]);
    answer.dispose();
    offer.dispose();
  });

  it('of the header are one tab stop, along which the arrow keys go', async () => {
    know(KNOWN);
    const offer = reportBus.offer({ runAgain: jest.fn(), compare: jest.fn() });
    const { node } = await render(fixture('pass'));
    const stops = () =>
      [...node.querySelectorAll('[role="toolbar"] button')]
        .filter(one => (one as HTMLButtonElement).tabIndex === 0)
        .map(one => one.textContent);
    const press = async (key: string) => {
      document.activeElement?.dispatchEvent(
        new KeyboardEvent('keydown', { key, bubbles: true })
      );
      await settled();
    };
    expect(stops()).toEqual(['Run again']);
    button(node, 'Run again')?.focus();
    await press('ArrowRight');
    expect(document.activeElement?.textContent).toBe('Compare');
    expect(stops()).toEqual(['Compare']);
    await press('End');
    await press('ArrowRight');
    expect(document.activeElement?.textContent).toBe('Run again');
    offer.dispose();
  });

  it('offer a restart where a cancel has had no effect for five seconds', async () => {
    jest.useFakeTimers();
    try {
      const restartKernel = jest.fn();
      know(KNOWN);
      const offer = reportBus.offer({ interrupt: jest.fn(), restartKernel });
      const { node, model } = await render(fixture('running'));
      button(node, 'Cancel')?.click();
      await jest.advanceTimersByTimeAsync(4900);
      expect(button(node, 'Restart kernel')).toBeUndefined();
      await jest.advanceTimersByTimeAsync(200);
      button(node, 'Restart kernel')?.click();
      expect(restartKernel).toHaveBeenCalledWith(model);
      offer.dispose();
    } finally {
      jest.useRealTimers();
    }
  });

  it('cancel once, and the verdict gets the focus', async () => {
    const interrupt = jest.fn();
    know(KNOWN);
    const offer = reportBus.offer({ interrupt });
    const { node, widget, model } = await render(fixture('running'));
    button(node, 'Cancel')?.click();
    await settled();
    button(node, 'Cancelling')?.click();
    expect(interrupt).toHaveBeenCalledTimes(1);
    expect(interrupt).toHaveBeenCalledWith(model);
    await widget.renderModel(
      new MimeModel({
        data: bundle({ ...fixture('cancelled'), run: 'kg-0005' })
      })
    );
    await settled();
    expect(document.activeElement?.textContent).toBe(
      'Cancelled while checking: no verdict'
    );
    offer.dispose();
  });

  it('stand above a report that is older than its cell, and insert no fix into it', async () => {
    const insertFix = jest.fn();
    const runAgain = jest.fn();
    const { node, model } = await render(fixture('build-failure'));
    const offer = reportBus.offer({ insertFix, runAgain });
    know(OLD);
    await settled();
    const article = node.querySelector('article');
    const notice = article?.firstElementChild;
    expect(notice?.textContent).toContain('Older than the cell.');
    expect(article?.className).toContain('jp-mod-warn');
    notice?.querySelector('button')?.click();
    expect(runAgain).toHaveBeenCalledWith(model);
    button(node, 'Insert fix')?.click();
    expect(insertFix).not.toHaveBeenCalled();
    expect(button(node, 'Insert fix')?.title).toContain('run it again');

    know(KNOWN);
    await settled();
    expect(node.textContent).not.toContain('Older than the cell');
    offer.dispose();
  });
});

describe('a suggested fix', () => {
  const shown = (node: ParentNode) =>
    [...node.querySelectorAll('[aria-label="Suggested fix"] > span')].map(
      line => line.textContent?.trimEnd()
    );

  it('shows the line that it changes, and how it reads then', async () => {
    const { node } = await render(fixture('build-failure'));
    expect(shown(node)).toEqual([
      '− 40    cpp_sources="",',
      '+ 40    cpp_sources="torch::Tensor leaky_relu_cuda(torch::Tensor x, float negative_slope);",'
    ]);
  });

  it('is shown as the notebook has placed it', async () => {
    know({
      isLost: false,
      isUnheard: false,
      isStale: false,
      heardAt: 0,
      fix: PLACED
    });
    const { node } = await render(fixture('build-failure'));
    expect(shown(node)).toEqual(['− 7cpp = ""', '+ 7cpp = "int f();"']);
  });

  it.each([
    ['differs', 'another text than it shows'],
    ['hidden', 'cannot be shown for certain'],
    ['elsewhere', 'no such line']
  ] as const)(
    'cannot be inserted where it %s, and says why',
    async (why, words) => {
      const insertFix = jest.fn();
      const offer = reportBus.offer({ insertFix });
      know({
        isLost: false,
        isUnheard: false,
        isStale: false,
        heardAt: 0,
        fix: { kind: 'refused', why }
      });
      const { node } = await render(fixture('build-failure'));
      const found = button(node, 'Insert fix');
      expect(found?.getAttribute('aria-disabled')).toBe('true');
      expect(found?.title).toContain(words);
      found?.click();
      expect(insertFix).not.toHaveBeenCalled();
      offer.dispose();
    }
  );

  it('shows only what to add where the report tells no place, and offers no press', async () => {
    const report = fixture('build-failure');
    const failure = { ...(report.failure as Json), edit: null };
    know({
      isLost: false,
      isUnheard: false,
      isStale: false,
      heardAt: 0,
      fix: null
    });
    const offer = reportBus.offer({ insertFix: jest.fn() });
    const { node } = await render({ ...report, failure });
    expect(shown(node)).toEqual([
      '+torch::Tensor leaky_relu_cuda(torch::Tensor x, float negative_slope);'
    ]);
    expect(button(node, 'Insert fix')).toBeUndefined();
    offer.dispose();
  });
});
