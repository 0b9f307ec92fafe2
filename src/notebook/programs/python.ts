/**
 * Reads Python: what a text binds, and what it needs of others.
 *
 * In: text of a cell or of an answer, and the parser that Lab colours Python
 * with. Out: names. Nothing is run. `kernelgate.program` reads the same in the
 * kernel; both are tested by the same examples.
 */

import { IEditorLanguageRegistry } from '@jupyterlab/codemirror';

/** Of a text that is no Python from its first to its last character, no names are known. */
export interface IPythonText {
  readonly isWhole: boolean;
  /** The names that it binds as a module, in branches and loops as well. */
  readonly binds: ReadonlySet<string>;
  /** The names that it uses and that it binds nowhere. */
  readonly needs: ReadonlySet<string>;
}

export type ReadPython = (text: string) => IPythonText;

/** A larger text is no program; it is read as one that binds nothing. */
const MAX_CHARACTERS = 300_000;

export const NOTHING: IPythonText = {
  isWhole: false,
  binds: new Set(),
  needs: new Set()
};

/** Where a host colours no Python, no text is read as Python. */
export async function pythonReader(
  languages: IEditorLanguageRegistry | null
): Promise<ReadPython> {
  const found = await languages?.getLanguage('Python');
  const parser = found?.support?.language.parser;
  return text =>
    !parser || text.length > MAX_CHARACTERS
      ? NOTHING
      : readTree(text, parser.parse(withoutMagics(text)));
}

type Tree = ReturnType<
  NonNullable<
    NonNullable<
      Awaited<ReturnType<IEditorLanguageRegistry['getLanguage']>>
    >['support']
  >['language']['parser']['parse']
>;
type Node = Tree['topNode'];

/** Lines of IPython become blank, so that each character keeps its place. */
function withoutMagics(text: string): string {
  return text.replace(/^[ \t]*[%!].*$/gm, line => ' '.repeat(line.length));
}

function readTree(text: string, tree: Tree): IPythonText {
  const binds = new Set<string>();
  const bound = new Set<string>();
  const used = new Set<string>();
  let isWhole = true;
  tree.iterate({
    enter: ({ type, node }) => {
      isWhole &&= !type.isError;
      if (type.name !== 'VariableName') {
        return;
      }
      const name = text.slice(node.from, node.to);
      const role = roleOf(node);
      if (role === 'uses') {
        used.add(name);
      } else if (role !== 'names') {
        bound.add(name);
        if (role === 'binds' && isOfModule(node)) {
          binds.add(name);
        }
      }
    }
  });
  const needs = new Set([...used].filter(name => !bound.has(name)));
  return isWhole ? { isWhole, binds, needs } : NOTHING;
}

/** 'binds': as a statement does; 'holds': a parameter, or the variable of a loop; 'names': only a word of a call or an import. */
type Role = 'binds' | 'holds' | 'uses' | 'names';

function roleOf(node: Node): Role {
  const parent = node.parent?.name ?? '';
  const before = node.prevSibling?.name;
  const after = node.nextSibling?.name;
  switch (parent) {
    case 'ClassDefinition':
    case 'FunctionDefinition':
      return before === 'class' || before === 'def' ? 'binds' : 'uses';
    case 'ImportStatement':
      return importRole(node);
    case 'ParamList':
      return before === 'AssignOp' ? 'uses' : 'holds';
    case 'ArgList':
      return after === 'AssignOp' ? 'names' : 'uses';
    case 'CapturePattern':
    case 'ScopeStatement':
      return 'holds';
    case 'NamedExpression':
      return after === 'AssignOp' ? 'holds' : 'uses';
    case 'WithStatement':
    case 'TryStatement':
      return before === 'as' ? 'holds' : 'uses';
    default:
      return targetRole(node);
  }
}

/** Of `import a.b as c` the name is c, of `import a.b` it is a, and of `from a import b` it is b. */
function importRole(node: Node): Role {
  const isFrom = node.parent?.firstChild?.name === 'from';
  const before = node.prevSibling?.name;
  if (before === 'as') {
    return 'binds';
  }
  let last: Node = node;
  while (
    last.nextSibling?.name === '.' ||
    last.nextSibling?.name === 'VariableName'
  ) {
    last = last.nextSibling;
  }
  return before !== '.' &&
    before !== 'from' &&
    last.nextSibling?.name !== 'as' &&
    !(isFrom && last.nextSibling?.name === 'import')
    ? 'binds'
    : 'names';
}

const GROUPS = [
  'TupleExpression',
  'ArrayExpression',
  'ParenthesizedExpression'
];

/** Whether it stands on the left of an assignment, or is what a loop goes through. */
function targetRole(node: Node): Role {
  let at = node;
  while (GROUPS.includes(at.parent?.name ?? '')) {
    const { parent } = at;
    if (!parent) {
      return 'uses';
    }
    at = parent;
  }
  const isFor = /^ForStatement|Comprehension/.test(at.parent?.name ?? '');
  if (at.parent?.name !== 'AssignStatement' && !isFor) {
    return 'uses';
  }
  for (let next = at.nextSibling; next; next = next.nextSibling) {
    if (isFor ? next.name === 'in' : next.name === 'AssignOp') {
      return isFor ? 'holds' : 'binds';
    }
    if (isFor && next.name !== 'VariableName' && next.name !== ',') {
      return 'uses';
    }
  }
  return 'uses';
}

const SCOPES = ['FunctionDefinition', 'ClassDefinition', 'LambdaExpression'];

function isOfModule(node: Node): boolean {
  const own = node.parent;
  const isName =
    own !== null && /^(class|def)$/.test(node.prevSibling?.name ?? '');
  for (let at = isName ? own.parent : own; at; at = at.parent) {
    if (SCOPES.includes(at.name)) {
      return false;
    }
  }
  return true;
}

/** "16x16384": the first tensor that `get_inputs` draws, where its sizes are figures or names of figures; else empty. */
export function sizesIn(text: string): string {
  const at = text.search(/^def get_inputs\b/m);
  const call =
    at < 0
      ? null
      : /\btorch\.(?:rand|randn|randint|ones|zeros|empty)\(([\w\s,*.()]{0,200})/.exec(
          text.slice(at)
        );
  const sizes: string[] = [];
  for (const part of call?.[1]?.split(/[,)]/) ?? []) {
    const word = part.replace(/[(*]/g, '').trim();
    const figure = /^\d+$/.test(word)
      ? word
      : /^[A-Za-z_]\w{0,60}$/.test(word)
        ? new RegExp(
            `^${word}[ \\t]*=[ \\t]*(\\d[\\d_]*)[ \\t]*(?:#.*)?$`,
            'm'
          ).exec(text)?.[1]
        : undefined;
    if (figure === undefined) {
      break;
    }
    sizes.push(figure.replace(/_/g, ''));
  }
  return sizes.join('x');
}
