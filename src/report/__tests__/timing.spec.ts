/** How times were taken: samples, intervals, clocks. */
import type { IReport, ITiming } from '../../model/types';
import { recorded } from '../../model/__tests__/recorded';
import {
  clearPage,
  conclusion,
  draw,
  findSection,
  group,
  rows,
  section
} from './page';

afterEach(clearPage);

/** A report with parts of its timing replaced. */
function timed(name: string, changes: Partial<ITiming>): IReport {
  const report = recorded(name);
  return { ...report, timing: { ...(report.timing as ITiming), ...changes } };
}

describe('the timing', () => {
  it('shows all samples, intervals, clocks and cache states', async () => {
    const node = await draw(recorded('benchmark'));
    const timing = section(node, 'Timing');
    expect(conclusion(timing)).toBe(
      '36.80 µs, IQR 1.2 µs, 2,240 samples; 4 clocks agree'
    );
    expect(timing.open).toBe(false);
    expect(rows(timing, 'All samples')[0]).toEqual([
      'This kernel',
      '36.80 µs',
      '1.2 µs'
    ]);
    expect(
      group(timing, 'All samples').querySelectorAll('circle.jp-mod-sample')
    ).toHaveLength(360);
    expect(rows(timing, 'Ratio of medians')).toEqual([
      ['This kernel', '1.000x, same', 'SAME'],
      ['torch.compile', '1.001x, same', 'SAME'],
      ['PyTorch eager against itself', '1.024x', 'noise band']
    ]);
    expect(rows(timing, 'Clocks').slice(0, 3)).toEqual([
      ['This kernel'],
      ['Device events', '34.87 µs', ''],
      ['Device trace span', '34.72 µs', '−0.46%']
    ]);
    expect(rows(timing, 'Cache states')[2]).toEqual([
      'Replayed from a CUDA graph',
      '34.32 µs',
      '34.40 µs',
      '1.003x, same',
      'SAME'
    ]);
    expect(timing.textContent).toContain(
      'SM clock 1,980 MHz, 46 °C, 274 W; 4 timed calls verified; 0 samples dropped'
    );
  });

  it('never draws more than a thousand marks', async () => {
    const report = recorded('benchmark');
    const many = Array.from({ length: 300 }, (_, n) => 0.003 + n * 1e-7);
    const some = report.timing!.rows.map(row => ({ ...row, samples_s: many }));
    const others = ['a', 'b', 'c'].map(program => ({
      ...some[1]!,
      program
    }));
    const node = await draw(timed('benchmark', { rows: [...some, ...others] }));
    const dots = group(node, 'All samples').querySelectorAll('circle');
    expect(dots.length).toBeLessThan(1000);
    expect(dots.length).toBeGreaterThan(800);
  });

  it('writes a program that is far off at the edge of the axis', async () => {
    const report = recorded('benchmark');
    const [first] = report.timing!.rows;
    const slower = (seconds: number) => seconds * 1.6;
    const far = {
      ...first!,
      program: 'far',
      role: 'other' as const,
      median_s: 0.00491,
      time: '4.910 ms',
      q1_s: slower(first!.q1_s),
      q3_s: slower(first!.q3_s),
      samples_s: first!.samples_s.map(slower)
    };
    const node = await draw(
      timed('benchmark', { rows: [...report.timing!.rows, far] })
    );
    expect(group(node, 'All samples').textContent).toContain(
      '4.910 ms, off the axis →'
    );
  });

  it('opens and names the clocks that differ', async () => {
    const node = await draw(recorded('unclear'));
    const timing = section(node, 'Timing');
    expect(timing.open).toBe(true);
    expect(conclusion(timing)).toContain('clocks disagree: device trace span');
    expect(rows(timing, 'Clocks')[2]).toEqual([
      'Device trace span',
      '9.037 µs',
      '+11.17%'
    ]);
  });

  it.each([
    [1, 'Device trace span', 0.00529, 0.005283, '5.290 ms', '+0.13%'],
    [3, 'Wall slope', 0.004512, 0.004508, '4.512 ms', '+0.09%']
  ])(
    'holds clock %i, %s, against events around the same calls',
    async (number, name, seconds, against_s, time, difference) => {
      const { clocks } = recorded('slower').timing!;
      const against = `device events ${(against_s * 1e3).toFixed(3)} ms`;
      Object.assign(clocks[number]!, { seconds, time, against_s, against });
      const timing = section(await draw(timed('slower', { clocks })), 'Timing');
      expect(rows(timing, 'Clocks')[number + 1]).toEqual([
        `${name} against ${against}`,
        time,
        difference
      ]);
    }
  );

  it('says in one line why nothing was timed', async () => {
    const report = timed('benchmark', {
      rows: [],
      speeds: [],
      clocks: [],
      limit: null,
      memory: [],
      note: 'emulation says nothing about speed',
      conclusion: 'not measured: emulation says nothing about speed'
    });
    const node = await draw(report);
    expect(conclusion(section(node, 'Timing'))).toBe(
      'not measured: emulation says nothing about speed'
    );
    for (const name of ['Limit', 'Training', 'Sizes']) {
      expect(findSection(node, name)).toBeUndefined();
    }
    expect(node.querySelector('[aria-label="Times"]')).toBeNull();
  });

  it('is not there where nothing was to be timed', async () => {
    const node = await draw(recorded('cuda-pass'));
    expect(findSection(node, 'Timing')).toBeUndefined();
    expect(findSection(node, 'Profile')).toBeUndefined();
  });
});
