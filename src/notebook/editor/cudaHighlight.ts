/**
 * Colours CUDA inside Python as C++.
 *
 * In: an editor, and a C++ parser, which is loaded when there is C++. Out:
 * marks over the text, with the colours of the editor's own theme. The text is
 * read again a moment after the last key, and until then the marks move along.
 */

import { highlightingFor } from '@codemirror/language';
import {
  EditorState,
  Extension,
  Prec,
  Range,
  StateEffect
} from '@codemirror/state';
import {
  Decoration,
  DecorationSet,
  EditorView,
  PluginValue,
  ViewPlugin,
  ViewUpdate
} from '@codemirror/view';
import { highlightTree, Tag } from '@lezer/highlight';

import { cudaRegions, IRegion } from './cudaRegions';

/** The syntax tree of a C++ text. */
export type ParseCpp = (text: string) => Parameters<typeof highlightTree>[0];

export interface ICudaOptions {
  isMagic: (name: string) => boolean;
  loadCpp: () => Promise<ParseCpp | null>;
}

/** Nobody reads a longer program, and parsing it at each key would take too long. */
const MAX_LENGTH = 200_000;

const PAUSE_MS = 150;

const refresh = StateEffect.define<null>();

/** Lies under the tokens and removes the colours of a Python string. */
const BASE = Decoration.mark({ class: 'jp-KernelCuda' });

export function cudaHighlight(options: ICudaOptions): Extension {
  const plugin = ViewPlugin.define(view => new Highlighter(view, options), {
    provide: own => {
      const marks = (name: 'base' | 'tokens') =>
        EditorView.decorations.of(
          view => view.plugin(own)?.[name] ?? Decoration.none
        );
      // Where two marks cover the same text, the one of higher precedence is the inner one.
      return [Prec.high(marks('base')), Prec.highest(marks('tokens'))];
    }
  });
  return plugin;
}

class Highlighter implements PluginValue {
  constructor(
    private _view: EditorView,
    private _options: ICudaOptions
  ) {
    this._read(_view.state);
  }

  base: DecorationSet = Decoration.none;
  tokens: DecorationSet = Decoration.none;

  update({ docChanged, changes, state, transactions }: ViewUpdate): void {
    const isAsked = transactions.some(({ effects }) =>
      effects.some(effect => effect.is(refresh))
    );
    if (isAsked) {
      this._read(state);
    } else if (docChanged) {
      this.base = this.base.map(changes);
      this.tokens = this.tokens.map(changes);
      this._refreshIn(PAUSE_MS);
    }
  }

  destroy(): void {
    this._isGone = true;
    clearTimeout(this._timer);
  }

  private _read(state: EditorState): void {
    const { isMagic } = this._options;
    const { length } = state.doc;
    const text = length > MAX_LENGTH ? '' : state.doc.toString();
    const regions = cudaRegions(text, isMagic).filter(
      ({ from, to }) => from < to
    );
    this.base = Decoration.set(
      regions.map(({ from, to }) => BASE.range(from, to))
    );
    const parse = this._parse;
    this.tokens = parse
      ? Decoration.set(
          regions.flatMap(region => tokensOf(state, text, region, parse))
        )
      : Decoration.none;
    if (regions.length > 0 && !this._isAsked) {
      this._isAsked = true;
      void this._load();
    }
  }

  private async _load(): Promise<void> {
    this._parse = await this._options.loadCpp();
    this._refreshIn(0);
  }

  private _refreshIn(ms: number): void {
    clearTimeout(this._timer);
    if (!this._isGone) {
      this._timer = setTimeout(
        () => this._view.dispatch({ effects: refresh.of(null) }),
        ms
      );
    }
  }

  private _parse: ParseCpp | null = null;
  private _isAsked = false;
  private _isGone = false;
  private _timer: ReturnType<typeof setTimeout> | undefined;
}

function tokensOf(
  state: EditorState,
  text: string,
  { from, to }: IRegion,
  parse: ParseCpp
): Range<Decoration>[] {
  const found: Range<Decoration>[] = [];
  highlightTree(
    parse(text.slice(from, to)),
    { style: (tags: readonly Tag[]) => highlightingFor(state, tags) },
    (start, end, classes) => {
      found.push(
        Decoration.mark({ class: classes }).range(from + start, from + end)
      );
    }
  );
  return found;
}
