/**
 * What the parts of the extension know of each other.
 */

import { Token } from '@lumino/coreutils';

/** A catalogue entry: a problem, and our program for it if there is one. */
export interface IOperator {
  readonly id: string;
  readonly name: string;
  /** The module that it replaces, in PyTorch's words: "nn.LeakyReLU". */
  readonly replaces: string;
  readonly summary: string;
  /** The operator's own cell magic, without the percent signs. */
  readonly magic: string;
  /** The text that Insert inserts; null where there is only a problem. */
  readonly program: string | null;
}

export interface ICatalogue {
  readonly operators: readonly IOperator[];

  /** The operator of that id; null for anything else, whatever its type. */
  get(id: unknown): IOperator | null;
}

export const ICatalogue = new Token<ICatalogue>(
  'jupyterlab-kernelgate:ICatalogue',
  'The operators that can be inserted and verified.'
);
