// Two projects: JupyterLab, and JupyterLab behind a real kernel gateway that
// asks for a token, with the example of another extension. The kernels are real.
// KERNELGATE_STORIES=main: the main stories, in JupyterLab alone.

import * as galata from '@jupyterlab/galata/lib/playwright-config';
import type { PlaywrightTestConfig } from '@playwright/test';
import { join } from 'path';
import {
  address,
  gateway,
  gatewayWords,
  labWords,
  makeFolders,
  PORTS,
  RESULTS,
  webServer
} from './tests/servers';

// It is typed as a module without exports.
const base: PlaywrightTestConfig = { ...galata };

const shots = process.env.KERNELGATE_SHOTS;
const main = process.env.KERNELGATE_STORIES === 'main';

makeFolders();

const plain = webServer('lab', PORTS.lab, labWords());

const config: PlaywrightTestConfig = {
  ...base,
  testDir: './tests',
  outputDir: './test-results',
  workers: 1,
  forbidOnly: true,
  // A kernel compiles and checks in emulation: seconds, on a busy machine many.
  timeout: 240_000,
  // A browser may be late by chance: the summary names what passed only then.
  retries: 1,
  expect: { timeout: 20_000 },
  // What the servers say is in files; of the tests only the results are printed.
  reporter: [
    ['list'],
    ['json', { outputFile: join(RESULTS, 'playwright.json') }]
  ],
  use: {
    ...base.use,
    viewport: { width: 1280, height: 900 },
    // To record one is work in the page, more than the page's own.
    trace: 'on-first-retry',
    video: 'off',
    launchOptions: {
      executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync'
      ]
    }
  },
  projects: shots
    ? [
        {
          name: 'shots',
          testMatch: /shots\.ts$/,
          use: { baseURL: address(PORTS.lab) }
        }
      ]
    : main
      ? [{ name: 'lab', grep: /@main/, use: { baseURL: address(PORTS.lab) } }]
      : [
          {
            name: 'lab',
            grepInvert: /@example/,
            use: { baseURL: address(PORTS.lab) }
          },
          {
            name: 'gateway',
            grep: /@gateway|@example/,
            use: { baseURL: address(PORTS.behindGateway) }
          }
        ],
  webServer:
    shots || main
      ? [plain]
      : [
          plain,
          webServer('gateway', gateway.port, gatewayWords(gateway), {
            withExample: true
          }),
          webServer('behind-gateway', PORTS.behindGateway, labWords(gateway), {
            withExample: true
          })
        ]
};

export default config;
