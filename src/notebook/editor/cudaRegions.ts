/**
 * Where CUDA stands in the text of a cell or file of Python.
 *
 * In: a text, and whether a magic is one of ours. Out: the ranges that are C++.
 * Not here: how they are drawn (`cudaHighlight`).
 */

export interface IRegion {
  readonly from: number;
  readonly to: number;
}

/** What only CUDA C++ contains. */
const CUDA = /__global__|__device__|#include\s*[<"]|\btorch::Tensor\b/;

/** The body of a magic is Python if it defines the program itself. */
const PYTHON = /^(class\s+\w|import\s+\w|from\s+\w+\s+import\b)/m;

/** A comment, a triple-quoted string, or a single-quoted one: the first to begin hides the others. */
const TOKENS =
  /#[^\n]*|("""|''')(?:\\[^]|(?!\1)[^\\])*(?:\1|$)|"(?:\\[^]|[^"\\\n])*"?|'(?:\\[^]|[^'\\\n])*'?/g;

const QUOTES = 3;

/** The ranges of CUDA, from the top. */
export function cudaRegions(
  text: string,
  isMagic: (name: string) => boolean
): IRegion[] {
  const [first, name] = /^\s*%%(\w+)[^\n]*\n/.exec(text) ?? [];
  if (first !== undefined && name !== undefined) {
    const body = text.slice(first.length);
    if (!isMagic(name)) {
      return [];
    }
    if (CUDA.test(body) && !PYTHON.test(body)) {
      return [{ from: first.length, to: text.length }];
    }
  }
  if (!CUDA.test(text)) {
    return [];
  }
  const regions: IRegion[] = [];
  for (const { 0: token, 1: quotes, index } of text.matchAll(TOKENS)) {
    if (quotes !== undefined && CUDA.test(token)) {
      const isClosed = token.length >= 2 * QUOTES && token.endsWith(quotes);
      const from = index + QUOTES;
      const to = index + token.length - (isClosed ? QUOTES : 0);
      regions.push({ from, to });
    }
  }
  return regions;
}
