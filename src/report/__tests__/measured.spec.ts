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
import { REPORT_MIME } from '../../model/mimeType';
import type { ILimit, IProfile, IReport, ITiming } from '../../model/types';
import extension from '..';

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
      ['This kernel', '36.80 µs', '1.000x, same', 'SAME', '3.65 TB/s', '86%'],
      ['torch.compile', '36.90 µs', '1.001x, same', 'SAME', '3.64 TB/s', '86%'],
      ['PyTorch eager', '36.83 µs', 'reference', '', '3.64 TB/s', '86%'],
      ['Device copy (the limit)', '31.68 µs', '', '', '4.24 TB/s', '100%']
    ]);
    expect(charts(group(node, 'Times'))[0]).toBe('3.65 TB/s');
  });

  it('list other arithmetic apart and without a verdict', async () => {
    const node = await render(fixture('other-arithmetic'));
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
    const report = fixture('benchmark');
    const speeds = report.timing!.speeds.map(speed => ({
      ...speed,
      verdict: null
    }));
    const rows = report.timing!.rows.map(row => ({
      ...row,
      against: row.role === 'reference' ? 'reference' : 'other arithmetic'
    }));
    const node = await render(timed('benchmark', { rows, speeds }));
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
    const node = await render(fixture('profile'));
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
    const node = await render(fixture('profile'));
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
      const node = await render(fixture(name));
      const glyphs = node.querySelectorAll('.jp-KernelReport-answer svg');
      return glyphs[2]?.getAttribute('class');
    };
    expect(await limitOf('profile')).toContain('jp-mod-pass');
    expect(await limitOf('slower')).toContain('jp-mod-info');
    expect(await limitOf('unclear')).toContain('jp-mod-info');
  });
});

describe('the timing', () => {
  it('shows all samples, intervals, clocks and circumstances', async () => {
    const node = await render(fixture('benchmark'));
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
    expect(rows(timing, 'Circumstances')[2]).toEqual([
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
      time: '4.910 ms',
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
      const { clocks } = fixture('slower').timing!;
      const against = `device events ${(against_s * 1e3).toFixed(3)} ms`;
      Object.assign(clocks[number]!, { seconds, time, against_s, against });
      const timing = section(
        await render(timed('slower', { clocks })),
        'Timing'
      );
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
      note: 'emulation tells nothing about speed',
      conclusion: 'not measured: emulation tells nothing about speed'
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
    const node = await render(fixture('profile'));
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

  it('draws measured roofs solid and those of the vendor dashed', async () => {
    const node = await render(fixture('other-arithmetic'));
    const roofline = group(section(node, 'Limit'), 'Roofline');
    const dashed = roofline.querySelectorAll(
      '.jp-KernelChart-roof.jp-mod-vendor'
    );
    expect(roofline.querySelectorAll('.jp-KernelChart-roof')).toHaveLength(6);
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
      const node = await render(timed('other-arithmetic', timing));
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
    const timing = fixture('other-arithmetic').timing!;
    expect(await apart(timing)).toBeGreaterThanOrEqual(12);

    // A product in plain float32 on an H200: h200/004-1-profile-ef263a0.json.
    const copy = timing.limit!.roofs.find(({ unit }) => unit === 'B/s')!;
    const compute = {
      fp32: 64.2,
      TF32: 412,
      FP16: 755,
      'FP16, three products': 252
    };
    timing.limit!.roofs = [
      { ...copy, rate: 4.26e12 },
      ...Object.entries(compute).map(([name, tera]) => ({
        ...copy,
        name,
        unit: 'FLOP/s',
        rate: tera * 1e12
      }))
    ] as ILimit['roofs'];
    for (const program of timing.rows) {
      program.median_s = 0.002718;
    }
    expect(await apart(timing)).toBeGreaterThanOrEqual(12);
  });

  it('names what sets it, of roofs with one name the measured one', async () => {
    const node = await render(fixture('other-arithmetic'));
    expect(conclusion(section(node, 'Limit'))).toBe(
      '90% of FP16, three products, 228 TFLOP/s'
    );
  });
});

describe('training', () => {
  it('compares the phases and what is kept', async () => {
    const node = await render(fixture('profile'));
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
    const node = await render(fixture('slower'));
    expect(findSection(node, 'Training')).toBeUndefined();
  });
});

describe('the sizes', () => {
  it('name those that lose first', async () => {
    const { sweep } = fixture('sweep').timing!;
    const lost = sweep.slice(0, 2).map(point => ({
      ...point,
      ratio: 1 / point.ratio,
      low: 1 / point.high,
      high: 1 / point.low,
      against: '1.055x slower',
      verdict: 'SLOWER' as const
    }));
    const sizes_conclusion = 'slower at 1024, 4096; faster at 1 of 12 sizes';
    const node = await render(
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

describe('the profile', () => {
  /** The recorded profile with other parts. */
  function profiled(changes: Partial<IProfile>, name = 'profile'): IReport {
    const report = fixture(name);
    return { ...report, profile: { ...report.profile!, ...changes } };
  }

  it('draws both programs on one axis, a bar a launch', async () => {
    const report = fixture('profile');
    const node = await render(report);
    const profile = section(node, 'Profile');
    expect(conclusion(profile)).toBe('launches 1, spills 0 B');
    const backward = 'Kernel timeline, backward';
    expect(rows(profile, backward)).toEqual([
      ['This kernel', '1', '3.39 ms'],
      ['PyTorch eager', '4', '4.40 ms']
    ]);
    const timeline = group(profile, backward);
    const bars = report.profile!.timeline.filter(
      ({ phase }) => phase === 'backward'
    );
    expect(timeline.querySelectorAll('tbody rect')).toHaveLength(bars.length);
    press(timeline, 'ArrowRight');
    expect(said(timeline)).toBe(
      'this kernel: cudaLaunchKernel, 23.2 µs, from 0'
    );
    press(timeline, 'ArrowRight');
    expect(said(timeline)).toMatch(/^this kernel: void backward_dense<float>/);
    expect(said(timeline)).toContain('3.39 ms, from 22.6 µs, stream 7');
  });

  it('tables launches and resources, and builds a row a kernel', async () => {
    const node = await render(fixture('profile'));
    const profile = section(node, 'Profile');
    expect(rows(profile, 'Launches and resources').slice(0, 3)).toEqual([
      ['This kernel, forward'],
      [
        'forward_dense<float, false>',
        '1',
        '3.00 ms',
        '22',
        '0 B',
        '0 B',
        '100%',
        '4.29 TB/s'
      ],
      ['grid x block 3,145,728 x 128; 1,489 waves']
    ]);
    expect(rows(profile, 'Build')).toEqual([
      ['sm_90'],
      ['backward_dense<float>', '32', '0 B', '0 B', '100%'],
      ['forward_dense<float, false>', '22', '0 B', '0 B', '100%']
    ]);
  });

  it.each([
    ['void relu<float>(float*)', 'relu<float>'],
    ['void relu<c10::Half, (bool)1, (int)4>(T1*)', 'relu<Half, 1, 4>'],
    ['void (anonymous namespace)::relu<__half>(__half*)', 'relu<__half>'],
    ['ns::relu(std::array<float, 2>*, int)', 'relu'],
    [
      'void at::each<4, at::act(int)::{lambda()#1}, at::A<2> >(i',
      'each<4, act, A>'
    ],
    ['void relu<float, at::cut(long)…', 'relu<float, cut>'],
    ['Memcpy DtoD (Device -> Device)', 'Memcpy DtoD']
  ])('names the kernel %s %s', async (name, short) => {
    const [one] = fixture('profile').profile!.kernels;
    const node = await render(profiled({ kernels: [{ ...one!, name }] }));
    const [, row] = rows(section(node, 'Profile'), 'Launches and resources');
    expect(row?.[0]).toBe(short);
  });

  it('says why counters were not read', async () => {
    const profile = section(await render(fixture('slower')), 'Profile');
    expect(profile.textContent).toContain('returned an error code (9)');
  });

  it('shows what the device counted, and spills', async () => {
    const node = await render(fixture('other-arithmetic'));
    const profile = section(node, 'Profile');
    expect(conclusion(profile)).toBe('launches 2, spills 16 B');
    const all = rows(profile, 'Launches and resources');
    expect(all[3]).toEqual([
      'counted by the device: duration 580 µs; DRAM bytes 336 MB; tensor pipe 64.2 %'
    ]);
  });

  it('of a cell on the CPU lists its operators', async () => {
    const report = fixture('cell-profile');
    const node = await render(report);
    expect(node.querySelector('h3')?.textContent).toBe('cell [3]');
    expect(node.querySelector('header p')?.textContent).toBe('the CPU');
    expect(node.textContent).not.toContain('contains no CUDA kernel');
    expect(node.textContent).not.toMatch(/launch|forward/);
    expect(
      [...node.querySelectorAll('summary b')].map(one => one.textContent)
    ).toEqual(['Profile']);
    const profile = section(node, 'Profile');
    const { kernels, timeline } = report.profile!;
    expect(conclusion(profile)).toBe(
      "no GPU here: PyTorch's operators on the CPU"
    );
    const [row] = rows(profile, 'Operator timeline');
    expect(row?.slice(0, 2)).toEqual(['This cell', String(timeline.length)]);
    const chart = group(profile, 'Operator timeline');
    expect(chart.querySelectorAll('tbody rect')).toHaveLength(timeline.length);
    expect(chart.querySelectorAll('tbody .jp-mod-host')).toHaveLength(0);
    const operators = rows(profile, 'Operators');
    expect(operators).toHaveLength(kernels.length);
    const longest = Math.max(...kernels.map(({ seconds }) => seconds));
    expect(operators[0]?.[0]).toBe(
      kernels.find(({ seconds }) => seconds === longest)?.name
    );
  });

  it('of a cell on a GPU draws every launch, and tells the memory', async () => {
    const report = fixture('cell-profile-gpu');
    const node = await render(report);
    expect(node.querySelector('header p')?.textContent).toBe('NVIDIA H200');
    const profile = section(node, 'Profile');
    expect(conclusion(profile)).toBe('launches 51');
    const launches = report.profile!.timeline.filter(
      ({ kind }) => kind === 'kernel'
    );
    const chart = group(profile, 'Kernel timeline');
    expect(launches).toHaveLength(51);
    // Copies and fills are drawn, and not counted as launches.
    expect(
      [...chart.querySelectorAll('tbody td')].map(cell => cell.textContent)
    ).toContain('51');
    expect(chart.querySelectorAll('tbody rect').length).toBeGreaterThanOrEqual(
      launches.length
    );
    expect(node.textContent).toContain('91.4 MB');
    expect(node.textContent).toContain('grid x block 1 x 32; <0.01 waves');
    expect(node.textContent).toContain('; 0.48 waves');
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
        conclusion: '',
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
