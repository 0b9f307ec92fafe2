/** The names of kernels, as a person would say them: demangled ones fill whole lines. */

/** A kernel's name without its arguments, its namespaces and what it returns. */
export function shortName(name: string): string {
  return baseName(named(name).replace(/[<(].*$/, '')) || name;
}

/** The same with its template arguments, short ones too: they may be all that tells two kernels apart. */
export function nameWithArguments(name: string): string {
  const plain = named(name);
  const start = plain.search(/[<(]/);
  const args = plain[start] === '<' ? templateArguments(plain, start) : [];
  const list = args.map(shortArgument).join(', ');
  return list ? `${shortName(plain)}<${list}>` : shortName(plain);
}

/** Without the namespace that has parentheses in its name. */
function named(name: string): string {
  return name.split('(anonymous namespace)::').join('');
}

function baseName(qualified: string): string {
  const plain = qualified.trim().replace(/^void\s+/, '');
  return plain.split(/:+\s*/).pop() ?? '';
}

/** Those between the bracket at `start` and its partner, which a name that was cut may lack. */
function templateArguments(name: string, start: number): string[] {
  const found: string[] = [];
  let depth = 0;
  let from = start + 1;
  for (let at = start; at < name.length; at++) {
    const letter = name.charAt(at);
    if ('<({['.includes(letter)) {
      depth += 1;
    }
    if (letter === ',' && depth === 1) {
      found.push(name.slice(from, at));
      from = at + 1;
    }
    if ('>)}]'.includes(letter)) {
      depth -= 1;
      if (depth === 0) {
        return [...found, name.slice(from, at)];
      }
    }
  }
  return [...found, name.slice(from)];
}

/** "c10::Half" is "Half", "(bool)1" is "1", "(int)4" is "4". */
function shortArgument(argument: string): string {
  const plain = argument.trim().replace(/^\([a-z ]+\)(?=.)/, '');
  return shortName(plain);
}
