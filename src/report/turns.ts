/**
 * Draws that come in one task follow each other for a while, and then wait for a
 * task of their own: a cell with many reports draws all of them when it comes
 * into sight, and the page must answer meanwhile.
 */

/** So long a task draws; the page is late when one takes 200 ms. */
const TASK_MS = 50;

const waiting: (() => void)[] = [];
let spentMs = 0;
let isPlanned = false;

/** Calls `draw` at once, or where this task has drawn for long, in a later one. Resolves, or rejects, as it ends. */
export function inTurn(draw: () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    waiting.push(() => {
      try {
        draw();
        resolve();
      } catch (error) {
        reject(error);
      }
    });
    // The others stand before it.
    if (waiting.length === 1) {
      drawWaiting();
    }
    plan();
  });
}

function drawWaiting(): void {
  while (waiting.length > 0 && spentMs < TASK_MS) {
    const began = performance.now();
    waiting.shift()?.();
    spentMs += performance.now() - began;
  }
}

/** A later task begins with nothing spent. */
function plan(): void {
  if (!isPlanned) {
    isPlanned = true;
    setTimeout(() => {
      isPlanned = false;
      spentMs = 0;
      drawWaiting();
      if (waiting.length > 0) {
        plan();
      }
    });
  }
}
