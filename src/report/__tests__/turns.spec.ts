import { inTurn } from '../turns';

/** Draws for so long that two of them fill a task. */
function slow(drawn: number[], n: number): () => void {
  return () => {
    const end = performance.now() + 30;
    while (performance.now() < end) {
      // As a long report does.
    }
    drawn.push(n);
  };
}

describe('draws that come in one task', () => {
  it('are made at once while the task is short', () => {
    const drawn: number[] = [];

    void inTurn(() => drawn.push(1));
    void inTurn(() => drawn.push(2));

    expect(drawn).toEqual([1, 2]);
  });

  it('wait for later tasks when it gets long, and keep their order', async () => {
    const drawn: number[] = [];
    const between: number[] = [];

    const all = [1, 2, 3, 4, 5].map(n => inTurn(slow(drawn, n)));
    const atOnce = drawn.length;
    setTimeout(() => between.push(drawn.length));
    await Promise.all(all);

    expect(atOnce).toBeLessThan(5);
    expect(between[0]).toBeLessThan(5);
    expect(drawn).toEqual([1, 2, 3, 4, 5]);
  });

  it('reject where one throws, and the others are made', async () => {
    const drawn: number[] = [];
    const failed = inTurn(() => {
      throw new Error('no report');
    });
    const next = inTurn(() => drawn.push(1));

    await expect(failed).rejects.toThrow('no report');
    await next;

    expect(drawn).toEqual([1]);
  });
});
