/** The panel: runs, their comparison, and what was sent. */
import { IRun } from '../../tokens';
import { act } from 'react';
import { actions, draw, request, run, setUp } from './draw';

setUp();

/** The shape beside the words of the first run. */
const glyphOf = (node: Element) =>
  node.querySelector('.jp-KernelPanel-result svg');

describe('Panel: runs', () => {
  it('lists results in words, and goes to their cells', () => {
    const { text, button } = draw({
      runs: [run('wrong-result'), run('pass', { cell: null })]
    });
    expect(text).toContain('wrong result');
    expect(text).toContain('correct in emulation');
    button('Go to cell [7]').click();
    expect(actions.goToRun).toHaveBeenCalledWith(
      run('wrong-result').report.run
    );
  });

  it.each([
    ['build-failure', 'does not build'],
    ['read-error', 'cannot be read'],
    ['memory-fault', 'memory fault'],
    ['weak', 'unclear'],
    ['timed-out', 'timed out'],
    ['cancelled', 'cancelled'],
    ['refused', 'not covered in emulation'],
    ['environment', 'could not run here'],
    ['internal', 'no verdict'],
    ['cuda-pass', 'correct'],
    ['benchmark', 'correct, same speed'],
    ['profile', 'correct, 1.01x faster'],
    ['slower', 'correct for this problem, 1.59x slower; not a drop-in'],
    ['fault-beyond', 'in emulation; out of bounds at others'],
    ['unclear', 'correct, speed unclear'],
    ['running', 'did not finish']
  ])('calls a %s report "%s"', (name, words) => {
    expect(draw({ runs: [run(name)] }).text).toContain(words);
  });

  it('marks a run that faults beyond its problem as no plain pass', () => {
    const { node } = draw({ runs: [run('fault-beyond')] });
    expect(glyphOf(node)?.classList).toContain('jp-mod-warn');
  });

  it('draws the newest of many at first, and all at a press', () => {
    const runs = Array.from({ length: 1000 }, (_, n) =>
      run('pass', { id: `kg-${n}`, number: 1000 - n })
    );
    const { node, button } = draw({ runs });
    const rows = () => node.querySelectorAll('tbody tr').length;
    expect(rows()).toBe(50);
    expect(node.textContent).toContain('#1000 ·');
    act(() => button('Show all 1000 runs').click());
    expect(rows()).toBe(1000);
  });

  it('says which run is older than its cell', () => {
    const old = draw({ runs: [run('pass', { isStale: true })] });
    expect(old.text).toContain('older than the cell');
    expect(draw({ runs: [run('pass')] }).text).not.toContain('older than');
  });

  it('says which run the file alone tells of', () => {
    const saved = draw({ runs: [run('cuda-pass', { heardAt: null })] });
    expect(saved.text).toContain('from the file, not run here');
    expect(glyphOf(saved.node)?.classList).not.toContain('jp-mod-pass');
    const heard = draw({ runs: [run('cuda-pass')] });
    expect(heard.text).not.toContain('from the file');
    expect(glyphOf(heard.node)?.classList).toContain('jp-mod-pass');
  });

  it('shows the run that goes on, and cancels it', () => {
    const { node, text, button } = draw({
      runs: [run('running', { isRunning: true })]
    });
    expect(text).toContain('LeakyReLU: checking');
    expect(text).toContain('9 of 15');
    expect(node.querySelector('progress')?.value).toBe(9);
    expect(node.querySelector('[role=status]')?.textContent).toBe(
      'LeakyReLU: checking'
    );
    button('Cancel the run of LeakyReLU').click();
    expect(actions.cancel).toHaveBeenCalledWith('kg-0005');
  });
});

describe('Panel: attempts', () => {
  const attempts = [
    run('profile', { number: 3 }),
    run('slower', { number: 2 }),
    run('wrong-result', { number: 1 })
  ];
  const sameWork = attempts.map(one => ({
    ...one,
    report: { ...one.report, problem: attempts[0]!.report.problem }
  }));
  const marked = (node: Element) =>
    [...node.querySelectorAll('tbody tr')].map(row =>
      row.textContent!.includes('best so far')
    );

  it('draws how they went, and names the fastest that is right', () => {
    const { node, text } = draw({ runs: sameWork });
    expect(text).toContain('best so far: #3, correct, 1.01x faster');
    const line = node.querySelector('.jp-KernelPanel-sparkline')!;
    expect(line.getAttribute('aria-label')).toMatch(
      /^Attempts: #1 wrong result; #2 correct .*; #3 correct/
    );
    expect(line.querySelectorAll('circle')).toHaveLength(2);
    expect(marked(node)).toEqual([true, false, false]);
    const row = node.querySelector('tbody tr')!.textContent;
    expect(row).toContain('3.01 ms · 0 ulp');
  });

  it('takes no best from the file alone, and says so if none is right', () => {
    const saved = sameWork.map(one => ({ ...one, heardAt: null }));
    expect(draw({ runs: saved }).text).toContain('none passed here so far');
    const { node } = draw({ runs: saved });
    expect(marked(node)).toEqual([false, false, false]);
    expect(
      node.querySelectorAll('.jp-KernelPanel-sparkline .jp-mod-saved')
    ).toHaveLength(3);
  });

  it('lists those of one problem, and draws nothing of a single attempt', () => {
    const other = run('graded', { number: 4 });
    const { node } = draw({ runs: [other, ...sameWork] });
    const choice = node.querySelector<HTMLSelectElement>(
      '.jp-KernelPanel-problem select'
    )!;
    expect([...choice.options].map(one => one.textContent)).toEqual([
      'all',
      'Gemm, multiply, LeakyReLU 32x256 float32 (1)',
      'LeakyReLU 4096x393216 float32 (3)'
    ]);
    expect(node.querySelectorAll('.jp-KernelPanel-sparkline')).toHaveLength(1);
    act(() => {
      choice.value = choice.options[1]!.value;
      choice.dispatchEvent(new Event('change', { bubbles: true }));
    });
    expect(node.querySelectorAll('.jp-KernelPanel-runs tbody tr').length).toBe(
      1
    );
    expect(node.querySelector('.jp-KernelPanel-sparkline')).toBeNull();
  });
});

describe('Panel: a comparison', () => {
  const [slower, profile, wrong] = ['slower', 'profile', 'wrong-result'].map(
    (name, n) => run(name, { number: n + 1 })
  ) as [IRun, IRun, IRun];

  function rows(compared: IRun[], runs = [profile, slower, wrong]) {
    const { node } = draw({
      runs,
      compared: compared.map(one => one.report.run)
    });
    const table = node.querySelector('[aria-label="Comparison"]');
    return [...(table?.querySelectorAll('tr, caption, p') ?? [])].map(row =>
      [...row.querySelectorAll('th, td')]
        .map(cell => cell.textContent)
        .join(' | ')
    );
  }

  it('puts the earlier run first, with what changed', () => {
    const { text } = draw({
      runs: [profile, slower],
      compared: [profile.report.run, slower.report.run]
    });
    expect(text).toContain('Run 2 against run 1');
    expect(rows([profile, slower], [profile, slower])).toEqual([
      '',
      ' | #1 | #2 | Change',
      'Result | correct for this problem, 1.59x slower; not a drop-in | correct, 1.01x faster | –',
      'Cases | 9 of 15 pass, 2 fail, 4 not supported | 15 of 15 pass | –',
      'Largest error | 2.1e9 ulp | 0 ulp | –',
      'Time | 4.85 ms | 3.01 ms | 1.61x faster',
      'Against eager | 1.59x slower | 1.011x faster | –',
      'Of limit | 63% | 100% | +37 points',
      'Source | 28 lines | 675 lines | changed',
      ''
    ]);
    expect(text).toContain('were not taken in turn');
  });

  it('compares no times of other work', () => {
    const other = run('benchmark');
    const { text } = draw({
      runs: [profile, other],
      compared: [profile.report.run, other.report.run]
    });
    expect(text).toContain('The times do not compare');
    const time = rows([profile, other], [profile, other]).find(row =>
      row.startsWith('Time')
    );
    expect(time).toMatch(/^Time .* –$/);
  });

  it('leaves out what neither run has', () => {
    const names = rows([slower, wrong]).map(row => row.split(' | ')[0]);
    expect(names).toContain('Time');
    expect(
      rows([wrong, run('pass')], [wrong, run('pass')]).map(
        row => row.split(' | ')[0]
      )
    ).not.toContain('Time');
  });

  it('compares no errors of programs that are wrong', () => {
    const fault = run('memory-fault', { number: 4 });
    const names = rows([wrong, fault], [wrong, fault]).map(
      row => row.split(' | ')[0]
    );
    expect(names).toContain('Cases');
    expect(names).not.toContain('Largest error');
  });

  it('says how to choose the second one', () => {
    const { text, node } = draw({
      runs: [profile, slower],
      compared: [slower.report.run]
    });
    expect(text).toContain('Select another run to compare with run 1.');
    const box = node.querySelector<HTMLInputElement>(
      '[aria-label="Compare run 2"]'
    )!;
    expect(box.checked).toBe(false);
    act(() => box.click());
    expect(actions.toggleCompared).toHaveBeenCalledWith(profile.report.run);
  });
});

describe('Panel: what can be done with runs', () => {
  const [first, second] = ['slower', 'profile'].map((name, n) =>
    run(name, { number: n + 1 })
  ) as [IRun, IRun];
  const both = { runs: [second, first], compared: [second.id, first.id] };

  it('shows the difference of two programs, and inserts their comparison', () => {
    const { button } = draw(both);
    button('Source diff').click();
    button('Insert comparison as a cell').click();
    expect(actions.showDifference).toHaveBeenCalledWith(first.id, second.id);
    expect(actions.insertComparison).toHaveBeenCalledWith(first.id, second.id);
  });

  it('offers no difference of a program with itself', () => {
    const again = { ...first, id: 'again', number: 2 };
    const { button, text } = draw({
      runs: [again, first],
      compared: [again.id, first.id]
    });
    expect(text).toContain('the same');
    expect(button('Source diff')).toBeUndefined();
  });

  it('deletes a run; the focus goes to the next one', () => {
    const { node, button } = draw(both);
    document.body.append(node);
    button('Delete run 2').click();
    expect(actions.deleteRun).toHaveBeenCalledWith(second.id);
    expect(document.activeElement).toBe(button('Delete run 1'));
    node.remove();
  });

  it('deletes no run that goes on', () => {
    const going = run('running', { isRunning: true });
    expect(draw({ runs: [going] }).button('Delete run 1')).toBeUndefined();
  });
});

describe('Panel: activity', () => {
  it('shows the last request, and all behind it', () => {
    const { node, text } = draw({
      requests: [
        request({ id: 2, outcome: 'queued', took_ms: null }),
        request({ id: 1 })
      ]
    });
    expect(
      node.querySelector('.jp-KernelPanel-activity summary')?.textContent
    ).toContain('queued');
    expect(
      node.querySelectorAll('.jp-KernelPanel-activity tbody tr')
    ).toHaveLength(2);
    expect(text).toContain('42 ms');
    expect(text).toContain('Nothing is sent while this panel is hidden.');
  });

  it('says so where nothing was sent', () => {
    expect(draw({}).text).toContain('Sent: nothing');
  });
});
