import {
  CHECKING,
  cellOutput,
  code,
  expect,
  heldProgram,
  openNotebook,
  reportOutput,
  reports,
  RUN_TIMEOUT_MS,
  runCell,
  test,
  verdict
} from './gate';
import { childrenOf, isAlive } from './processes';

const LOST = 'Did not finish: no verdict';

test('says that a run did not finish when its kernel was killed, and no process is left', async ({
  page,
  tmpPath
}) => {
  const program = heldProgram(test.info());
  await openNotebook(page, tmpPath, [
    code('%load_ext kernelgate\nimport os; os.getpid()'),
    code(`%%leakyrelu_cuda\n${program.source}`)
  ]);
  await runCell(page, 0);
  const answer = cellOutput(page, 0);
  await expect(answer).toHaveText(/^\d+$/);
  const kernel = Number(await answer.textContent());
  await runCell(page, 1);
  const report = reports(page);
  await expect(verdict(report)).toHaveText(CHECKING, {
    timeout: RUN_TIMEOUT_MS
  });
  const warm = childrenOf(kernel);
  const judges = warm.flatMap(childrenOf);
  const workers = judges.flatMap(childrenOf);
  expect(judges).not.toHaveLength(0);

  process.kill(kernel, 'SIGKILL');

  await expect(verdict(report)).toHaveText(LOST);
  await expect(report.getByRole('button', { name: 'Cancel' })).toHaveCount(0);
  await expect
    .poll(() => [...warm, ...judges, ...workers].filter(isAlive))
    .toEqual([]);
});

test('says that a saved run did not finish where the kernel is idle', async ({
  page,
  tmpPath
}) => {
  await openNotebook(page, tmpPath, [code('', [reportOutput('running')])]);

  await expect(verdict(reports(page))).toHaveText(LOST);
});
