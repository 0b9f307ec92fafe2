import { forEachDiagnostic, nextDiagnostic } from '@codemirror/lint';
import { EditorState } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { nullTranslator } from '@jupyterlab/translation';
import { Signal } from '@lumino/signaling';

import { ILineMark } from '../../../model';
import { CellMarks } from '../cellMarks';
import { markLines } from '../markLines';

const SOURCE = 'm = load(\n    "a",\n    cpp=""\n)\n';

const mark = (line: number, changes: Partial<ILineMark> = {}): ILineMark => ({
  line,
  severity: 'error',
  text: '<b>wrong</b>',
  nextStep: 'Do this',
  fix: null,
  ...changes
});

/** An editor whose text has the given marks, until a test sets others. */
function open(first: readonly ILineMark[]) {
  const marks = {
    known: first as readonly ILineMark[] | null,
    of: () => marks.known,
    changed: new Signal<CellMarks, void>({} as CellMarks)
  };
  const view = new EditorView({
    parent: document.body,
    state: EditorState.create({
      doc: SOURCE,
      extensions: markLines({
        model: {},
        marks,
        trans: nullTranslator.load('')
      })
    })
  });
  const tell = (known: readonly ILineMark[] | null) => {
    marks.known = known;
    marks.changed.emit();
  };
  return { view, tell };
}

function shown(view: EditorView): string[] {
  const texts: string[] = [];
  forEachDiagnostic(view.state, (_, from, to) => {
    texts.push(view.state.sliceDoc(from, to));
  });
  return texts;
}

it('underlines the lines, with a mark in the gutter, and takes both away', async () => {
  const { view, tell } = open([mark(3), mark(1, { severity: 'info' })]);
  await Promise.resolve();
  expect(shown(view)).toEqual(['m = load(', 'cpp=""']);
  expect(view.dom.querySelectorAll('.cm-lint-marker')).toHaveLength(2);
  tell([]);
  expect(shown(view)).toEqual([]);
  expect(view.dom.querySelector('.cm-gutter-lint')).toBeNull();
});

it('underlines of a line only what its fix changes', async () => {
  const rows = [
    { sign: '−' as const, line: 1, text: 'm = load(' },
    { sign: '+' as const, line: 1, text: 'm = loads(' }
  ];
  const fix = {
    kind: 'placed' as const,
    offset: 0,
    end: 10,
    text: 'm = loads(\n',
    line: 1,
    rows
  };
  const { view } = open([mark(1, { fix })]);
  await Promise.resolve();
  expect(shown(view)).toEqual(['load']);
});

it('keeps what it shows while nothing is known of the cell', async () => {
  const { view, tell } = open([mark(3)]);
  await Promise.resolve();
  tell(null);
  expect(shown(view)).toEqual(['cpp=""']);
});

it('goes when the text changes, and comes back with what is known then', async () => {
  const known = [mark(3)];
  const { view, tell } = open(known);
  await Promise.resolve();
  view.dispatch({ changes: { from: 0, insert: '#' } });
  await Promise.resolve();
  expect(shown(view)).toEqual([]);
  view.dispatch({ changes: { from: 0, to: 1 } });
  tell(known);
  expect(shown(view)).toEqual(['cpp=""']);
});

it('goes from one to the next', async () => {
  const { view } = open([mark(1), mark(3)]);
  await Promise.resolve();
  const lines = [1, 3, 1].map(() => {
    nextDiagnostic(view);
    return view.state.doc.lineAt(view.state.selection.main.from).number;
  });
  expect(lines).toEqual([1, 3, 1]);
});

it('says words as texts, shows what a fix writes, and writes it at a press', async () => {
  const fix = {
    kind: 'placed' as const,
    offset: SOURCE.indexOf('""') + 1,
    end: SOURCE.indexOf('""') + 1,
    text: 'int f();',
    line: 3,
    rows: [{ sign: '+' as const, line: 3, text: '    cpp="int f();"' }]
  };
  const { view } = open([mark(3, { fix })]);
  await Promise.resolve();
  forEachDiagnostic(view.state, diagnostic => {
    const words = diagnostic.renderMessage!(view) as HTMLElement;
    expect(words.querySelector('b')).toBeNull();
    expect(words.textContent).toContain('<b>wrong</b>');
    expect(words.querySelector('pre')?.textContent).toBe(
      '+     cpp="int f();"'
    );
    diagnostic.actions![0]!.apply(view, diagnostic.from, diagnostic.to);
  });
  expect(view.state.doc.toString()).toBe(SOURCE.replace('""', '"int f();"'));
});
