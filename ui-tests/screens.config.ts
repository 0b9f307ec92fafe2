// What `bench/screens.py` runs: figures of the screens, into KERNELGATE_FIGURES.

import type { PlaywrightTestConfig } from '@playwright/test';
import config from './playwright.config';
import { address, labWords, PORTS, webServer } from './tests/servers';

const screens: PlaywrightTestConfig = {
  ...config,
  reporter: 'line',
  // A figure is taken once.
  retries: 0,
  expect: { timeout: 120_000 },
  projects: [
    {
      name: 'screens',
      testMatch: /(screens|verdictTime)\.ts$/,
      use: { baseURL: address(PORTS.lab) }
    }
  ],
  webServer: [webServer('lab', PORTS.lab, labWords())]
};

export default screens;
