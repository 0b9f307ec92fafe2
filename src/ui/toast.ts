/** How long a message stands where the person looks; without it, only the bell counts it. */
export const TOAST_MS = 10_000;
