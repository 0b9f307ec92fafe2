/**
 * The programs of cells, as a report names them: by their SHA-256.
 *
 * In: the texts of cells. Out: whether a run was of what a cell reads now, and
 * the text of a run that was.
 */

import { ICellModel } from '@jupyterlab/cells';

import { sha256 } from '../../model';

/** More programs than a person compares; the earliest are forgotten first. */
const MAX_TEXTS = 200;

/**
 * All that a run may have been given of a cell, by its hash: the text as it
 * stands, without the line breaks at its end, as IPython keeps what has run, or
 * the body of its magic, which IPython ends with a line break.
 */
export function programsIn(source: string): ReadonlyMap<string, string> {
  const texts = [source, source.replace(/\n+$/, '')];
  const body = /^\s*%%[^\n]*\n([^]*)$/.exec(source)?.[1];
  if (body !== undefined) {
    texts.push(body.endsWith('\n') ? body : `${body}\n`);
  }
  return new Map([...new Set(texts)].map(text => [sha256(text), text]));
}

/** The programs of cells; each text is hashed once. */
export class CellPrograms {
  /** Whether a run with that hash was of what the cell reads now; if so, its text is remembered. */
  reads(cell: ICellModel, hash: string): boolean {
    const source = cell.sharedModel.getSource();
    let known = this._cells.get(cell);
    if (known?.source !== source) {
      known = { source, programs: programsIn(source) };
      this._cells.set(cell, known);
    }
    const text = known.programs.get(hash);
    if (text !== undefined && !this._texts.has(hash)) {
      this._texts.set(hash, text);
      const [first] = this._texts.keys();
      if (first !== undefined && this._texts.size > MAX_TEXTS) {
        this._texts.delete(first);
      }
    }
    return text !== undefined;
  }

  /** The program of that hash; null where no cell was seen to read so. */
  textOf(hash: string): string | null {
    return this._texts.get(hash) ?? null;
  }

  private _cells = new WeakMap<
    ICellModel,
    { source: string; programs: ReadonlyMap<string, string> }
  >();
  private _texts = new Map<string, string>();
}
