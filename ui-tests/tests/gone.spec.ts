/** The gateway that kernels run behind goes away in the middle of a run. */

import { ChildProcess, spawn } from 'child_process';
import { once } from 'events';
import { join } from 'path';
import {
  CHECKING,
  code,
  expect,
  heldProgram,
  openNotebook,
  openPanel,
  reports,
  RUN_TIMEOUT_MS,
  test,
  verdict
} from './gate';
import {
  address,
  BIN,
  environment,
  gatewayWords,
  labWords,
  PORTS,
  START_MS,
  UI_TESTS
} from './servers';

// Of their own: the others are needed by the other tests.
const gatewayOfOurs = { port: PORTS.mortalGateway };

function jupyter(port: number, words: string[]): ChildProcess {
  return spawn(join(BIN, 'jupyter'), words, {
    cwd: UI_TESTS,
    stdio: 'ignore',
    env: environment(port)
  });
}

function gateway(): ChildProcess {
  return jupyter(gatewayOfOurs.port, gatewayWords(gatewayOfOurs));
}

/** Waits for a server. */
async function answers(port: number): Promise<void> {
  const ask = () =>
    fetch(`${address(port)}/api`).then(
      ({ ok }) => ok,
      () => false
    );
  await expect.poll(ask, { timeout: START_MS }).toBe(true);
}

let servers: ChildProcess[] = [];

test.use({ baseURL: address(PORTS.behindMortal) });

// Playwright demands the pattern, and no fixture is needed.
// eslint-disable-next-line no-empty-pattern
test.beforeAll(async ({}) => {
  servers = [gateway(), jupyter(PORTS.behindMortal, labWords(gatewayOfOurs))];
  await answers(gatewayOfOurs.port);
  await answers(PORTS.behindMortal);
});

// A second attempt needs their ports.
test.afterAll(async () => {
  await Promise.all(
    servers
      .filter(({ exitCode, signalCode }) => exitCode === null && !signalCode)
      .map(server => {
        const end = once(server, 'exit');
        server.kill();
        return end;
      })
  );
});

test('a gateway that is gone in mid-run is said to be gone; after it came back the next run works', async ({
  page,
  tmpPath
}) => {
  test.slow();
  const program = heldProgram(test.info());
  await openNotebook(page, tmpPath, [code(program.source)]);
  const panel = await openPanel(page);
  const check = panel.getByRole('button', {
    name: /^(Verify|Check) LeakyReLU/
  });
  await check.click();
  const report = reports(page);
  await expect(verdict(report)).toHaveText(CHECKING, {
    timeout: RUN_TIMEOUT_MS
  });

  servers[0]?.kill('SIGKILL');

  await expect(panel).toContainText('The kernel’s server does not answer');
  await expect(verdict(report)).toContainText('Not heard of');
  await expect(report.getByRole('button', { name: 'Cancel' })).toHaveCount(0);
  await expect(check).toBeDisabled();

  servers.push(gateway());
  await answers(gatewayOfOurs.port);

  await expect(panel).not.toContainText('server does not answer');
  await expect(verdict(report)).toHaveText('Did not finish: no verdict', {
    timeout: 60_000
  });

  // Lab forgets the session of the kernel that died, sooner or later.
  const dialog = page.getByRole('dialog');
  await page.addLocatorHandler(dialog, () =>
    dialog.getByRole('button', { name: /^Select/ }).click()
  );
  program.letGo();
  await panel
    .getByRole('button', { name: /^(Restart|Choose) kernel$/ })
    .click();
  await check.click();

  await expect(verdict(report)).toHaveText(/^Correct in emulation/, {
    timeout: RUN_TIMEOUT_MS
  });
});
