import { readFileSync } from 'fs';
import { join } from 'path';
import { failingCaseSource } from '../caseCell';
import { FIXTURES, recorded } from '../../../model/__tests__/recorded';

/** What the Python tests run in a kernel. */
function cell(name: string): string {
  return readFileSync(join(FIXTURES, `cells/${name}.txt`), 'utf8').trimEnd();
}

/** Lines of Python with every string literal emptied, by what anything takes for a line. */
function withoutLiterals(source: string): string[] {
  expect(source).toMatch(/^[ -~\n]*$/);
  return source.replace(/"(?:[^"\\\n]|\\.)*"/g, '""').split('\n');
}

describe('failingCaseSource', () => {
  it('shows what is expected where the program needs a GPU and there was none', () => {
    expect(failingCaseSource(recorded('wrong-result'))).toBe(
      cell('needs-a-gpu')
    );
  });

  it('runs a program without CUDA beside the reference, also where there was no GPU', () => {
    const report = recorded('wrong-result');
    report.candidate.cuda_kernels = [];
    expect(failingCaseSource(report)).toBe(cell('runs-here'));
  });

  it('runs the program on the GPU that the run was on', () => {
    const report = recorded('wrong-result');
    report.device.kind = 'cuda';
    const source = failingCaseSource(report);
    expect(source).toContain('    device="cuda",\n');
    expect(source).toContain('case.program(cell="3f2a91c0")');
    expect(source).not.toContain('needs a GPU');
  });

  it('names the run where the reference program is the person’s own', () => {
    const report = recorded('wrong-result');
    report.cases[1]!.redraw!.problem = null;
    const source = failingCaseSource(report);
    expect(source).toContain('    run="kg-0004",\n');
    expect(source).not.toContain('leakyrelu');
  });

  it('draws with the parameters and the arithmetic of the run', () => {
    const report = recorded('wrong-result');
    Object.assign(report.cases[1]!.redraw!, {
      parameters: 'integers',
      allow_arithmetic: 'tf32'
    });
    const source = failingCaseSource(report);
    expect(source).toContain('    parameters="integers",\n');
    expect(source).toContain('    allow_arithmetic="tf32",\n');
  });

  it.each([
    ['[5]', '(5,)'],
    ['[]', '()']
  ])('writes the index %s as %s', (index, tuple) => {
    const report = recorded('wrong-result');
    report.cases[1]!.first!.index = index;
    expect(failingCaseSource(report)).toContain(`case.around(${tuple}, `);
  });

  it('takes nothing for an index but whole numbers', () => {
    const report = recorded('wrong-result');
    report.cases[1]!.first!.index = '[0, exit()]';
    const source = failingCaseSource(report);
    expect(source).not.toContain('exit');
  });

  it.each([[['leaky']], [[]]])(
    'keeps hostile text of a report within literals of printable ASCII, with kernels %j',
    kernels => {
      const HOSTILE =
        "\"\n\r\v\f\x1c\x85\u2028!\u2029import os # {os} \\\" ''' \0🙂\ud83d\\";
      const report = recorded('wrong-result');
      const plain = failingCaseSource({
        ...report,
        candidate: { ...report.candidate, cuda_kernels: kernels }
      });
      const failed = report.cases[1]!;
      report.failure!.case = failed.name = HOSTILE;
      Object.assign(failed.first!, { got: HOSTILE, expected: HOSTILE });
      failed.redraw!.problem = HOSTILE;
      failed.redraw!.sizes = { [HOSTILE]: 64 };
      failed.redraw!.allow_arithmetic = HOSTILE;
      report.problem.dtype = HOSTILE;
      Object.assign(report.candidate, {
        label: HOSTILE,
        cell_id: HOSTILE,
        cuda_kernels: kernels
      });
      const lines = withoutLiterals(failingCaseSource(report)!);
      expect(lines.join('\n')).not.toContain('import os');
      expect(lines.filter(line => !line.includes('allow_arithmetic'))).toEqual(
        withoutLiterals(plain!.replace(', "dim": 3072', ''))
      );
    }
  );

  it('is none without a cell that was judged', () => {
    const report = recorded('wrong-result');
    report.candidate.cell_id = null;
    expect(failingCaseSource(report)).toBeNull();
  });
});
