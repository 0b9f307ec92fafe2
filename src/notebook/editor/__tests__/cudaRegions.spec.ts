import { cudaRegions } from '../cudaRegions';

const KERNEL = "__global__ void leaky(float* y) { y[0] = 'a'; }\n";
const isMagic = (name: string) => name === 'leakyrelu_cuda';

function regions(text: string): string[] {
  return cudaRegions(text, isMagic).map(({ from, to }) => text.slice(from, to));
}

it.each([
  [
    'the body of a magic of ours',
    `%%leakyrelu_cuda --thorough\n${KERNEL}`,
    [KERNEL]
  ],
  ['not the body of another magic', `%%timeit\n${KERNEL}`, []],
  [
    'a string in three quotes',
    `x = 1\nCUDA = """\n${KERNEL}"""\ny = 2`,
    [`\n${KERNEL}`]
  ],
  [
    'a raw one in three apostrophes',
    `CUDA = r'''${KERNEL.replace("'a'", '0')}'''`,
    [KERNEL.replace("'a'", '0')]
  ],
  ['one that is not closed yet', `CUDA = """${KERNEL}`, [KERNEL]],
  [
    'each of several',
    `a = """${KERNEL}"""\nb = """${KERNEL}"""`,
    [KERNEL, KERNEL]
  ],
  [
    'strings of a program in a magic',
    `%%leakyrelu_cuda\nimport torch\nCUDA = """${KERNEL}"""`,
    [KERNEL]
  ],
  ['no string of words', '"""A module about __init__."""', []],
  ['no comment', `# """ __global__\nx = 1`, []],
  [
    'no quotes within another string',
    `x = '"""'\ny = "__global__"\nz = '"""'`,
    []
  ],
  ['nothing in an empty text', '', []]
])('finds %s', (_, text, expected) => {
  expect(regions(text)).toEqual(expected);
});

it('is done at once with a long text of quotes', () => {
  const started = performance.now();
  cudaRegions(`__global__ ${'"\'\\'.repeat(100_000)}`, isMagic);
  cudaRegions(`__global__ """${'\\"'.repeat(100_000)}`, isMagic);
  expect(performance.now() - started).toBeLessThan(2000);
});
