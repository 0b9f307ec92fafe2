import Ajv2020 from 'ajv/dist/2020';
import schema from '../../../python/kernelgate/report/report.schema.json';
import { followsSchema } from '../followsSchema';
import { readReport, validateReport } from '../validate';
import { fixture, FIXTURE_NAMES, type Json } from './recorded';

describe('validateReport', () => {
  it.each(FIXTURE_NAMES.filter(name => name !== 'unknown-version'))(
    'accepts %s as it stands',
    name => {
      const data = fixture(name);
      // What a later version added is filled in.
      expect(validateReport(data)).toMatchObject(data);
    }
  );

  it('fills in every default, within "Failure or null" too', () => {
    const data = fixture('build-failure');
    for (const name of ['cases', 'gates', 'advice', 'output', 'schema']) {
      delete data[name];
    }
    const failure = data.failure as Json;
    for (const name of ['fix', 'log', 'log_lines']) {
      delete failure[name];
    }
    delete (failure.where as Json).excerpt;
    data.build = { lane: 'emulation' };
    const report = validateReport(data);
    expect(report).toMatchObject({
      schema: 1,
      cases: [],
      gates: [],
      advice: [],
      output: '',
      failure: {
        fix: null,
        log: '',
        where: { line: 40, excerpt: [] }
      },
      build: { cached: false, extensions: [] }
    });
    expect('cases' in data).toBe(false);
  });

  it.each<[string, (data: Json) => unknown]>([
    ['a text', () => 'report'],
    ['null', () => null],
    ['nothing', () => undefined],
    ['a list', () => []],
    ['a report without a run', ({ run, ...rest }) => rest],
    ['a run id with a slash', data => ({ ...data, run: '../../etc' })],
    ['a title that is an object', data => ({ ...data, title: { a: 1 } })],
    ['a title of 1e5 characters', d => ({ ...d, title: 'x'.repeat(1e5) })],
    ['a verdict of no known kind', d => ({ ...d, verdict: { kind: 'good' } })],
    ['more cases than allowed', d => ({ ...d, cases: Array(101).fill({}) })],
    ['a negative count', d => ({ ...d, elapsed_s: -1 })],
    ['a version that is a text', d => ({ ...d, schema: '1' })],
    ['more than 2 MB', d => ({ ...d, extra: 'x'.repeat(2_000_001) })],
    [
      'a cycle',
      d => {
        d.self = d;
        return d;
      }
    ]
  ])('refuses %s', (_, spoil) => {
    expect(readReport(spoil(fixture('pass'))).kind).toBe('invalid');
  });

  it('lets the fields of a later version 1 through', () => {
    expect(validateReport({ ...fixture('pass'), later: 1 })).not.toBeNull();
  });

  it('tells another version from a report that is wrong', () => {
    const data = fixture('unknown-version');
    expect(readReport(data)).toEqual({ kind: 'unknown version', version: 99 });
    expect(validateReport(data)).toBeNull();
  });
});

/** Every kind of place in the data once, without indices, as keys that lead there. */
function placesOf(data: unknown): (string | number)[][] {
  const found = new Map<string, (string | number)[]>();
  const visit = (value: unknown, keys: (string | number)[]) => {
    const kind = keys.map(key => (typeof key === 'number' ? '*' : key)).join();
    if (!found.has(kind)) {
      found.set(kind, keys);
    }
    if (typeof value === 'object' && value !== null) {
      for (const [key, one] of Object.entries(value)) {
        visit(one, [...keys, Array.isArray(value) ? Number(key) : key]);
      }
    }
  };
  visit(data, []);
  return [...found.values()].filter(keys => keys.length > 0);
}

/** The data with another value at one place; undefined leaves it out. */
function changed(data: Json, keys: (string | number)[], value: unknown): Json {
  const copy = JSON.parse(JSON.stringify(data));
  let node = copy;
  for (const key of keys.slice(0, -1)) {
    node = node[key];
  }
  node[keys.at(-1)!] = value;
  return JSON.parse(JSON.stringify(copy));
}

describe('what follows the schema', () => {
  // The compiler of schemas that everybody uses; it is not in the extension.
  const ajv = new Ajv2020({ useDefaults: true, inlineRefs: false });
  const reference = ajv.compile(schema as object);
  const OTHERS: unknown[] = [
    undefined,
    null,
    true,
    -1,
    1.5,
    1e308,
    '',
    'x'.repeat(3000),
    '😀'.repeat(120),
    [],
    [null],
    {},
    JSON.parse('{"__proto__": {"line": 1}, "constructor": 1, "toString": 1}')
  ];

  it.each(['profile', 'wrong-result', 'sweep', 'build-failure', 'data-race'])(
    'is what another reader of schemas finds in %s, whatever one place holds',
    name => {
      const report = shortened(fixture(name)) as Json;
      const differing = placesOf(report).flatMap(keys =>
        OTHERS.filter(other => {
          const [ours, theirs] = [0, 1].map(() => changed(report, keys, other));
          const [is, was] = [followsSchema(ours), reference(theirs)];
          // With the same defaults filled in, too.
          return (
            is !== was ||
            (is &&
              JSON.stringify(sorted(ours)) !== JSON.stringify(sorted(theirs)))
          );
        }).map(other => [keys.join('.'), other])
      );
      expect(differing).toEqual([]);
    }
  );
});

/** With two items of every list: more are of the same kinds. */
function shortened(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (_, one) =>
      Array.isArray(one) ? one.slice(0, 2) : one
    )
  );
}

/** With the keys of every object in order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(sorted);
  }
  return typeof value === 'object' && value !== null
    ? Object.fromEntries(
        Object.entries(value)
          .map(([key, one]): [string, unknown] => [key, sorted(one)])
          .sort(([a], [b]) => (a < b ? -1 : 1))
      )
    : value;
}
