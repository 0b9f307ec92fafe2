/**
 * A language in which every translated text stands in brackets, so that a test
 * sees what no translator was asked for.
 */
import { nullTranslator } from '@jupyterlab/translation';
import type { IRenderMime } from '@jupyterlab/rendermime-interfaces';

// It wraps whatever it is asked for.
/* eslint-disable jupyter/no-dynamic-translation */
const trans = nullTranslator.load('');

const marked = (text: string) => `⟦${text}⟧`;

export const pseudo: IRenderMime.TranslationBundle = {
  ...trans,
  __: (id, ...args) => marked(trans.__(id, ...args)),
  _n: (one, many, n, ...args) => marked(trans._n(one, many, n, ...args)),
  _p: (context, id, ...args) => marked(trans._p(context, id, ...args)),
  gettext: (id, ...args) => marked(trans.gettext(id, ...args))
};

/* eslint-enable jupyter/no-dynamic-translation */

const ATTRIBUTES = ['title', 'aria-label', 'placeholder', 'alt'];

/** What a person reads or hears on a page: text by text. */
function textsOf(node: HTMLElement): string[] {
  const texts: string[] = [];
  const walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    texts.push(walker.currentNode.nodeValue ?? '');
  }
  for (const element of node.querySelectorAll('*')) {
    texts.push(...ATTRIBUTES.map(name => element.getAttribute(name) ?? ''));
  }
  return texts;
}

/** Everything in brackets, the innermost first: a translated text may hold another. */
function withoutMarked(text: string): string {
  const shorter = text.replace(/⟦[^⟦⟧]*⟧/g, '|');
  return shorter === text ? text : withoutMarked(shorter);
}

/** Figures, with the units and names that are the same in every language. */
const FIGURE =
  /\b[\d.,]+(e[+-]?\d+)?\s?(ns|µs|ms|s|B|KiB|[kMGT]?B|[kMGT]?B\/s|[kMGT]?FLOP(\/s)?|x|u|ulp)?(?![\w.])/g;

/** What stands between the parts of which a text is put together. */
const BETWEEN = /[·:,;()[\]<>"|…\n]|\.(?=\s|$)|\s{2,}/;

/** The texts in words that neither a translator nor the data wrote. */
export function untranslated(node: HTMLElement, data: unknown): string[] {
  const written = stringsOf(data).map(text =>
    text.toLowerCase().replace(/\s+/g, ' ')
  );
  return textsOf(node)
    .map(text => withoutMarked(text).replace(FIGURE, '|').toLowerCase())
    .flatMap(text => text.split(BETWEEN))
    .map(text => text.trim())
    .filter(text => /\p{L}{2}/u.test(text))
    .filter(text => !written.some(one => one.includes(text)));
}

function stringsOf(data: unknown): string[] {
  return typeof data === 'string'
    ? [data]
    : Object.values(Object(data)).flatMap(stringsOf);
}
