/** How long a message stays on screen; without it, only the bell's count changes. */
export const TOAST_MS = 10_000;
