/** What bounds a program, what training takes, and which sizes win. */
import type { ILimit, IReport, ITiming } from '../../model/types';
import { recorded } from '../../model/__tests__/recorded';
import {
  charts,
  clearPage,
  conclusion,
  draw,
  findSection,
  group,
  press,
  rows,
  said,
  section
} from './page';

afterEach(clearPage);

/** A report with parts of its timing replaced. */
function timed(name: string, changes: Partial<ITiming>): IReport {
  const report = recorded(name);
  return { ...report, timing: { ...(report.timing as ITiming), ...changes } };
}

describe('the limit', () => {
  it('marks a prediction as one, with what it assumes', async () => {
    const node = await draw(recorded('profile'));
    const limit = section(node, 'Limit');
    expect(conclusion(limit)).toBe('100% of device copy, 4.28 TB/s');
    expect(rows(limit, 'Share of the limit').at(-1)).toEqual([
      'A100 SXM 80 GB, PyTorch eagerprediction',
      'about 7.2 ms',
      '–'
    ]);
    const chip = limit.querySelector('.jp-KernelReport-chip');
    expect(chip?.getAttribute('title')).toContain('same share of the limit');
    expect(limit.textContent).toContain(
      'Prediction for A100 SXM 80 GB, this kernel: same share'
    );
    expect(
      limit.querySelectorAll('path.jp-KernelChart-prediction')
    ).toHaveLength(2);
    expect(charts(group(limit, 'Share of the limit')).at(-1)).toContain(
      'about 7.2 ms; prediction, not measured: '
    );
  });

  it('draws measured peaks solid and those of the vendor dashed', async () => {
    const node = await draw(recorded('other-arithmetic'));
    const roofline = group(section(node, 'Limit'), 'Roofline');
    const dashed = roofline.querySelectorAll(
      '.jp-KernelChart-peak.jp-mod-vendor'
    );
    expect(roofline.querySelectorAll('.jp-KernelChart-peak')).toHaveLength(6);
    expect(dashed).toHaveLength(2);
    press(roofline, 'End');
    expect(said(roofline)).toBe('FP16, vendor: 989 TFLOP/s');
    press(roofline, 'ArrowUp');
    press(roofline, 'ArrowUp');
    expect(said(roofline)).toBe(
      'FP16, three products, measured here: 253 TFLOP/s'
    );
    press(roofline, 'Home');
    expect(said(roofline)).toBe(
      'this kernel: 228 TFLOP/s at 410 FLOP per byte, of limit 90%'
    );
  });

  it('writes no word of a roofline over another one', async () => {
    const apart = async (timing: ITiming) => {
      const node = await draw(timed('other-arithmetic', timing));
      const words = group(section(node, 'Limit'), 'Roofline').querySelectorAll(
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
      return Math.min(...lines.slice(1).map((line, n) => line - lines[n]!));
    };
    const timing = recorded('other-arithmetic').timing!;
    expect(await apart(timing)).toBeGreaterThanOrEqual(12);

    // A product in plain float32 on an H200: h200/004-1-profile-ef263a0.json.
    const copy = timing.limit!.peak_rates.find(({ unit }) => unit === 'B/s')!;
    const compute = {
      fp32: 64.2,
      TF32: 412,
      FP16: 755,
      'FP16, three products': 252
    };
    timing.limit!.peak_rates = [
      { ...copy, rate: 4.26e12 },
      ...Object.entries(compute).map(([name, tera]) => ({
        ...copy,
        name,
        unit: 'FLOP/s',
        rate: tera * 1e12
      }))
    ] as ILimit['peak_rates'];
    for (const program of timing.rows) {
      program.median_s = 0.002718;
    }
    expect(await apart(timing)).toBeGreaterThanOrEqual(12);
  });

  it('names what sets it, of peaks with one name the measured one', async () => {
    const node = await draw(recorded('other-arithmetic'));
    expect(conclusion(section(node, 'Limit'))).toBe(
      '90% of FP16, three products, 228 TFLOP/s'
    );
  });
});

describe('training', () => {
  it('compares the phases and what is kept', async () => {
    const node = await draw(recorded('profile'));
    const training = section(node, 'Training');
    expect(conclusion(training)).toBe(
      'step 1.15x faster, 1/32 activation memory'
    );
    expect(rows(training, 'Training').slice(1, 4)).toEqual([
      ['Backward', '3.36 ms', '4.40 ms', '1.31x faster', 'FASTER'],
      ['Training step', '6.50 ms', '7.44 ms', '1.15x faster', 'FASTER'],
      ['Kept for backward', '201 MB', '6.44 GB', '1/32 activation memory', '']
    ]);
  });

  it('is not there where only forward was timed', async () => {
    const node = await draw(recorded('slower'));
    expect(findSection(node, 'Training')).toBeUndefined();
  });
});

describe('the sizes', () => {
  it('name those that lose first', async () => {
    const { sweep } = recorded('sweep').timing!;
    const lost = sweep.slice(0, 2).map(point => ({
      ...point,
      ratio: 1 / point.ratio,
      low: 1 / point.high,
      high: 1 / point.low,
      against: '1.055x slower',
      verdict: 'SLOWER' as const
    }));
    const sizes_conclusion = 'slower at 1024, 4096; faster at 1 of 12 sizes';
    const node = await draw(
      timed('sweep', { sweep: [...lost, ...sweep.slice(2)], sizes_conclusion })
    );
    const sizes = section(node, 'Sizes');
    expect(conclusion(sizes)).toBe(sizes_conclusion);
    expect(sizes.querySelectorAll('.jp-KernelChart-lost')).toHaveLength(2);
    const chart = group(sizes, 'Speed over sizes');
    press(chart, 'ArrowRight');
    expect(said(chart)).toMatch(/^1024: 1.055x slower, 95% CI /);
    // The point and its row.
    expect(chart.querySelectorAll('.jp-mod-active')).toHaveLength(2);
  });
});
