import { failingCase } from '../failingCase';
import { recorded } from './recorded';

describe('failingCase', () => {
  it('is the case that the failure names, and not just one that failed', () => {
    const report = recorded('wrong-result');
    expect(failingCase(report)?.case.name).toBe('normal');
    report.failure!.case = null;
    expect(failingCase(report)).toBeNull();
  });

  it.each(['pass', 'build-failure', 'memory-fault', 'problem-only'])(
    'is none of %s, where no case of the failure has a wrong value',
    name => {
      expect(failingCase(recorded(name))).toBeNull();
    }
  );

  it('is none where the fix is certain', () => {
    const report = recorded('wrong-result');
    report.failure!.fix = 'int f();';
    expect(failingCase(report)).toBeNull();
  });

  it('is none of an older report, which does not tell how it was drawn', () => {
    const report = recorded('wrong-result');
    report.cases[1]!.redraw = null;
    expect(failingCase(report)).toBeNull();
  });

  it.each(['', '0x7', '7\n', '1'.repeat(20)])(
    'is none with %j for a seed',
    seed => {
      expect(failingCase({ ...recorded('wrong-result'), seed })).toBeNull();
    }
  );

  it('is none where JSON may have changed a size', () => {
    const report = recorded('wrong-result');
    report.cases[1]!.redraw!.sizes = { dim: 2 ** 53 };
    expect(failingCase(report)).toBeNull();
  });
});
