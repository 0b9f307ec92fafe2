import { rememberCell } from '../request';

describe('rememberCell', () => {
  it('is one call with two texts', () => {
    expect(rememberCell('ab-1', 'x = "1"\n')).toBe(
      '__import__("kernelgate").remember_cell("ab-1", "x = \\"1\\"\\n")'
    );
  });
});
