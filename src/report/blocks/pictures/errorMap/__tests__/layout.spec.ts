import type { IErrorMap } from '../../../../../model/types';
import { layout } from '../layout';

function map(...bins: string[]): IErrorMap {
  return {
    bins,
    case: 'normal',
    shape: '8x8',
    flat: false,
    matrices: 1,
    rows: 8,
    columns: 8,
    bin_rows: 2,
    bin_columns: 2,
    first_row: 0,
    last_row: 7,
    first_column: 0,
    last_column: 7
  };
}

describe('the map of wrong elements', () => {
  it('draws one bar over neighbours that are wrong alike', () => {
    const chart = layout(map('....', '##..', '.13#'))!;
    expect(
      chart.bars.map(({ x, width, row, isWhole }) => [x, width, row, isWhole])
    ).toEqual([
      [0, 50, 1, true],
      [25, 50, 2, false],
      [75, 25, 2, true]
    ]);
    expect(chart.bars[1]!.y).toBe(2 * chart.rowHeight);
  });

  it('keeps its height within bounds, whatever its rows', () => {
    expect(layout(map('#'))!.height).toBe(16);
    const most = Array.from({ length: 32 }, () => '#.'.repeat(16));
    const chart = layout(map(...most))!;
    expect(chart.height).toBe(128);
    expect(chart.bars).toHaveLength(512);
  });

  it('is not drawn where there are no squares', () => {
    expect(layout(map())).toBeNull();
  });
});
