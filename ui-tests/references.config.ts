// Pictures of every state, compared with those in ui-tests/references: `make
// references`. They show this machine's fonts, so that CI does not compare them.

import type { PlaywrightTestConfig } from '@playwright/test';
import config from './playwright.config';
import { address, labWords, PORTS, webServer } from './tests/servers';

const references: PlaywrightTestConfig = {
  ...config,
  reporter: 'list',
  retries: 0,
  // A state, a width; its three themes stand below each other.
  snapshotPathTemplate: '{testDir}/../references/{arg}{ext}',
  expect: { ...config.expect, toMatchSnapshot: { maxDiffPixelRatio: 0.002 } },
  // Pictures are what is looked at, and a trace would take its own of each step.
  use: { ...config.use, trace: 'off' },
  projects: [
    {
      name: 'references',
      testMatch: /references\.ts$/,
      use: { baseURL: address(PORTS.lab) }
    }
  ],
  webServer: [webServer('lab', PORTS.lab, labWords())]
};

export default references;
