/**
 * The program in a language model's answer, which a person has copied.
 *
 * In: text: Markdown with fenced code, or a program. Out: the texts of its cells.
 * Of several programs the last whole one counts, with the earlier blocks whose
 * names it needs. `kernelgate.program.markdown` reads the same; both are tested by
 * the same examples. Nothing is run.
 */

import { ReadPython } from './python';

export interface IAnswer {
  readonly program: string;
  /** The block that defines Model, where the program's own blocks do not. */
  readonly model: string | null;
}

interface IBlock {
  readonly text: string;
  readonly language: string;
}

/** Null where no text of it defines ModelNew. */
export function readAnswer(text: string, read: ReadPython): IAnswer | null {
  const lines = text.replace(/^\ufeff/, '').split(/\r\n|\r|\n/);
  const blocks = blocksOf(lines, read);
  if (blocks.length === 0) {
    const program = lines.join('\n').trim();
    return mentionsModelNew(program) ? { program, model: null } : null;
  }
  const python = blocks.filter(one => isPython(one, read)).map(one => one.text);
  const defining = python.flatMap((one, at) =>
    defines(one, 'ModelNew', read) ? [at] : []
  );
  const program = lastWhole(python, defining, read);
  if (!program) {
    return null;
  }
  const models = python.flatMap((one, at) =>
    read(one).binds.has('Model') ? [at] : []
  );
  const isBeside = program.some(one => read(one).binds.has('Model'));
  const model = isBeside ? null : lastWhole(python, models, read);
  return {
    program: program.join('\n\n'),
    model: model && model.join('\n\n')
  };
}

const FENCE = /^([ \t]*)(`{3,}|~{3,})[ \t]*([^`]*)$/;

/** The fenced blocks; a fence left open ends with the text, and one that was cut off begins with it. */
function blocksOf(lines: readonly string[], read: ReadPython): IBlock[] {
  const blocks: IBlock[] = [];
  const first = lines.findIndex(line => FENCE.test(line));
  const above = lines.slice(0, Math.max(0, first)).join('\n');
  const isCutOff =
    first > 0 &&
    FENCE.exec(lines[first]!)?.[3]?.trim() === '' &&
    mentionsModelNew(above) &&
    read(above).isWhole;
  if (isCutOff) {
    blocks.push({ text: above, language: 'python' });
  }
  let open: RegExpExecArray | null = null;
  let content: string[] = [];
  const close = () => {
    const text = content.join('\n');
    if (open && text.trim()) {
      blocks.push({ text, language: open[3]?.trim() ?? '' });
    }
    open = null;
    content = [];
  };
  for (const line of lines.slice(isCutOff ? first + 1 : 0)) {
    const found = FENCE.exec(line);
    if (!open) {
      open = found;
    } else if (found?.[2]?.startsWith(open[2] ?? '') && !found[3]?.trim()) {
      close();
    } else {
      const indent = open[1]?.length ?? 0;
      content.push(line.slice(0, indent).trim() ? line : line.slice(indent));
    }
  }
  close();
  return blocks;
}

const PYTHON = ['python', 'py', 'python3', 'ipython', 'ipython3', 'pycon'];

function isPython({ language, text }: IBlock, read: ReadPython): boolean {
  const word = language
    .toLowerCase()
    .replace(/^[{}. ]+|[{}. ]+$/g, '')
    .split(/[\s{}.,:]+/)[0];
  return word
    ? PYTHON.includes(word)
    : mentionsModelNew(text) || read(text).isWhole;
}

function defines(text: string, name: string, read: ReadPython): boolean {
  const { isWhole, binds } = read(text);
  return isWhole ? binds.has(name) : mentionsModelNew(text);
}

function mentionsModelNew(text: string): boolean {
  return /^[ \t]*(?:class ModelNew\b|ModelNew *=(?!=))/m.test(text);
}

/** The last of the blocks at these places that is whole, with those that it needs; the last one where none is. */
function lastWhole(
  python: readonly string[],
  places: readonly number[],
  read: ReadPython
): string[] | null {
  for (const at of [...places].reverse()) {
    const { chosen, missing } = withNeeded(python.slice(0, at + 1), read);
    if (read(python[at]!).isWhole && missing.size === 0) {
      return chosen;
    }
  }
  const last = places[places.length - 1];
  return last === undefined
    ? null
    : withNeeded(python.slice(0, last + 1), read).chosen;
}

/** The last block, and those before it that bind names it needs; and the names that none binds. */
function withNeeded(
  blocks: readonly string[],
  read: ReadPython
): { chosen: string[]; missing: Set<string> } {
  const last = blocks[blocks.length - 1] ?? '';
  const chosen = [last];
  const missing = new Set(read(last).needs);
  const bound = new Set(BUILT_IN);
  for (const block of blocks.slice(0, -1).reverse()) {
    const { binds, needs } = read(block);
    const here = [...missing].filter(name => binds.has(name));
    if (here.length > 0) {
      chosen.unshift(block);
      needs.forEach(name => missing.add(name));
      here.forEach(name => bound.add(name));
    }
  }
  return {
    chosen,
    missing: new Set([...missing].filter(name => !bound.has(name)))
  };
}

/** Names that Python brings, and that programs use. */
const BUILT_IN = (
  'abs all any ascii bin bool bytearray bytes callable chr classmethod compile complex delattr dict dir ' +
  'divmod enumerate eval exec filter float format frozenset getattr globals hasattr hash help hex id input int ' +
  'isinstance issubclass iter len list locals map max memoryview min next object oct open ord pow print property ' +
  'range repr reversed round set setattr slice sorted staticmethod str sum super tuple type vars zip ' +
  'ArithmeticError AssertionError AttributeError BaseException Exception FileNotFoundError ImportError IndexError ' +
  'KeyError KeyboardInterrupt LookupError MemoryError ModuleNotFoundError NameError NotImplementedError OSError ' +
  'OverflowError RuntimeError StopIteration SyntaxError SystemExit TypeError UserWarning ValueError Warning ' +
  'ZeroDivisionError DeprecationWarning Ellipsis NotImplemented __build_class__ __debug__ __import__ __name__ ' +
  '__file__ __doc__ __builtins__ __spec__ __loader__ __package__'
).split(' ');
