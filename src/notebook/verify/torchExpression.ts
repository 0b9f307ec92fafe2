/**
 * A reference of one line: a name of PyTorch's tensor library, or a call of one.
 *
 * In: a text, from a person or from a stranger's notebook. Out: whether it is
 * such an expression, so that the judge can be given it without a question.
 * Nothing is run. `kernelgate.program.expression` reads the same, and refuses
 * the rest; both are tested by the same examples.
 */

const HOLDERS = [
  'torch',
  'torch.nn',
  'torch.nn.functional',
  'torch.special',
  'torch.linalg',
  'torch.fft'
];

/** Of torch itself: these read, write or compile what a text names. */
const NO_TENSOR_FUNCTIONS = [
  'load',
  'save',
  'from_file',
  'compile',
  'import_ir_module',
  'get_file_path'
];

const SHORT: Readonly<Record<string, string>> = {
  nn: 'torch.nn',
  F: 'torch.nn.functional'
};

const CONSTANTS = ['True', 'False', 'None'];

/** Names with their dots, numbers, plain strings, and signs; blanks between. */
const TOKEN =
  /[ \t]*(?:([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)|(\d[\d_]*(?:\.\d*)?(?:e[+-]?\d+)?)|("[^"\\\n]*"|'[^'\\\n]*')|(\*\*|\/\/|[-+*/()[\],=]))[ \t]*/y;

const MAX_CHARACTERS = 10_000;
const MAX_DEPTH = 50;

/** Of a reference: a name or a call. */
export function isTorchExpression(text: string): boolean {
  const reader = new Reader(text);
  return reader.isRead(() => reader.name());
}

/** Of one input or several: their sizes, or expressions that draw them. */
export function isInputs(text: string): boolean {
  if (/^\d+(x\d+)*(\s*,\s*\d+(x\d+)*)*$/.test(text.trim())) {
    return true;
  }
  const reader = new Reader(text);
  return reader.isRead(() => reader.list());
}

type Kind = 'name' | 'number' | 'text' | 'sign';

/** A recursive descent; each method is true where it has read its part. */
class Reader {
  constructor(text: string) {
    this._isRead = text.length <= MAX_CHARACTERS;
    TOKEN.lastIndex = 0;
    while (this._isRead && TOKEN.lastIndex < text.length) {
      const [, name, number, string, sign] = TOKEN.exec(text) ?? [];
      const value = name ?? number ?? string ?? sign;
      if (value === undefined) {
        this._isRead = false;
        return;
      }
      const kind =
        name !== undefined
          ? 'name'
          : number !== undefined
            ? 'number'
            : string !== undefined
              ? 'text'
              : 'sign';
      this._tokens.push({ kind, value });
    }
  }

  /** Whether that is all of the text. */
  isRead(part: () => boolean): boolean {
    return this._isRead && part() && this._at === this._tokens.length;
  }

  name(): boolean {
    const name = this._take('name');
    return (
      name !== null && isKnown(name) && (!this._sign('(') || this._given())
    );
  }

  list(): boolean {
    do {
      if (!this._value()) {
        return false;
      }
    } while (this._sign(','));
    return true;
  }

  /** What stands in the brackets of a call. */
  private _given(): boolean {
    while (!this._sign(')')) {
      if (this._tokens[this._at + 1]?.value === '=') {
        if (this._take('name')?.includes('.') !== false) {
          return false;
        }
        this._at++;
      }
      if (!this._value() || (!this._sign(',') && !this._isNext(')'))) {
        return false;
      }
    }
    return true;
  }

  private _value(): boolean {
    if (++this._depth > MAX_DEPTH) {
      return false;
    }
    do {
      while (this._sign('-') || this._sign('+')) {
        // Signs of a number.
      }
      if (!this._term()) {
        return false;
      }
    } while (['+', '-', '*', '/', '**', '//'].some(sign => this._sign(sign)));
    this._depth--;
    return true;
  }

  private _term(): boolean {
    for (const [open, close] of ['()', '[]'] as const) {
      if (this._sign(open!)) {
        while (!this._sign(close!)) {
          if (!this._value() || (!this._sign(',') && !this._isNext(close!))) {
            return false;
          }
        }
        return true;
      }
    }
    const next = this._tokens[this._at];
    if (next && (next.kind !== 'name' || CONSTANTS.includes(next.value))) {
      this._at++;
      return next.kind !== 'sign';
    }
    return this.name();
  }

  private _take(kind: Kind): string | null {
    const next = this._tokens[this._at];
    if (next?.kind !== kind) {
      return null;
    }
    this._at++;
    return next.value;
  }

  private _isNext(sign: string): boolean {
    const next = this._tokens[this._at];
    return next?.kind === 'sign' && next.value === sign;
  }

  private _sign(sign: string): boolean {
    const isThere = this._isNext(sign);
    this._at += isThere ? 1 : 0;
    return isThere;
  }

  private readonly _tokens: { kind: Kind; value: string }[] = [];
  private _isRead: boolean;
  private _at = 0;
  private _depth = 0;
}

function isKnown(dotted: string): boolean {
  const [first = '', ...rest] = dotted.split('.');
  const full = [...(SHORT[first] ?? first).split('.'), ...rest];
  const name = full.pop() ?? '';
  const holder = full.join('.');
  if (!HOLDERS.includes(holder) || name.startsWith('_')) {
    return false;
  }
  const isClass = /^[A-Z]/.test(name);
  return (
    isClass === (holder === 'torch.nn') &&
    !(holder === 'torch' && NO_TENSOR_FUNCTIONS.includes(name))
  );
}
