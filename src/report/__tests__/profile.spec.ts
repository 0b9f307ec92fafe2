/** What ran, when, and with what resources. */
import type { IProfile, IReport } from '../../model/types';
import { recorded } from '../../model/__tests__/recorded';
import {
  clearPage,
  conclusion,
  draw,
  group,
  press,
  rows,
  said,
  section
} from './page';

afterEach(clearPage);

describe('the profile', () => {
  /** The recorded profile with other parts. */
  function profiled(changes: Partial<IProfile>, name = 'profile'): IReport {
    const report = recorded(name);
    return { ...report, profile: { ...report.profile!, ...changes } };
  }

  it('draws both programs on one axis, a bar a launch', async () => {
    const report = recorded('profile');
    const node = await draw(report);
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

  it('says what each line costs where there is no GPU', async () => {
    const profile = section(await draw(recorded('line-costs')), 'Profile');
    expect(conclusion(profile)).toBe(
      'line 8 costs most in vain: global store, 32 sectors for 128 bytes'
    );
    const drawn = rows(profile, 'Cost of each line');
    expect(drawn).toContainEqual([
      'line 8, global store',
      '32 sectors for 128 bytes',
      '32 of 32'
    ]);
    expect(profile.textContent).toContain('Neighbouring lanes are far apart');
  });

  it('has a column for what the GPU counted at the same lines', async () => {
    const report = recorded('line-costs');
    const first = report.profile!.lines[0]!;
    const { requests, lanes, asked_bytes, moved_bytes } = first;
    const gpu = { requests, lanes, asked_bytes, moved_bytes };
    first.gpu = { ...gpu, passes: 0, least_passes: 0 };
    first.gpu_cost = '31 sectors for 128 bytes';
    const drawn = rows(
      section(await draw(report), 'Profile'),
      'Cost of each line'
    );
    expect(drawn).toContainEqual([
      'line 8, global store',
      '32 sectors for 128 bytes',
      '31 sectors for 128 bytes',
      '32 of 32'
    ]);
    expect(drawn).toContainEqual([
      'line 8, global load',
      '4 sectors for 128 bytes',
      '',
      '32 of 32'
    ]);
  });

  it('tables launches and resources, and builds a row a kernel', async () => {
    const node = await draw(recorded('profile'));
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
    const [one] = recorded('profile').profile!.kernels;
    const node = await draw(profiled({ kernels: [{ ...one!, name }] }));
    const [, row] = rows(section(node, 'Profile'), 'Launches and resources');
    expect(row?.[0]).toBe(short);
  });

  it('says why counters were not read', async () => {
    const profile = section(await draw(recorded('slower')), 'Profile');
    expect(profile.textContent).toContain('returned an error code (9)');
  });

  it('shows what the device counted, and spills', async () => {
    const node = await draw(recorded('other-arithmetic'));
    const profile = section(node, 'Profile');
    expect(conclusion(profile)).toBe('launches 2, spills 16 B');
    const all = rows(profile, 'Launches and resources');
    expect(all[3]).toEqual([
      'counted by the device: duration 580 µs; DRAM bytes 336 MB; tensor pipe 64.2 %'
    ]);
  });

  it('of a cell on the CPU lists its operators', async () => {
    const report = recorded('cell-profile');
    const node = await draw(report);
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
    const report = recorded('cell-profile-gpu');
    const node = await draw(report);
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
    const report = recorded('profile');
    const node = await draw({
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
  const node = await draw(recorded(name));
  const all = [...node.querySelectorAll('svg[role="img"]')];
  expect(all.length).toBeGreaterThan(3);
  for (const chart of all) {
    expect(chart.querySelector(':scope > title')?.textContent).toBeTruthy();
    expect(chart.hasAttribute('viewBox')).toBe(false);
    expect(chart.innerHTML).not.toMatch(/NaN|Infinity|undefined/);
  }
});
