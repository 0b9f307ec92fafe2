import { Catalogue } from '../../../catalogue/catalogue';
import {
  isHarmless,
  Problem,
  readVerifyCall,
  verifyCall,
  verifyCellSource
} from '../verifySource';
import { RunOptions } from '../../../tokens';
import { Verb } from '../verbs';

const catalogue = new Catalogue();
const leakyrelu = catalogue.get('leakyrelu')!;

const written = (
  verb: Verb,
  problem: Problem,
  id: string,
  options?: RunOptions
) => verifyCellSource(verifyCall(verb, problem, id, options));

describe('verifyCellSource', () => {
  it('is what a person would write', () => {
    expect(written('verify', leakyrelu, 'ab-1')).toBe(
      'import kernelgate\nkernelgate.verify("leakyrelu", cell="ab-1")'
    );
    expect(written('profile', leakyrelu, 'ab-1')).toBe(
      'import kernelgate\nkernelgate.profile("leakyrelu", cell="ab-1")'
    );
  });

  it('keeps a strange cell id inside its quotes', () => {
    expect(written('verify', leakyrelu, '"); boom("')).toContain(
      'cell="\\"); boom(\\"")'
    );
  });
});

describe('readVerifyCall', () => {
  const call = (words: string) =>
    readVerifyCall(`import kernelgate\nkernelgate.verify(${words})`);

  it.each([
    leakyrelu,
    { reference: 'torch.nn.GELU()', inputs: '8x"8' },
    { reference: 'Model', inputs: '' },
    null
  ])('reads what we write', problem => {
    const wanted = verifyCall('benchmark', problem, 'a"\\b', {
      device: 'cuda',
      contract: 'drop-in',
      thorough: true,
      rtol: 1e-7,
      atol: 0,
      budget: 5
    });
    expect(readVerifyCall(verifyCellSource(wanted))).toEqual(wanted);
  });

  it('reads options that a person has added', () => {
    expect(call('"leakyrelu", cell="a", timeout = 300')?.options).toEqual({
      timeout: '300'
    });
  });

  it.each([
    '"leakyrelu", cell="a")  # mine',
    '"leakyrelu"',
    '"a", "b", cell="a"',
    'cell="a", reference=mine',
    'cell="a", reference="x" + "y"',
    '"leakyrelu", cell="a"); import os; os.system("id"',
    `"leakyrelu", cell="a")${' '.repeat(300)};boom(`
  ])('reads nothing else: %s', words => {
    expect(call(words)).toBeNull();
  });

  it('reads no further line', () => {
    expect(
      readVerifyCall(`${written('verify', leakyrelu, 'a')}\nboom()`)
    ).toBeNull();
  });
});

describe('isHarmless', () => {
  it.each([
    ['"leakyrelu", cell="a"', true],
    ['"leakyrelu", cell="a", timeout=300', true],
    ['cell="a", reference="Model"', true],
    ['cell="a", reference="torch.nn.GELU()", inputs="8x8"', true],
    [
      'cell="a", reference="__import__(\'os\').system(\'id\')", inputs="8"',
      false
    ],
    ['cell="a", reference="evil.py"', false],
    ['cell="a", reference="import os\\nos.system(1)"', false],
    ['cell="a", reference="torch.nn.GELU()", inputs="open(1)"', false],
    ['"leakyrelu", cell="a", trace="/root/.bashrc"', false],
    ['"../evil.py", cell="a"', false],
    ['cell="a"', false]
  ])('of %s: %s', (words, expected) => {
    const source = `import kernelgate\nkernelgate.verify(${words})`;
    expect(isHarmless(readVerifyCall(source)!)).toBe(expected);
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
      written(verb, leakyrelu, 'a', options).split('\n')[1];
    expect(said('verify')).toBe(
      'kernelgate.verify("leakyrelu", cell="a", device="cuda", contract="drop-in", thorough=True, rtol=0.001)'
    );
    expect(said('benchmark')).toBe(
      'kernelgate.benchmark("leakyrelu", cell="a", device="cuda", contract="drop-in", thorough=True, rtol=0.001, budget=5)'
    );
  });
});
