/**
 * The failing case of a run, as a cell: what the program was given there, what
 * is expected, and where its result differs, for a person to step through.
 *
 * In: a report, whose texts are a stranger's: they enter the cell as Python
 * literals only, and never a comment. Out: the cell's text. Nothing here touches
 * a notebook.
 */

import { pythonString } from '../../kernel/python';
import { failingCase, ICase, IFailingCase, IReport } from '../../model';
import { formatCount, formatNumber } from '../../ui/format';

/** The text of the cell; null where a report has no such case. */
export function failingCaseSource(report: IReport): string | null {
  const failing = failingCase(report);
  const cell = report.candidate.cell_id;
  if (!failing || cell === null) {
    return null;
  }
  // Emulation runs CUDA in KernelGate's own processes only.
  const needsGpu =
    report.device.kind === 'emulated' &&
    report.candidate.cuda_kernels.length > 0;
  return [
    '# The case of a run in which the program gave a wrong result, drawn again.',
    ...(needsGpu
      ? [
          '# The program itself needs a GPU, and that run was in emulation: this shows what it was given, and what is expected.'
        ]
      : []),
    'import torch',
    'import kernelgate',
    '',
    ...drawing(report, failing),
    ...(needsGpu ? showing(failing) : comparing(cell, failing))
  ].join('\n');
}

function drawing(report: IReport, failing: IFailingCase): string[] {
  const { problem, sizes, parameters, allow_arithmetic } = failing.redraw;
  const set = Object.entries(sizes).map(
    ([name, size]) => `${pythonString(name)}: ${size}`
  );
  const text = (name: string, value: string) =>
    `    ${name}=${pythonString(value)},`;
  return [
    'case = kernelgate.draw_case(',
    `    ${pythonString(failing.case.name)},`,
    problem === null ? text('run', report.run) : text('problem', problem),
    `    seed=${BigInt(report.seed)},`,
    ...(set.length > 0 ? [`    sizes={${set.join(', ')}},`] : []),
    text('dtype', report.problem.dtype),
    text('device', report.device.kind === 'cuda' ? 'cuda' : 'cpu'),
    ...(parameters === 'own' ? [] : [text('parameters', parameters)]),
    ...(allow_arithmetic === null
      ? []
      : [text('allow_arithmetic', allow_arithmetic)]),
    ')'
  ];
}

/** Runs the program beside the reference. */
function comparing(cell: string, { case: { dtype } }: IFailingCase): string[] {
  const as = numberFormat(dtype);
  return [
    'with torch.no_grad():',
    '    expected = case.reference(*case.inputs())  # the inputs of the run, to the bit',
    '',
    '# Its ModelNew, with the parameters of the reference. It runs in this kernel, which a faulty program may end.',
    `program = case.program(cell=${pythonString(cell)})`,
    'with torch.no_grad():',
    '    got = program(*case.inputs())',
    '',
    'wrong = case.wrong(got)',
    'error = (got - expected).abs().masked_fill(~wrong, 0)',
    'print(f"{int(wrong.sum()):,} of {wrong.numel():,} elements differ; the largest error is {error.max():.6g}")',
    'for index in map(tuple, wrong.nonzero()[:5].tolist()):',
    `    print(f"{list(index)}: expected {expected[index]${as}}, got {got[index]${as}}")`
  ];
}

/** Shows the expected values around the first wrong element, and what the run returned there. */
function showing({ case: failed }: IFailingCase): string[] {
  const { first, wrong, total } = failed;
  const index = /^\[(?:\d+(?:, \d+)*)?\]$/.test(first?.index ?? '')
    ? (first?.index.match(/\d+/g) ?? []).map(BigInt)
    : null;
  const as = numberFormat(failed.dtype);
  const lines = [
    'inputs = case.inputs()  # those of the run, to the bit',
    'with torch.no_grad():',
    '    expected = case.reference(*case.inputs())',
    '',
    `print(${pythonString(`In the run ${formatCount(wrong)} of ${formatCount(total)} elements differed${largestError(failed)}`)})`
  ];
  if (first && index) {
    const at = `${index.join(', ')}${index.length === 1 ? ',' : ''}`;
    lines.push(
      `print(${pythonString(`The first is ${first.index}: expected ${first.expected}, got ${first.got}`)})`,
      'alike = [x for x in inputs if getattr(x, "shape", None) == expected.shape]',
      `for index in case.around((${at}), expected.shape):`,
      `    given = [f"input {x[index]${as}}," for x in alike]`,
      `    print(f"{list(index)}:", *given, f"expected {expected[index]${as}}")`
    );
  }
  return lines;
}

function largestError({ max_ulp, error_units }: ICase): string {
  if (error_units !== null) {
    return `; the largest error was ${formatNumber(error_units)} roundings`;
  }
  return max_ulp !== null && max_ulp > 0
    ? `; the largest error was ${formatNumber(max_ulp)} ulp`
    : '';
}

/** As many digits as distinguish a number from its neighbours. */
function numberFormat(dtype: string): string {
  const digits = dtype === 'float64' ? 17 : dtype === 'float32' ? 9 : 5;
  return `:.${digits}g`;
}
