import { createHash } from 'crypto';

import { sha256 } from '../sha256';

describe('sha256', () => {
  // Around the bounds of a block, where the length no longer fits into it.
  it.each([0, 1, 3, 55, 56, 57, 63, 64, 65, 119, 120, 1000, 100_000])(
    'agrees with the standard for a text of %d characters',
    length => {
      const text = 'é{x}\n'.repeat(length).slice(0, length);
      const expected = createHash('sha256').update(text).digest('hex');
      expect(sha256(text)).toBe(expected);
    }
  );
});
