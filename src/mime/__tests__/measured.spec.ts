/**
 * What a benchmark and a profile look like: the values in the tables, what the
 * charts say, and how a keyboard gets at them.
 */
import * as fs from 'fs';
import * as path from 'path';
import { MimeModel } from '@jupyterlab/rendermime';
import type { IRenderMime } from '@jupyterlab/rendermime-interfaces';
import type { ReadonlyPartialJSONObject } from '@lumino/coreutils';
import { Widget } from '@lumino/widgets';
import { flushSync } from 'react-dom';
import { REPORT_MIME } from '../../report/mimetype';
import type { IReport, ITiming } from '../../report/types';
import extension from '../index';

const FIXTURES = path.resolve(
  __dirname,
  '../../../python/tests/fixtures/reports'
);

function fixture(name: string): IReport {
  return JSON.parse(
    fs.readFileSync(path.join(FIXTURES, `${name}.json`), 'utf8')
  );
}

/** A report with parts of its timing replaced. */
function timed(name: string, changes: Partial<ITiming>): IReport {
  const report = fixture(name);
  return { ...report, timing: { ...(report.timing as ITiming), ...changes } };
}

let widgets: IRenderMime.IRenderer[] = [];

async function render(report: IReport): Promise<HTMLElement> {
  const widget = extension.rendererFactory.createRenderer({
    mimeType: REPORT_MIME,
    resolver: null,
    sanitizer: { sanitize: (text: string) => text },
    linkHandler: null,
    latexTypesetter: null
  });
  widgets.push(widget);
  const data = {
    [REPORT_MIME]: report
  } as unknown as ReadonlyPartialJSONObject;
  Widget.attach(widget, document.body);
  await widget.renderModel(new MimeModel({ data }));
  return widget.node;
}

function section(root: ParentNode, name: string): HTMLDetailsElement {
  const found = findSection(root, name);
  if (!found) {
    throw new Error(`no section ${name}`);
  }
  return found;
}

function findSection(
  root: ParentNode,
  name: string
): HTMLDetailsElement | undefined {
  return [...root.querySelectorAll('details')].find(
    details => details.querySelector('summary b')?.textContent === name
  );
}

function conclusion(details: HTMLDetailsElement): string {
  return details.querySelector('summary span')?.textContent ?? '';
}

/** The cells of a table's rows, without those that hold a chart. */
function rows(root: ParentNode, name: string): string[][] {
  return [...table(root, name).querySelectorAll('tbody tr')].map(row =>
    [...row.children]
      .filter(cell => !cell.querySelector('svg[role="img"]'))
      .map(cell => (cell.textContent ?? '').trim())
  );
}

/** The group of a table or chart, by its name. */
function group(root: ParentNode, name: string): HTMLElement {
  const found = root.querySelector<HTMLElement>(
    `[role="group"][aria-label="${name}"]`
  );
  if (!found) {
    throw new Error(`no group ${name}`);
  }
  return found;
}

function table(root: ParentNode, name: string): HTMLTableElement {
  return group(root, name).querySelector('table') as HTMLTableElement;
}

/** Title and description of the charts in a part of the report. */
function charts(root: ParentNode): string[] {
  return [...root.querySelectorAll('svg[role="img"]')].map(chart =>
    [...chart.querySelectorAll(':scope > title, :scope > desc')]
      .map(({ textContent }) => textContent)
      .join('; ')
  );
}

function press(node: HTMLElement, key: string): void {
  flushSync(() => {
    node.dispatchEvent(
      new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true })
    );
  });
}

/** What is said of the mark that has the focus. */
function said(node: HTMLElement): string {
  return node.nextElementSibling?.textContent ?? '';
}

afterEach(() => {
  widgets.forEach(widget => widget.dispose());
  widgets = [];
});

describe('the times', () => {
  it('name every program with its speed and its share of the limit', async () => {
    const node = await render(fixture('benchmark'));
    expect(rows(node, 'Times')).toEqual([
      [
        'This kernel',
        '3.015 ms',
        '1.010x faster',
        'FASTER',
        '4.27 TB/s',
        '100%'
      ],
      ['torch.compile', '3.037 ms', '1.003x', 'SAME', '4.24 TB/s', '100%'],
      ['PyTorch eager', '3.045 ms', 'reference', '', '4.23 TB/s', '100%'],
      ['Device copy (the limit)', '3.032 ms', '', '', '4.25 TB/s', '100%']
    ]);
    expect(charts(group(node, 'Times'))[0]).toBe('4.27 TB/s');
  });

  it('list other arithmetic apart and without a verdict', async () => {
    const node = await render(fixture('other-arithmetic'));
    const all = rows(node, 'Times');
    expect(all.at(-2)?.[0]).toContain('Other arithmetic');
    expect(all.at(-1)).toEqual([
      'PyTorch eager, TF32',
      '0.370 ms',
      'not comparable',
      '',
      '371 TFLOP/s',
      ''
    ]);
    expect(
      group(node, 'Times').querySelectorAll('rect.jp-KernelChart-arithmetic')
    ).toHaveLength(1);
  });

  it('give a candidate of other arithmetic no verdict anywhere', async () => {
    const report = fixture('benchmark');
    const speeds = report.timing!.speeds.map(speed => ({
      ...speed,
      verdict: null
    }));
    const node = await render(timed('benchmark', { speeds }));
    expect(node.textContent).toContain('Other arithmetic');
    expect(node.textContent).not.toMatch(/FASTER(?! needs)|SLOWER(?! left)/);
  });

  it('are bars of time where there is no limit', async () => {
    const node = await render(timed('benchmark', { limit: null }));
    expect(group(node, 'Times').textContent).toContain('shorter is faster');
    expect(rows(node, 'Times')).toHaveLength(3);
    expect(findSection(node, 'Limit')).toBeUndefined();
  });

  it('show what a run has timed so far', async () => {
    const report = timed('benchmark', { limit: null, clocks: [], sweep: [] });
    report.timing!.rows = report.timing!.rows.slice(0, 1);
    report.timing!.speeds = [];
    const node = await render({
      ...report,
      state: 'running',
      verdict: null,
      stages: report.stages.map(stage => ({
        ...stage,
        state: stage.name === 'time' ? 'running' : 'passed'
      }))
    });
    expect(rows(node, 'Times')).toEqual([
      ['This kernel', '3.01 ms', '', '', '', '']
    ]);
    expect(node.querySelector('[role="status"]')?.textContent).toBe('Timing');
  });

  it('are given by arrow keys, one tab stop for all', async () => {
    const node = await render(fixture('benchmark'));
    const times = group(node, 'Times');
    expect(times.tabIndex).toBe(0);
    press(times, 'ArrowDown');
    expect(said(times)).toBe(
      'This kernel: 3.015 ms, 1.010x faster, FASTER, 4.27 TB/s, 100% of the limit'
    );
    expect(times.querySelectorAll('tr.jp-mod-active')).toHaveLength(1);
    press(times, 'End');
    expect(said(times)).toBe('Limit: device copy, 4.25 TB/s');
    press(times, 'ArrowUp');
    expect(said(times)).toContain('PyTorch eager: 3.045 ms, reference');
    press(times, 'Escape');
    expect(times.querySelectorAll('.jp-mod-active')).toHaveLength(0);
  });
});

describe('the facts', () => {
  it('draw the interval and the limit', async () => {
    const node = await render(fixture('benchmark'));
    const facts = node.querySelector('.jp-KernelReport-facts')!;
    expect(facts.textContent).toContain(
      '3.015 ms against 3.045 ms; 95% CI 1.009x to 1.011x'
    );
    expect(charts(facts)).toEqual([
      '16 cases pass',
      'Speed ratio with its 95% confidence interval; 1.010x, 1.009x to 1.011x faster',
      'Position against the limit; 4.27 TB/s; device copy 4.25 TB/s'
    ]);
  });

  it('call the limit not reached, or not believed', async () => {
    const limitOf = async (name: string) => {
      const node = await render(fixture(name));
      const glyphs = node.querySelectorAll('.jp-KernelReport-answer svg');
      return glyphs[2]?.getAttribute('class');
    };
    expect(await limitOf('benchmark')).toContain('jp-mod-pass');
    expect(await limitOf('slower')).toContain('jp-mod-info');
    expect(await limitOf('unclear')).toContain('jp-mod-info');
  });
});

describe('the timing', () => {
  it('shows all samples, intervals, clocks and circumstances', async () => {
    const node = await render(fixture('benchmark'));
    const timing = section(node, 'Timing');
    expect(conclusion(timing)).toBe(
      '3.015 ms, IQR 5.4 µs, 100 samples; 4 clocks agree'
    );
    expect(timing.open).toBe(false);
    expect(rows(timing, 'All samples')[0]).toEqual([
      'This kernel',
      '3.015 ms',
      '5.4 µs'
    ]);
    expect(
      group(timing, 'All samples').querySelectorAll('circle.jp-mod-sample')
    ).toHaveLength(300);
    expect(rows(timing, 'Ratio of medians')).toEqual([
      ['This kernel', '1.010x', 'FASTER'],
      ['torch.compile', '1.003x', 'SAME'],
      ['PyTorch eager against itself', '1.003x', 'noise band']
    ]);
    expect(rows(timing, 'Clocks').slice(0, 3)).toEqual([
      ['This kernel'],
      ['CUDA events', '3.011 ms', ''],
      ['CUPTI span', '3.009 ms', '−0.07%']
    ]);
    expect(rows(timing, 'Circumstances')[2]).toEqual([
      'Replayed from a CUDA graph',
      '3.008 ms',
      '3.038 ms',
      '1.010x faster',
      'FASTER'
    ]);
    expect(timing.textContent).toContain(
      'SM clock 1,980 MHz, 46 °C, 498 W; 240 timed calls verified; 0 samples dropped'
    );
  });

  it('never draws more than a thousand marks', async () => {
    const report = fixture('benchmark');
    const many = Array.from({ length: 300 }, (_, n) => 0.003 + n * 1e-7);
    const some = report.timing!.rows.map(row => ({ ...row, samples_s: many }));
    const others = ['a', 'b', 'c'].map(program => ({
      ...some[1]!,
      program
    }));
    const node = await render(
      timed('benchmark', { rows: [...some, ...others] })
    );
    const dots = group(node, 'All samples').querySelectorAll('circle');
    expect(dots.length).toBeLessThan(1000);
    expect(dots.length).toBeGreaterThan(800);
  });

  it('writes a program that is far off at the edge of the axis', async () => {
    const report = fixture('benchmark');
    const [first] = report.timing!.rows;
    const slower = (seconds: number) => seconds * 1.6;
    const far = {
      ...first!,
      program: 'far',
      role: 'other' as const,
      median_s: 0.00491,
      q1_s: slower(first!.q1_s),
      q3_s: slower(first!.q3_s),
      samples_s: first!.samples_s.map(slower)
    };
    const node = await render(
      timed('benchmark', { rows: [...report.timing!.rows, far] })
    );
    expect(group(node, 'All samples').textContent).toContain(
      '4.910 ms, off the axis →'
    );
  });

  it('opens and names the clocks that differ', async () => {
    const node = await render(fixture('unclear'));
    const timing = section(node, 'Timing');
    expect(timing.open).toBe(true);
    expect(conclusion(timing)).toContain(
      'clocks disagree: wall with synchronization, wall slope'
    );
    expect(timing.textContent).toContain('4 samples dropped');
    expect(timing.textContent).toContain('another process used the device');
    expect(rows(timing, 'Clocks')[4]).toEqual([
      'Wall slope, n to 2n calls',
      '3.306 ms',
      '+22.00%'
    ]);
  });

  it('says in one line why nothing was timed', async () => {
    const report = timed('benchmark', {
      rows: [],
      speeds: [],
      clocks: [],
      limit: null,
      memory: [],
      note: 'emulation tells nothing about speed'
    });
    const node = await render(report);
    expect(conclusion(section(node, 'Timing'))).toBe(
      'not measured: emulation tells nothing about speed'
    );
    for (const name of ['Limit', 'Training', 'Sizes']) {
      expect(findSection(node, name)).toBeUndefined();
    }
    expect(node.querySelector('[aria-label="Times"]')).toBeNull();
  });

  it('is not there where nothing was to be timed', async () => {
    const node = await render(fixture('cuda-pass'));
    expect(findSection(node, 'Timing')).toBeUndefined();
    expect(findSection(node, 'Profile')).toBeUndefined();
  });
});

describe('the limit', () => {
  it('marks a prediction as one, with what it assumes', async () => {
    const node = await render(fixture('benchmark'));
    const limit = section(node, 'Limit');
    expect(conclusion(limit)).toBe(
      'memory-bound, 100% of device copy; A100 80 GB predicted at about 7.4 ms'
    );
    expect(rows(limit, 'Share of the limit').at(-1)).toEqual([
      'A100 80 GB, this kernelprediction, not measured',
      '≈ 7.4 ms',
      '–'
    ]);
    const chip = limit.querySelector('.jp-KernelReport-chip');
    expect(chip?.getAttribute('title')).toContain('1.73 TB/s');
    expect(limit.textContent).toContain(
      'Prediction for A100 80 GB, this kernel: 12.9 GB'
    );
    expect(
      limit.querySelectorAll('path.jp-KernelChart-prediction')
    ).toHaveLength(1);
    expect(charts(group(limit, 'Share of the limit')).at(-1)).toContain(
      'a prediction, not measured'
    );
  });

  it('draws measured roofs solid and those of the vendor dashed', async () => {
    const node = await render(fixture('benchmark'));
    const roofline = group(section(node, 'Limit'), 'Roofline');
    const dashed = roofline.querySelectorAll(
      '.jp-KernelChart-roof.jp-mod-vendor'
    );
    expect(roofline.querySelectorAll('.jp-KernelChart-roof')).toHaveLength(4);
    expect(dashed).toHaveLength(2);
    press(roofline, 'End');
    expect(said(roofline)).toBe(
      'the vendor’s fp32, not measured: 66.9 TFLOP/s'
    );
    press(roofline, 'ArrowUp');
    expect(said(roofline)).toBe('fp32, measured: 50.6 TFLOP/s');
    press(roofline, 'Home');
    expect(said(roofline)).toBe(
      'this kernel: 534 GFLOP/s at 0.125 FLOP per byte, 100% of the limit'
    );
  });

  it('names what sets it, of roofs with one name the measured one', async () => {
    const node = await render(fixture('other-arithmetic'));
    expect(conclusion(section(node, 'Limit'))).toBe(
      'compute-bound, 90% of FP16, three products'
    );
  });
});

describe('training', () => {
  it('compares the phases and what is kept', async () => {
    const node = await render(fixture('benchmark'));
    const training = section(node, 'Training');
    expect(conclusion(training)).toBe(
      'step 1.20x faster, 1/32 of the activation memory; forward alone 1.010x faster'
    );
    expect(rows(training, 'Training').slice(1, 4)).toEqual([
      ['Backward', '3.07 ms', '4.40 ms', '1.43x faster', 'FASTER'],
      ['Training step', '6.22 ms', '7.45 ms', '1.20x faster', 'FASTER'],
      [
        'Kept for backward',
        '201 MB',
        '6.44 GB',
        '1/32 of the activation memory',
        ''
      ]
    ]);
  });

  it('is not there where only forward was timed', async () => {
    const node = await render(fixture('slower'));
    expect(findSection(node, 'Training')).toBeUndefined();
  });
});

describe('the sizes', () => {
  it('name those that lose first', async () => {
    const node = await render(fixture('sweep'));
    const sizes = section(node, 'Sizes');
    expect(conclusion(sizes)).toBe(
      'slower at 16x16, 32x32, 64x64, 128x128; faster at 7 of 11 sizes'
    );
    expect(rows(sizes, 'Speed over sizes')[0]).toEqual([
      '16x16',
      '5.90 µs',
      '5.20 µs',
      '1.135x slower',
      'SLOWER'
    ]);
    expect(sizes.querySelectorAll('.jp-KernelChart-lost')).toHaveLength(4);
    const chart = group(sizes, 'Speed over sizes');
    press(chart, 'ArrowRight');
    expect(said(chart)).toMatch(/^16x16: 1.135x slower, 95% CI /);
    // The point and its row.
    expect(chart.querySelectorAll('.jp-mod-active')).toHaveLength(2);
  });
});

describe('the profile', () => {
  it('draws both programs on one axis, a bar a launch', async () => {
    const node = await render(fixture('profile'));
    const profile = section(node, 'Profile');
    expect(conclusion(profile)).toBe(
      '1 launch forward · no spills · counters closed'
    );
    const step = 'Kernel timeline, training step';
    expect(rows(profile, step)).toEqual([
      ['This kernel', '2', '6.22 ms'],
      ['PyTorch eager', '8', '7.45 ms']
    ]);
    const timeline = group(profile, step);
    expect(timeline.querySelectorAll('tbody rect')).toHaveLength(10);
    press(timeline, 'ArrowRight');
    press(timeline, 'ArrowRight');
    expect(said(timeline)).toMatch(/^this kernel: leaky_relu_backward_mask/);
    expect(said(timeline)).toContain('3.06 ms, from 3.16 ms, stream 7');
  });

  it('tables launches, resources and builds, and says why counters are closed', async () => {
    const node = await render(fixture('profile'));
    const profile = section(node, 'Profile');
    expect(rows(profile, 'Launches and resources').slice(0, 3)).toEqual([
      ['This kernel, forward'],
      [
        'leaky_relu_vec4',
        '1',
        '3.01 ms',
        '3,145,728 x 128',
        '20',
        '0 B',
        '0 B',
        '100%',
        '4.27 TB/s'
      ],
      ['occupancy limited by block size; 1,490 waves']
    ]);
    const build = table(profile, 'Build');
    expect(build.querySelector('thead')?.textContent).toBe(
      'Quantitysm_90sm_80'
    );
    expect(rows(profile, 'Build')[1]).toEqual([
      'Registers a thread',
      '20',
      '22'
    ]);
    expect(profile.textContent).toContain(
      'NVreg_RestrictProfilingToAdminUsers'
    );
  });

  it('shows what the device counted, and spills', async () => {
    const node = await render(fixture('other-arithmetic'));
    const profile = section(node, 'Profile');
    expect(conclusion(profile)).toBe(
      '2 launches forward · 16 B spilled a thread'
    );
    expect(profile.textContent).toContain('tensor pipe active 64.2 %');
  });

  it('says why it saw nothing', async () => {
    const report = fixture('profile');
    const node = await render({
      ...report,
      profile: {
        ...report.profile!,
        timeline: [],
        kernels: [],
        builds: [],
        counters_note: '',
        note: 'the device cannot be traced here'
      }
    });
    const profile = section(node, 'Profile');
    expect(conclusion(profile)).toBe('the device cannot be traced here');
  });
});

it.each([
  'benchmark',
  'profile',
  'slower',
  'unclear',
  'sweep',
  'other-arithmetic'
])('names every chart of %s, and uses no viewBox in it', async name => {
  const node = await render(fixture(name));
  const all = [...node.querySelectorAll('svg[role="img"]')];
  expect(all.length).toBeGreaterThan(3);
  for (const chart of all) {
    expect(chart.querySelector(':scope > title')?.textContent).toBeTruthy();
    expect(chart.hasAttribute('viewBox')).toBe(false);
    expect(chart.innerHTML).not.toMatch(/NaN|Infinity|undefined/);
  }
});
