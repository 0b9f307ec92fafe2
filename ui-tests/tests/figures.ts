import { appendFileSync } from 'fs';

/** Adds figures to the file that `bench/screens.py` reads. */
export function note(name: string, figures: object): void {
  const path = process.env.KERNELGATE_FIGURES;
  if (!path) {
    throw new Error('KERNELGATE_FIGURES names no file');
  }
  appendFileSync(path, `${JSON.stringify({ name, ...figures })}\n`);
}
