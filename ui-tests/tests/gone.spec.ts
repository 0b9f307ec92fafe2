/** The gateway that kernels run behind goes away in the middle of a run. */

import { ChildProcess, spawn } from 'child_process';
import { join } from 'path';
import {
  code,
  expect,
  openNotebook,
  openPanel,
  reports,
  RUN_TIMEOUT_MS,
  runCell,
  SLOW_PROGRAM,
  test,
  verdict
} from './gate';

// Of their own: the others are needed by the other tests.
const GATEWAY = 8894;
const LAB = 8895;

const ROOT = join(__dirname, '..', '..');
const STATE = join(ROOT, '.kernelgate');

function jupyter(...words: string[]): ChildProcess {
  return spawn(join(ROOT, '.venv', 'bin', 'jupyter'), words, {
    cwd: join(ROOT, 'ui-tests'),
    stdio: 'ignore',
    env: {
      ...process.env,
      PATH: `${join(ROOT, '.venv', 'bin')}:${process.env.PATH}`,
      PYTHONPATH: join(ROOT, 'python'),
      JUPYTER_CONFIG_DIR: join(STATE, 'ui-config'),
      JUPYTER_DATA_DIR: join(STATE, 'ui-data'),
      KERNELGATE_CACHE: join(STATE, 'ui-cache'),
      KERNELGATE_UI_PORT: String(LAB),
      KG_ENV_PROCESS_WHITELIST: 'PYTHONPATH,KERNELGATE_CACHE'
    }
  });
}

function gateway(): ChildProcess {
  return jupyter(
    'kernelgateway',
    '--KernelGatewayApp.ip=127.0.0.1',
    `--KernelGatewayApp.port=${GATEWAY}`,
    '--KernelGatewayApp.port_retries=0',
    '--JupyterWebsocketPersonality.list_kernels=True'
  );
}

/** Waits for a server. */
async function answers(port: number): Promise<void> {
  const ask = () =>
    fetch(`http://127.0.0.1:${port}/api`).then(
      ({ ok }) => ok,
      () => false
    );
  await expect.poll(ask, { timeout: 60_000 }).toBe(true);
}

let servers: ChildProcess[] = [];

test.use({ baseURL: `http://127.0.0.1:${LAB}` });

// Playwright demands the pattern, and no fixture is needed.
// eslint-disable-next-line no-empty-pattern
test.beforeAll(async ({}) => {
  servers = [
    gateway(),
    jupyter(
      'lab',
      '--config',
      'jupyter_server_config.py',
      `--gateway-url=http://127.0.0.1:${GATEWAY}`
    )
  ];
  await answers(GATEWAY);
  await answers(LAB);
});

test.afterAll(() => {
  for (const server of servers) {
    server.kill();
  }
});

test('a gateway that is gone in mid-run is said to be gone, not drawn as a run', async ({
  page,
  tmpPath
}) => {
  await openNotebook(page, tmpPath, [
    code('%load_ext kernelgate'),
    code(`%%leakyrelu_cuda\n${SLOW_PROGRAM}`)
  ]);
  const panel = await openPanel(page);
  await runCell(page, 0);
  await runCell(page, 1);
  const report = reports(page);
  await expect(verdict(report)).toHaveText('Checking', {
    timeout: RUN_TIMEOUT_MS
  });

  servers[0]?.kill('SIGKILL');

  await expect(panel).toContainText('The kernel’s server does not answer');
  await expect(verdict(report)).toContainText('Not heard of');
  await expect(report.getByRole('button', { name: 'Cancel' })).toHaveCount(0);
  await expect(
    panel.getByRole('button', { name: /^(Verify|Check) LeakyReLU/ })
  ).toBeDisabled();

  servers.push(gateway());
  await answers(GATEWAY);

  await expect(panel).not.toContainText('server does not answer');
  await expect(verdict(report)).toHaveText('Did not finish: no verdict', {
    timeout: 60_000
  });
});
