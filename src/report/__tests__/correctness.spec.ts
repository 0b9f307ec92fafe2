/** The section on correctness: cases, gates, the strength of the check, memory. */
import { fixture, type Json } from '../../model/__tests__/recorded';
import {
  charts,
  clearPage,
  group,
  press,
  render,
  rows,
  said,
  section,
  textOf
} from './page';

afterEach(clearPage);

/** The rows of each list of gates, without what a failure costs. */
function gateLists(root: ParentNode): Record<string, string[]> {
  const lists = [...root.querySelectorAll('[aria-labelledby] > p + ul')];
  return Object.fromEntries(
    lists.map(list => [
      list.previousElementSibling?.textContent,
      [...list.querySelectorAll('li')].map(
        row => `${textOf(row, 'b')}: ${textOf(row, 'span')}`
      )
    ])
  );
}

describe('the section on correctness', () => {
  it('opens the check of a wrong result, the first failure on top', async () => {
    const { node } = await render(fixture('wrong-result'));
    const correctness = section(node, 'Correctness');
    expect(correctness.open).toBe(true);
    expect(textOf(correctness, 'summary span')).toContain(
      'wrong on normal; 1 of 15 cases pass, 1 fail, 13 not run'
    );
    expect(textOf(correctness, 'tbody th[scope="row"]')).toContain('normal');
    expect(textOf(correctness, '.jp-mod-detail')).toBe(
      '98,301 of 196,608 elements; first [0, 1]: ' +
        'got -0.2934, expected -0.002934; input -0.2934'
    );
  });

  it('draws a name between backticks as code', async () => {
    const { node } = await render(fixture('fault-beyond'));
    expect(textOf(node, '.jp-KernelReport-message dd code')).toBe('x');
    expect(node.textContent).toContain('past the end of x, a tensor');
    expect(node.textContent).not.toContain('`');
  });

  it('puts the largest error on an axis of arithmetics, in words that the report holds', async () => {
    const { node } = await render(fixture('graded'));
    expect(rows(node, 'Precision')).toEqual([
      ['This kernel', '2.1 u'],
      ['PyTorch', '1.2 u'],
      ['fp32', 'up to 8.0 u'],
      ['split', 'up to 58 u'],
      ['TF32 or FP16', 'up to 5,900 u'],
      ['BF16', 'up to 48,000 u']
    ]);
    expect(node.textContent).toContain('up to 8.0 u counts as fp32');
  });

  it('maps where a result is wrong, and says it of each row by the arrow keys', async () => {
    const { node } = await render(fixture('problem-only'));
    const map = group(node, 'Where “strided slice” is wrong');
    expect(charts(map)[0]).toContain('one square is 2x2 elements of 64x48');
    press(map, 'ArrowDown');
    expect(said(map)).toContain('row 0: 24 of 24 squares hold wrong elements');
  });

  it('draws a square for each case of a failure, dashed where it was not run', async () => {
    const { node } = await render(fixture('wrong-result'));
    const strip = node.querySelector('dd svg[role="img"]');
    expect(textOf(node, 'dd svg title')).toBe(
      'Cases: 1 of 15 pass, 1 fail, 13 not run'
    );
    expect(strip?.querySelectorAll('[stroke-dasharray]')).toHaveLength(13);
    expect(strip?.querySelectorAll('path.jp-mod-fail')).toHaveLength(1);
  });

  it('does not call a case wrong that ended in a fault', async () => {
    const { node } = await render(fixture('memory-fault'));
    const correctness = section(node, 'Correctness');
    expect(textOf(correctness, 'summary span')).toBe(
      'fails on odd size; 5 of 15 cases pass, 1 fail, 9 not run'
    );
    expect(textOf(correctness, '.jp-mod-failed .jp-mod-result')).toBe('fail');
  });

  it('opens the check of a pass that is no drop-in', async () => {
    const { node } = await render(fixture('problem-only'));
    const correctness = section(node, 'Correctness');
    expect(correctness.open).toBe(true);
    expect(textOf(correctness, 'tbody th[scope="row"]')).toContain(
      'strided slice'
    );
  });

  it('counts the gates that were tried, and names the arithmetic', async () => {
    const { node } = await render(fixture('graded'));
    expect(textOf(section(node, 'Correctness'), 'summary span')).toBe(
      '11 of 14 cases pass, 3 not supported; fp32 accuracy; 10 of 13 gates hold, 3 not supported, 5 not tried here; 5 remarks'
    );
    expect(textOf(node, '.jp-KernelReport-note')).toBe(
      'u = roundings of the result’s dtype, against float64.'
    );
  });

  it('lists the gates by contract, what does not hold first, with its cost', async () => {
    const { node } = await render(fixture('weak'));
    expect(gateLists(node)).toEqual({
      'This problem': [
        'input untouched: holds',
        'output not aliased: holds',
        'same result three times: holds',
        'no cache by address: holds',
        'finished with the stream: holds',
        'no global state changed: holds'
      ],
      'As a drop-in, beyond this problem': [
        'layout as the reference: does not hold',
        'gradient: not supported',
        'autocast: holds',
        'deepcopy and pickle: holds',
        'train and eval: holds',
        'non-default stream: not tried here: needs a GPU',
        'second device: not tried here: needs a GPU',
        'CUDA graph replay: not tried here: needs a GPU',
        'torch.compile fullgraph: not tried here: needs a GPU',
        'torch.export: not tried here: needs a GPU'
      ]
    });
    const costs = [...node.querySelectorAll('.jp-KernelReport-gates small')];
    expect(costs.map(({ textContent }) => textContent)).toEqual([
      'Code that views the result, or reads its memory, behaves differently',
      'A model that holds it does not train: The result takes no part in differentiation'
    ]);
  });

  it('says how strong the check was, and lists what it misses', async () => {
    const { node } = await render(fixture('graded'));
    expect(textOf(node, 'p.jp-KernelReport-power')).toBe(
      'Power of the check: catches 10 of 10 mutants'
    );
    const { node: weak } = await render(fixture('weak'));
    const power = '.jp-KernelReport-power';
    expect(textOf(weak, `${power} summary`)).toBe(
      'Power of the check: catches 5 of 7 mutants'
    );
    const slipped = [...weak.querySelectorAll(`${power} li b`)];
    expect(slipped.map(({ textContent }) => textContent)).toEqual([
      'one element wrong',
      'the sign flipped'
    ]);
    expect(textOf(section(weak, 'Correctness'), 'summary span')).toContain(
      '; catches 5 of 7 mutants; 3 remarks'
    );
  });

  it('draws a weak check as unclear, and opens what it tried', async () => {
    const data = fixture('weak');
    const gates = (data.gates as Json[]).filter(
      ({ outcome }) => outcome !== 'fail'
    );
    const { node } = await render({ ...data, gates });
    // A question mark in a dashed ring.
    const dashed = 'circle[stroke-dasharray="4 3"]';
    expect(
      node.querySelector(`.jp-KernelReport-verdict ${dashed}`)
    ).not.toBeNull();
    expect(
      node.querySelector(`.jp-KernelReport-answer ${dashed}`)
    ).not.toBeNull();
    expect(section(node, 'Correctness').open).toBe(true);
    expect(textOf(node, 'header p')).toBe(
      '200 float32 · emulation on the CPU · cell [6]'
    );
  });

  it('says what was closed to the program, as the report says it', async () => {
    const { node } = await render(fixture('pass'));
    const parts = [...node.querySelectorAll('footer span')];
    expect(parts.map(({ textContent }) => textContent)).toContain(
      'Confined: limits, files, signals, network, tracing'
    );
  });

  it('calls remarks by their name where nothing was checked', async () => {
    const advice = [{ line: 3, text: 'No device guard' }];
    const correctness = '1 remark';
    const { node } = await render({
      ...fixture('build-failure'),
      advice,
      correctness
    });
    expect(textOf(section(node, 'Program text'), 'summary span')).toBe(
      correctness
    );
  });

  it('says once what a case is called after', async () => {
    const { node } = await render(fixture('pass'));
    const names = [...node.querySelectorAll('tbody tr > th[scope="row"]')];
    const texts = names.map(({ textContent }) => textContent?.trim());
    expect(texts).toContain('normal');
    expect(texts).toContain('as given (uniform 0 to 1)');
  });
});

describe('a memory check', () => {
  it('says in the section on correctness that nothing was found', async () => {
    const { node } = await render(fixture('pass'));
    expect(
      textOf(section(node, 'Correctness'), '.jp-KernelReport-stack')
    ).toContain(
      'Memory check: none found: bounds, races, uninitialised reads (emulation)'
    );
  });

  it('on a GPU has what compute-sanitizer says beside it', async () => {
    const report = fixture('pass');
    const sanitizer = {
      ...(report.memory_check as Json),
      tool: 'compute-sanitizer',
      state: 'not run',
      note: 'it is not installed here',
      words: 'not examined by compute-sanitizer: it is not installed here'
    };
    const { node } = await render({ ...report, sanitizer });
    const told = textOf(section(node, 'Correctness'), '.jp-KernelReport-stack');
    expect(told).toContain('(emulation)');
    expect(told).toContain(
      'Memory check: not examined by compute-sanitizer: it is not installed here'
    );
  });

  it('lists each fault with its line', async () => {
    const { node } = await render(fixture('data-race'));
    const found = node.querySelector('[aria-label="Faults that were found"]');
    expect(found?.textContent).toContain('lost.py, line 13');
    expect(found?.textContent).toContain(
      'Data race: two threads write and read count'
    );
  });
});
