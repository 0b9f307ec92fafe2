import { Catalogue } from '../../../catalogue/catalogue';
import {
  editedCallSource,
  editedMagicSource,
  magicSource,
  verifyCellSource
} from '../verifySource';

const catalogue = new Catalogue();
const leakyrelu = catalogue.get('leakyrelu')!;

describe('verifyCellSource', () => {
  it('is what a person would write', () => {
    expect(verifyCellSource('verify', leakyrelu, 'ab-1')).toBe(
      'import kernelgate\nkernelgate.verify("leakyrelu", cell="ab-1")'
    );
    expect(verifyCellSource('profile', leakyrelu, 'ab-1')).toBe(
      'import kernelgate\nkernelgate.profile("leakyrelu", cell="ab-1")'
    );
  });

  it('keeps a strange cell id inside its quotes', () => {
    expect(verifyCellSource('verify', leakyrelu, '"); boom("')).toContain(
      'cell="\\"); boom(\\"")'
    );
  });
});

describe('magicSource', () => {
  const CUDA = '\n__global__ void leaky() {}';

  it.each([
    [
      'benchmark',
      `%%leakyrelu_cuda${CUDA}`,
      `%%leakyrelu_cuda --benchmark${CUDA}`
    ],
    [
      'profile',
      `%%leakyrelu_cuda --benchmark${CUDA}`,
      `%%leakyrelu_cuda --profile${CUDA}`
    ],
    [
      'benchmark',
      '%leakyrelu_cuda --seed 7',
      '%leakyrelu_cuda --seed 7 --benchmark'
    ],
    [
      'benchmark',
      `%%kernelgate verify leakyrelu${CUDA}`,
      `%%kernelgate benchmark leakyrelu${CUDA}`
    ],
    ['profile', '%kernelgate doctor', '%kernelgate doctor']
  ] as const)('gives the verb %s to %j', (verb, source, expected) => {
    expect(magicSource(verb, source)).toBe(expected);
  });

  it('leaves out a body that only uses the program', () => {
    expect(
      magicSource('benchmark', '%%leakyrelu_cuda\ny = ModelNew()(x)')
    ).toBe('%leakyrelu_cuda --benchmark');
  });
});

describe('editedMagicSource', () => {
  const CUDA = '\n__global__ void leaky() {}';

  it('keeps the options of the line, with the verb and the body that are wanted', () => {
    const edited = '%%leakyrelu_cuda --benchmark --timeout 300\nold';
    expect(
      editedMagicSource('profile', `%%leakyrelu_cuda${CUDA}`, edited)
    ).toBe(`%%leakyrelu_cuda --timeout 300 --profile${CUDA}`);
  });

  it('is nothing for another magic', () => {
    const edited = '%%timeit\npass';
    expect(
      editedMagicSource('profile', `%%leakyrelu_cuda${CUDA}`, edited)
    ).toBeNull();
  });
});

describe('editedCallSource', () => {
  it.each([
    [
      'kernelgate.verify("leakyrelu", cell="a", timeout=300)  # mine',
      'kernelgate.benchmark("leakyrelu", cell="a", timeout=300)  # mine'
    ],
    [
      "r = kernelgate.profile(\n    'scale_leakyrelu', cell=5\n)\nr",
      'r = kernelgate.benchmark(\n    "leakyrelu", cell=5\n)\nr'
    ],
    [
      'kernelgate.verify(reference=mine, cell="a")',
      'kernelgate.benchmark(reference=mine, cell="a")'
    ],
    [
      'case = kernelgate.draw_case("normal")\nkernelgate.verify("leakyrelu", cell="a")',
      'case = kernelgate.draw_case("normal")\nkernelgate.benchmark("leakyrelu", cell="a")'
    ],
    [
      '%kernelgate verify leakyrelu --timeout 300',
      '%kernelgate benchmark leakyrelu --timeout 300'
    ]
  ])('changes the verb of %j, and keeps the options', (edited, expected) => {
    expect(editedCallSource('benchmark', leakyrelu, edited)).toBe(expected);
  });

  it.each([
    'x = 1',
    'kernelgate.show()',
    'kernelgate.verify("a")\nkernelgate.verify("b")'
  ])('leaves %j alone', edited => {
    expect(editedCallSource('benchmark', leakyrelu, edited)).toBeNull();
  });
});

describe('what a person has set or asked for', () => {
  it('stands in the call, where it is not what the call does by itself', () => {
    const options = {
      device: 'cuda',
      contract: 'drop-in',
      thorough: true,
      rtol: 1e-3,
      atol: 0,
      budget: 5
    } as const;
    const said = (verb: 'verify' | 'benchmark') =>
      verifyCellSource(verb, leakyrelu, 'a', options).split('\n')[1];
    expect(said('verify')).toBe(
      'kernelgate.verify("leakyrelu", cell="a", device="cuda", contract="drop-in", thorough=True, rtol=0.001)'
    );
    expect(said('benchmark')).toBe(
      'kernelgate.benchmark("leakyrelu", cell="a", device="cuda", contract="drop-in", thorough=True, rtol=0.001, budget=5)'
    );
  });

  it.each([
    ['%%leakyrelu_cuda', '%%leakyrelu_cuda --thorough'],
    ['%%leakyrelu_cuda --thorough', '%%leakyrelu_cuda --thorough']
  ])('is asked of the magic %j once', (line, expected) => {
    const body = '\n__global__ void leaky() {}';
    expect(magicSource('verify', line + body, true)).toBe(expected + body);
  });

  it('is asked of the magic behind the line that loads it', () => {
    const load = '%load_ext kernelgate\n';
    expect(magicSource('benchmark', `${load}%leakyrelu_cuda`, true)).toBe(
      `${load}%leakyrelu_cuda --thorough --benchmark`
    );
  });

  it.each([
    [
      'kernelgate.verify("leakyrelu", cell="a")  # mine',
      'kernelgate.verify("leakyrelu", thorough=True, cell="a")  # mine'
    ],
    [
      'kernelgate.verify("leakyrelu", cell="a", thorough=False)',
      'kernelgate.verify("leakyrelu", cell="a", thorough=False)'
    ],
    [
      'cell = "a"\nkernelgate.verify("leakyrelu", cell=cell)',
      'cell = "a"\nkernelgate.verify("leakyrelu", thorough=True, cell=cell)'
    ],
    ['kernelgate.verify("leakyrelu")', null]
  ])('is written into the call of a person: %j', (edited, expected) => {
    expect(editedCallSource('verify', leakyrelu, edited, true)).toBe(expected);
  });
});
