import { recorded } from '../../../model/__tests__/recorded';
import { IRun } from '../../../tokens';
import { asCsv, asJson } from '../exports';

const numbered = (name: string, number: number) => {
  const report = recorded(name);
  return { id: report.run, number, report } as IRun;
};

it('is JSON with the whole reports', () => {
  const [read] = JSON.parse(asJson([numbered('slower', 3)]));
  expect(read).toEqual({ number: 3, report: recorded('slower') });
});

it('is a table with a line for each run, and its figures as the report has them', () => {
  const lines = asCsv([numbered('slower', 2), numbered('pass', 1)]).split(
    '\r\n'
  );
  expect(lines).toHaveLength(4);
  const [head, slower, pass] = lines;
  expect(head).toMatch(/^number,run,.*,time,time_s,against_reference,/);
  expect(slower).toMatch(/^2,.*,[\d.]+ [mµn]?s,[\d.e-]+,1\.59x slower,/);
  expect(pass).toMatch(
    /^1,.*,pass,Correct in emulation[^,]*,,,,,[0-9a-f]{64}$/
  );
});

it.each([
  ['=HYPERLINK("http://x")', '"\'=HYPERLINK(""http://x"")"'],
  ['@SUM(1)', "'@SUM(1)"],
  ['a "b", c\nd', '"a ""b"", c\nd"']
])('keeps %j a text of one cell', (sentence, expected) => {
  const one = numbered('pass', 1);
  one.report.verdict!.sentence = sentence;
  expect(asCsv([one])).toContain(`,pass,${expected},`);
});
