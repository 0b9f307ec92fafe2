import { readFileSync } from 'fs';
import { join } from 'path';

import { isInputs, isTorchExpression } from '../torchExpression';

/** The kernel reads the same. */
const EXAMPLES: Record<string, string[]> = JSON.parse(
  readFileSync(
    join(
      __dirname,
      '../../../../python/tests/fixtures/reference_expressions.json'
    ),
    'utf-8'
  )
);

describe('isTorchExpression', () => {
  it.each(EXAMPLES.taken!)('takes %s', text => {
    expect(isTorchExpression(text)).toBe(true);
  });

  it.each(EXAMPLES.refused!)('refuses %j', text => {
    expect(isTorchExpression(text)).toBe(false);
  });

  it('reads long and deep texts in no time, or not', () => {
    const deep = `torch.nn.Linear(${'('.repeat(4000)}`;
    expect(isTorchExpression(deep)).toBe(false);
    expect(isTorchExpression(`torch.nn.Linear(${'1,'.repeat(4000)})`)).toBe(
      true
    );
    expect(isTorchExpression(`${' '.repeat(300_000)}torch.relu`)).toBe(false);
  });
});

describe('isInputs', () => {
  it.each([
    '64x768',
    '8, 4x4',
    'torch.randn(64, 768)',
    'torch.rand(4, dtype=torch.float64) * 2 - 1, torch.randint(0, 9, (4,))'
  ])('takes %s', text => {
    expect(isInputs(text)).toBe(true);
  });

  it.each(['', 'x', "open('x')", 'torch.load("x")', '8;8', '[x for x in 1]'])(
    'refuses %j',
    text => {
      expect(isInputs(text)).toBe(false);
    }
  );
});
