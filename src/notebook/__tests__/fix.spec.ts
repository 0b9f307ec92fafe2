import { placeFix } from '../fix';

const SOURCE = '# é 😀\nm = load("")\n';

describe('placeFix', () => {
  it('finds the place by line and by characters', () => {
    const at = placeFix(SOURCE, { line: 2, column: 10, text: 'x;' });
    expect(at?.line).toBe(2);
    expect(SOURCE.slice(0, at?.offset)).toBe('# é 😀\nm = load("');
  });

  it('counts a character of two units once, as Python does', () => {
    const at = placeFix(SOURCE, { line: 1, column: 5, text: '!' });
    expect(SOURCE.slice(0, at?.offset)).toBe('# é 😀');
  });

  it('looks at the line that it adds, not at the break before it', () => {
    const insertion = { line: 2, column: 10, text: '\n#include <a>' };
    expect(placeFix(SOURCE, insertion)?.line).toBe(3);
  });

  it.each([
    [9, 0],
    [2, 99]
  ])('has no place at line %d, column %d', (line, column) => {
    expect(placeFix(SOURCE, { line, column, text: 'x' })).toBeNull();
  });
});
