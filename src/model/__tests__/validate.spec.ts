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
