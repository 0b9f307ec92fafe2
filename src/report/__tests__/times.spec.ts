/** The times and the facts of a benchmark: what tables and charts say, and how a keyboard gets at them. */
import type { IReport, ITiming } from '../../model/types';
import { recorded } from '../../model/__tests__/recorded';
import {
  charts,
  clearPage,
  draw,
  findSection,
  group,
  press,
  rows,
  said
} from './page';

afterEach(clearPage);

/** A report with parts of its timing replaced. */
function timed(name: string, changes: Partial<ITiming>): IReport {
  const report = recorded(name);
  return { ...report, timing: { ...(report.timing as ITiming), ...changes } };
}

describe('the times', () => {
  it('name every program with its speed and its share of the limit', async () => {
    const node = await draw(recorded('benchmark'));
    expect(rows(node, 'Times')).toEqual([
      ['This kernel', '36.80 µs', '1.000x, same', 'SAME', '3.65 TB/s', '86%'],
      ['torch.compile', '36.90 µs', '1.001x, same', 'SAME', '3.64 TB/s', '86%'],
      ['PyTorch eager', '36.83 µs', 'reference', '', '3.64 TB/s', '86%'],
      ['Device copy (the limit)', '31.68 µs', '', '', '4.24 TB/s', '100%']
    ]);
    expect(charts(group(node, 'Times'))[0]).toBe('3.65 TB/s');
  });

  it('list other arithmetic apart and without a verdict', async () => {
    const node = await draw(recorded('other-arithmetic'));
    const all = rows(node, 'Times');
    expect(all.at(-2)?.[0]).toContain('Other arithmetic');
    expect(all.at(-1)).toEqual([
      'PyTorch eager, TF32',
      '0.370 ms',
      'other arithmetic',
      '',
      '371 TFLOP/s',
      ''
    ]);
    expect(
      group(node, 'Times').querySelectorAll('rect.jp-KernelChart-arithmetic')
    ).toHaveLength(1);
  });

  it('give a candidate of other arithmetic no verdict anywhere', async () => {
    const report = recorded('benchmark');
    const speeds = report.timing!.speeds.map(speed => ({
      ...speed,
      verdict: null
    }));
    const rows = report.timing!.rows.map(row => ({
      ...row,
      against: row.role === 'reference' ? 'reference' : 'other arithmetic'
    }));
    const node = await draw(timed('benchmark', { rows, speeds }));
    expect(node.textContent).toContain('Other arithmetic');
    expect(node.textContent).not.toMatch(/FASTER(?! needs)|SLOWER(?! left)/);
  });

  it('are bars of time where there is no limit', async () => {
    const node = await draw(timed('benchmark', { limit: null }));
    expect(group(node, 'Times').textContent).toContain('shorter is faster');
    expect(rows(node, 'Times')).toHaveLength(3);
    expect(findSection(node, 'Limit')).toBeUndefined();
  });

  it('show what a run has timed so far', async () => {
    const report = timed('benchmark', { limit: null, clocks: [], sweep: [] });
    report.timing!.rows = report.timing!.rows.slice(0, 1);
    report.timing!.speeds = [];
    const node = await draw({
      ...report,
      state: 'running',
      verdict: null,
      doing: 'timing',
      stages: report.stages.map(stage => ({
        ...stage,
        state: stage.name === 'time' ? 'running' : 'passed'
      }))
    });
    expect(rows(node, 'Times')).toEqual([
      ['This kernel', '36.80 µs', '1.000x, same', '', '', '']
    ]);
    expect(node.querySelector('[role="status"]')?.textContent).toBe('Timing');
  });

  it('are given by arrow keys, one tab stop for all', async () => {
    const node = await draw(recorded('profile'));
    const times = group(node, 'Times');
    expect(times.tabIndex).toBe(0);
    press(times, 'ArrowDown');
    expect(said(times)).toBe(
      'This kernel: 3.01 ms, 1.011x faster, FASTER, 4.28 TB/s, of limit 100%'
    );
    expect(times.querySelectorAll('tr.jp-mod-active')).toHaveLength(1);
    press(times, 'End');
    expect(said(times)).toBe('Limit: device copy, 4.24 TB/s');
    press(times, 'ArrowUp');
    expect(said(times)).toContain('PyTorch eager: 3.05 ms, reference');
    press(times, 'Escape');
    expect(times.querySelectorAll('.jp-mod-active')).toHaveLength(0);
  });
});

describe('the facts', () => {
  it('draw the interval and the limit', async () => {
    const node = await draw(recorded('profile'));
    const facts = node.querySelector('.jp-KernelReport-facts')!;
    expect(facts.textContent).toContain(
      '3.01 ms against 3.05 ms; 95% CI 1.009x to 1.011x'
    );
    expect(charts(facts)).toEqual([
      'Cases: 15 of 15 pass',
      'Speed ratio with its 95% confidence interval; 1.011x faster; 1.009x to 1.011x',
      'Position against the limit; 4.28 TB/s; device copy 4.24 TB/s'
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
    expect(await limitOf('unclear')).toContain('jp-mod-info');
  });
});
