import { lineMarks } from '../lineMarks';
import { recorded } from './recorded';

const LINES = Array.from({ length: 71 }, (_, n) => `line ${n + 1}`);

it('marks the line of a failure as an error, with its next step', () => {
  const [mark] = lineMarks(recorded('memory-fault'), LINES.join('\n'));
  expect(mark).toMatchObject({ line: 12, severity: 'error', fix: null });
  expect(mark?.text).toContain('invalid read of 16 bytes');
  expect(mark?.nextStep).not.toBe('');
});

it('brings the fix where it has its place in the text', () => {
  const report = recorded('build-failure');
  const source = [...LINES];
  report.failure!.where!.excerpt.forEach(({ line, text }) => {
    source[line - 1] = text;
  });
  const [mark] = lineMarks(report, source.join('\n'));
  expect(mark?.fix?.rows.length).toBeGreaterThan(0);
  expect(lineMarks(report, LINES.join('\n'))[0]?.fix).toBeNull();
});

it('marks the lines of remarks, which decide nothing', () => {
  const marks = lineMarks(recorded('cuda-pass'), LINES.join('\n'));
  expect(marks).toEqual([
    {
      line: 44,
      severity: 'info',
      text: 'A launch without a stream argument uses the default stream',
      nextStep: '',
      fix: null
    }
  ]);
});

it('marks the lines that cost most in vain, with what would help', () => {
  const report = recorded('line-costs');
  const source = Array.from({ length: 200 }, () => '').join('\n');
  const costly = report.profile!.lines.filter(({ mark }) => mark !== '');
  expect(costly.length).toBeGreaterThan(0);
  expect(lineMarks(report, source)).toEqual(
    expect.arrayContaining(
      costly.map(({ line, mark, advice }) =>
        expect.objectContaining({ line, text: mark, nextStep: advice })
      )
    )
  );
});

it('marks the lines whose instructions the source does not show', () => {
  const report = recorded('line-costs');
  report.device_code!.lines = [
    {
      kernel: 'k',
      line: 7,
      text: '',
      counts: [],
      advice: 'use constant indices',
      mark: 'Local memory: 1 local load'
    }
  ];
  const source = Array.from({ length: 200 }, () => '').join('\n');
  expect(lineMarks(report, source)).toContainEqual(
    expect.objectContaining({
      line: 7,
      text: 'Local memory: 1 local load',
      nextStep: 'use constant indices'
    })
  );
});

it('marks no line that the text has not, and none of another file', () => {
  const report = recorded('memory-fault');
  expect(lineMarks(report, 'one line')).toEqual([]);
  report.failure!.where!.label = 'reference.py';
  expect(lineMarks(report, LINES.join('\n'))).toEqual([]);
});
