/** Sections of a report: what is drawn of blocks, whatever they are about. Their words are Python's, and tested there. */
import type { IReport } from '../../model/types';
import { reportBus } from '../../model/reportBus';
import { recorded } from '../../model/__tests__/recorded';
import {
  button,
  charts,
  clearPage,
  conclusion,
  draw,
  findSection,
  group,
  know,
  press,
  render,
  rows,
  said,
  section,
  settled,
  textOf
} from './page';

afterEach(clearPage);

describe('a table', () => {
  it('has its groups and rows, and below a row what no column has room for', async () => {
    const cases = section(await draw(recorded('wrong-result')), 'Correctness');
    expect(rows(cases, 'Cases').slice(0, 2)).toEqual([
      ['This problem'],
      [
        'normal',
        '64x3072',
        'float32',
        'contiguous',
        '–',
        expect.stringContaining('wrong')
      ]
    ]);
    expect(textOf(cases, '.jp-mod-detail')).toContain('first [0, 1]: got');
  });

  it('draws what a row came to as a shape beside the words', async () => {
    const gates = group(await draw(recorded('weak')), 'Gates');
    const failed = gates.querySelector('tr.jp-mod-failed .jp-mod-result')!;
    expect(failed.textContent).toContain('does not hold');
    expect(failed.querySelector('svg.jp-mod-fail')).not.toBeNull();
  });

  it('names a kernel as a person would, and whole where somebody points', async () => {
    const profile = section(await draw(recorded('profile')), 'Profile');
    const [, first] = rows(profile, 'Launches and resources');
    expect(first?.[0]).toBe('forward_dense<float, false>');
    expect(profile.querySelector('tbody code')?.getAttribute('title')).toMatch(
      /^void .*forward_dense<float, false>\(/
    );
  });

  it('draws a name between backticks as code', async () => {
    const node = await draw(recorded('fault-beyond'));
    expect(textOf(node, '.jp-KernelReport-message dd code')).toBe('x');
    expect(node.textContent).not.toContain('`');
  });

  it('leads from a line of the program to the cell', async () => {
    const revealCell = jest.fn();
    const offer = reportBus.offer({ revealCell });
    const report = recorded('line-costs');
    report.candidate.cell_id = 'abc';
    const { node, model } = await render(report);
    know({
      isLost: false,
      isUnheard: false,
      isStale: false,
      heardAt: 0,
      fix: null
    });
    await settled();
    button(node, 'line 8, global store')?.click();
    expect(revealCell).toHaveBeenCalledWith(model, 'abc', 8);
    offer.dispose();
  });
});

describe('a table with charts', () => {
  it('says a row to a pointer or the arrow keys, one tab stop for all', async () => {
    const node = await draw(recorded('profile'));
    const times = group(node, 'Forward, one call');
    expect(times.tabIndex).toBe(0);
    press(times, 'ArrowDown');
    expect(said(times)).toBe(
      'This kernel: 3.01 ms, 1.011x faster, FASTER, 4.28 TB/s, 100%'
    );
    expect(times.querySelectorAll('tr.jp-mod-active')).toHaveLength(1);
    press(times, 'Escape');
    expect(times.querySelectorAll('.jp-mod-active')).toHaveLength(0);
  });

  it('draws other arithmetic hollow, and a prediction dashed', async () => {
    const node = await draw(recorded('other-arithmetic'));
    expect(
      group(node, 'Forward, one call').querySelectorAll(
        'rect.jp-KernelChart-arithmetic'
      )
    ).toHaveLength(1);
    const limit = section(await draw(recorded('profile')), 'Limit');
    expect(
      limit.querySelectorAll('path.jp-KernelChart-prediction')
    ).toHaveLength(2);
  });

  it('draws all samples, and never more than a thousand marks', async () => {
    const report = recorded('benchmark');
    const samples = (node: HTMLElement) =>
      group(node, 'All samples').querySelectorAll('circle.jp-mod-sample');
    expect(samples(await draw(report))).toHaveLength(360);
    const many = Array.from({ length: 300 }, (_, n) => 0.003 + n * 1e-7);
    report.timing!.rows.forEach(row => (row.samples_s = many));
    expect(samples(await draw(report)).length).toBeLessThan(1000);
  });

  it('writes a program that is far off at the edge of the axis', async () => {
    const report = recorded('benchmark');
    const eager = report.timing!.rows.find(({ role }) => role === 'reference')!;
    Object.assign(eager, { median_s: 0.00491, time: '4.910 ms' });
    expect(group(await draw(report), 'All samples').textContent).toContain(
      '4.910 ms, off the axis →'
    );
  });
});

describe('a picture', () => {
  it('says each mark in the words of the report', async () => {
    const node = await draw(recorded('problem-only'));
    const map = group(node, 'Where “strided slice” is wrong');
    expect(charts(map)[0]).toContain('One square is 2x2 elements of 64x48');
    press(map, 'ArrowDown');
    expect(said(map)).toContain('row 0: 24 of 24 squares hold wrong elements');
  });

  it('of a roofline has measured peaks solid and those of the vendor dashed', async () => {
    const node = await draw(recorded('other-arithmetic'));
    const roofline = group(node, 'Roofline on this device');
    const peaks = roofline.querySelectorAll('.jp-KernelChart-peak');
    expect(peaks).toHaveLength(6);
    expect(
      roofline.querySelectorAll('.jp-KernelChart-peak.jp-mod-vendor')
    ).toHaveLength(2);
    press(roofline, 'End');
    expect(said(roofline)).toBe('FP16, vendor: 989 TFLOP/s');
    press(roofline, 'Home');
    expect(said(roofline)).toBe(
      'this kernel: 228 TFLOP/s at 410 FLOP per byte, 90% of the limit'
    );
  });

  it('writes no word of a roofline over another one', async () => {
    const node = await draw(recorded('other-arithmetic'));
    const words = group(node, 'Roofline on this device').querySelectorAll(
      'text.jp-mod-said, text.jp-mod-strong'
    );
    const lines = [...words]
      .map(
        text =>
          Number(text.getAttribute('y')) +
          Number(text.parentElement!.getAttribute('y'))
      )
      .sort((one, other) => one - other);
    expect(lines.length).toBeGreaterThan(3);
    const gaps = lines.slice(1).map((line, n) => line - lines[n]!);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(12);
  });

  it('rings the sizes at which the program loses', async () => {
    const report = recorded('sweep');
    report.timing!.sweep[0]!.verdict = 'SLOWER';
    const sizes = section(await draw(report), 'Sizes');
    expect(sizes.querySelectorAll('.jp-KernelChart-lost')).toHaveLength(1);
  });
});

describe('a timeline', () => {
  const timeline = 'Kernel timeline, backward';

  it('draws all programs on one axis, a bar a launch', async () => {
    const report = recorded('profile');
    const profile = section(await draw(report), 'Profile');
    expect(rows(profile, timeline)).toEqual([
      ['This kernel', '1', '3.39 ms'],
      ['PyTorch eager', '4', '4.40 ms']
    ]);
    const bars = report.profile!.timeline.filter(
      ({ phase }) => phase === 'backward'
    );
    const drawn = group(profile, timeline);
    expect(drawn.querySelectorAll('tbody rect')).toHaveLength(bars.length);
    press(drawn, 'ArrowRight');
    expect(said(drawn)).toBe('this kernel: cudaLaunchKernel, 23.2 µs, from 0');
  });

  it('goes nearer and back by W and S', async () => {
    const drawn = group(await draw(recorded('profile')), timeline);
    const axis = () => textOf(drawn, 'tfoot title');
    const whole = axis();
    press(drawn, 'w');
    expect(axis()).not.toBe(whole);
    press(drawn, 's');
    expect(axis()).toBe(whole);
  });

  it('of a cell on the CPU is one of operators', async () => {
    const profile = section(await draw(recorded('cell-profile')), 'Profile');
    expect(profile.textContent).not.toMatch(/launch|forward/);
    const [row] = rows(profile, 'Operator timeline');
    expect(row?.[0]).toBe('This cell');
  });
});

describe('the facts', () => {
  it('draw the interval and the limit, with what they say', async () => {
    const node = await draw(recorded('profile'));
    const facts = node.querySelector('.jp-KernelReport-facts')!;
    expect(facts.textContent).toContain(
      '3.01 ms against 3.05 ms; 95% CI 1.009x to 1.011x'
    );
    expect(charts(facts)).toEqual([
      'Cases: 15 of 15 pass',
      'Yes, 1.011x faster than PyTorch eager; 95% CI 1.009x to 1.011x',
      '100% of device copy, 4.28 TB/s; device copy: 4.24 TB/s'
    ]);
  });

  it('call the limit not reached, or not believed', async () => {
    const limitOf = async (name: string) => {
      const node = await draw(recorded(name));
      const glyphs = node.querySelectorAll('.jp-KernelReport-answer svg');
      return glyphs[2]?.getAttribute('class');
    };
    expect(await limitOf('profile')).toContain('jp-mod-pass');
    expect(await limitOf('slower')).toContain('jp-mod-info');
  });
});

describe('a section', () => {
  it('opens by itself only where the report says so', async () => {
    const node = await draw(recorded('unclear'));
    const timing = section(node, 'Timing');
    expect(timing.open).toBe(true);
    expect(conclusion(timing)).toContain('clocks disagree: device trace span');
    expect(section(node, 'Limit').open).toBe(false);
  });

  it('is the only one while a run goes on: the times so far', async () => {
    const report = recorded('benchmark');
    const running: IReport = {
      ...report,
      state: 'running',
      verdict: null,
      doing: 'timing',
      sections: report.sections.filter(({ plain }) => plain)
    };
    const node = await draw(running);
    expect(rows(node, 'Forward, one call')).toHaveLength(4);
    expect(findSection(node, 'Timing')).toBeUndefined();
    expect(node.querySelector('[role="status"]')?.textContent).toBe('Timing');
  });

  it('folds compiled code, and says how long it is', async () => {
    const report = recorded('problem-only');
    const code = report.sections.find(({ id }) => id === 'device-code')!;
    const text = {
      title: 'PTX for sm_80',
      text: '.version 9.0',
      lines: 1200,
      folded: true
    };
    code.blocks.push({ ...code.blocks[0]!, items: null, text });
    const node = await draw(report);
    const log = node.querySelector('details.jp-KernelReport-log');
    expect(textOf(log!, 'summary')).toBe('PTX for sm_80, 1,200 lines');
    expect(log?.hasAttribute('open')).toBe(false);
  });
});

it.each(['benchmark', 'profile', 'slower', 'unclear', 'sweep'])(
  'names every chart of %s, and uses no viewBox in it',
  async name => {
    const node = await draw(recorded(name));
    const all = [...node.querySelectorAll('svg[role="img"]')];
    expect(all.length).toBeGreaterThan(3);
    for (const chart of all) {
      expect(chart.querySelector(':scope > title')?.textContent).toBeTruthy();
      expect(chart.hasAttribute('viewBox')).toBe(false);
      expect(chart.innerHTML).not.toMatch(/NaN|Infinity|undefined/);
    }
  }
);
