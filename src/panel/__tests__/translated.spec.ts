/** Every text of the panel goes through the translator, or is a report's or the catalogue's own. */
import { Catalogue } from '../../catalogue/catalogue';
import { EMULATED, H200 } from '../../kernel/__tests__/fakeSession';
import { FIXTURE_NAMES } from '../../model/__tests__/recorded';
import { KernelState } from '../../tokens';
import { pseudo, untranslated } from '../../ui/__tests__/pseudo';
import { draw, ready, request, run, setUp } from './draw';

setUp();

const { operators } = new Catalogue();

/** Names of a notebook, a kernel, a device. */
const DATA = [operators, H200, EMULATED, 'leaky.ipynb', 'Python 3 (ipykernel)'];

it.each<[string, KernelState]>([
  ['no notebook', { kind: 'no-notebook' }],
  ['no kernel', { kind: 'no-kernel' }],
  ['a kernel that starts', { kind: 'starting' }],
  ['a server that does not answer', { kind: 'unreachable' }],
  ['another language', { kind: 'other-language', language: 'R' }],
  ['a dead kernel', { kind: 'dead' }],
  ['a question', { kind: 'asking' }],
  ['a question that waits', { kind: 'waiting' }],
  ['no package', { kind: 'missing' }],
  [
    'an old package',
    { kind: 'mismatch', version: '0.0.1', outdated: 'package' }
  ],
  ['a failure', { kind: 'failed', message: 'OSError: no libcuda' }],
  ['a GPU', ready(H200)],
  ['a kernel that restarted', ready(H200, true)],
  ['emulation', ready(EMULATED)]
])('translates the panel of %s', (_, kernel) => {
  const { node } = draw({ kernel }, pseudo);
  expect(node.textContent).toContain('⟦');
  expect(untranslated(node, [kernel, DATA])).toEqual([]);
});

it('translates the list of runs, a comparison and the activity', () => {
  const runs = FIXTURE_NAMES.filter(name => name !== 'unknown-version').map(
    (name, n) => run(name, { number: n + 1, isStale: true })
  );
  const going = run('running', { id: 'going', isRunning: true, cell: null });
  const { node } = draw(
    {
      runs: [going, ...runs],
      compared: runs.slice(0, 2).map(({ id }) => id),
      requests: [request({}), request({ id: 2, outcome: 'queued' })]
    },
    pseudo
  );
  const data = [runs, DATA, request({})];
  expect(untranslated(node, data)).toEqual([]);
});
