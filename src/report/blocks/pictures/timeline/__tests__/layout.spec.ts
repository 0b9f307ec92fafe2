import { recorded } from '../../../../../model/__tests__/recorded';
import type { ILaunch, IProfile } from '../../../../../model/types';
import { isOfOperators, layout } from '../layout';

const { profile, timing } = recorded('profile');

const LAUNCH: ILaunch = {
  ...profile!.timeline[0]!,
  program: 'p',
  phase: 'forward',
  kind: 'kernel',
  name: 'void leaky_relu_forward<float>(float const*)',
  start_s: 0,
  seconds: 1,
  stream: 7
};

/** A profile of one program with these launches. */
function profiled(...launches: Partial<ILaunch>[]): IProfile {
  const timeline = launches.map(one => ({ ...LAUNCH, ...one }));
  return { ...profile!, timeline };
}

const lanesOf = (...launches: Partial<ILaunch>[]) =>
  layout(profiled(...launches), null, 'forward')!.rows[0]!.lanes;

describe('the layout of the timeline', () => {
  it('has the candidate first, and numbers the bars through all rows', () => {
    const { rows } = layout(profile!, timing, 'forward')!;
    expect(rows[0]!.program).toBe('this kernel');
    let next = 0;
    for (const { firstMark, launches } of rows) {
      expect(firstMark).toBe(next);
      next += launches.length;
    }
  });

  it('draws a bar from its start for as long as it took', () => {
    const { bars } = lanesOf({ seconds: 1 }, { start_s: 3, seconds: 1 });
    expect(bars.map(({ x, width }) => [x, width])).toEqual([
      [0, 25],
      [75, 25]
    ]);
  });

  it('gives each stream a lane, and the fifth and further ones the last', () => {
    const { bars, height } = lanesOf(
      ...[1, 2, 3, 4, 5, 6].map(stream => ({ stream }))
    );
    const ys = bars.map(({ y }) => y);
    expect(new Set(ys).size).toBe(4);
    expect(ys.slice(3)).toEqual([ys[3], ys[3], ys[3]]);
    expect(Math.max(...ys)).toBeLessThan(height);
  });

  it('draws the host thin, above the lanes of the device', () => {
    const { bars } = lanesOf({ kind: 'launch' }, { kind: 'kernel' });
    expect(bars.map(({ isThin }) => isThin)).toEqual([true, false]);
    expect(bars[0]!.y + bars[0]!.height).toBeLessThan(bars[1]!.y);
  });

  it('writes the name, as much of it as fits, or nothing', () => {
    const { bars } = lanesOf(
      { start_s: 0, seconds: 90 },
      { start_s: 90, seconds: 9.5 },
      { start_s: 99.5, seconds: 0.5 }
    );
    expect(bars.map(({ label }) => label)).toEqual([
      'leaky_relu_forward 90 s',
      '',
      ''
    ]);
    const [short] = lanesOf(
      { start_s: 0, seconds: 40 },
      { start_s: 99, seconds: 1 }
    ).bars;
    expect(short!.label).toMatch(/^leaky_rel.*… 40 s$/);
  });

  it('counts kernels without copies, from the first start to the last end', () => {
    const [row] = layout(
      profiled({ start_s: 1 }, { start_s: 4, kind: 'copy' as never }),
      null,
      'forward'
    )!.rows;
    expect(row!.count).toBe(1);
    expect(row!.totalS).toBe(4);
  });

  it('is of operators where no device was traced, and none where nothing ran', () => {
    const host = profiled({ kind: 'operator' });
    expect(isOfOperators(host)).toBe(true);
    expect(layout(host, null, 'forward')!.hasHost).toBe(false);
    expect(layout(profiled(), null, 'forward')).toBeNull();
  });
});
