// Two projects: JupyterLab, and JupyterLab behind a real kernel gateway. The
// kernels are real, and import the package from this checkout.

const fs = require('fs');
const path = require('path');
const base = require('@jupyterlab/galata/lib/playwright-config');

const ROOT = path.join(__dirname, '..');
const STATE = path.join(ROOT, '.kernelgate');
const RESULTS = path.join(STATE, 'results');
const shots = process.env.KERNELGATE_SHOTS;

const LAB = 8891;
const BEHIND_GATEWAY = 8892;
const GATEWAY = 8893;

const env = {
  ...process.env,
  PATH: `${path.join(ROOT, '.venv', 'bin')}:${process.env.PATH}`,
  PYTHONPATH: path.join(ROOT, 'python'),
  // A kernel that does not see the package.
  JUPYTER_PATH: path.join(__dirname, 'jupyter'),
  // The settings, signatures and builds of whoever runs the tests stay out.
  JUPYTER_CONFIG_DIR: path.join(STATE, 'ui-config'),
  JUPYTER_DATA_DIR: path.join(STATE, 'ui-data'),
  KERNELGATE_CACHE: path.join(STATE, 'ui-cache')
};

// What the servers say, in full; of the tests only the results are printed.
fs.mkdirSync(RESULTS, { recursive: true });
const logged = (name, command) =>
  `exec ${command} 2>'${path.join(RESULTS, `${name}.log`)}'`;

const address = port => `http://127.0.0.1:${port}`;
const lab = (port, ...options) => ({
  command: logged(
    `lab-${port}`,
    ['jupyter lab --config jupyter_server_config.py', ...options].join(' ')
  ),
  cwd: __dirname,
  url: `${address(port)}/api`,
  env: { ...env, KERNELGATE_UI_PORT: String(port) },
  reuseExistingServer: false
});

module.exports = {
  ...base,
  testDir: './tests',
  outputDir: './test-results',
  workers: 1,
  forbidOnly: true,
  // A kernel compiles and checks in emulation: seconds, on a busy machine many.
  timeout: 240_000,
  expect: { timeout: 20_000 },
  reporter: [
    ['list'],
    ['json', { outputFile: path.join(RESULTS, 'playwright.json') }]
  ],
  use: {
    ...base.use,
    viewport: { width: 1280, height: 900 },
    trace: 'retain-on-failure',
    video: 'off',
    launchOptions: {
      executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
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
          use: { baseURL: address(LAB) }
        }
      ]
    : [
        { name: 'lab', use: { baseURL: address(LAB) } },
        {
          name: 'gateway',
          grep: /@gateway/,
          use: { baseURL: address(BEHIND_GATEWAY) }
        }
      ],
  webServer: shots
    ? [lab(LAB)]
    : [
        lab(LAB),
        {
          command: logged(
            'gateway',
            [
              'jupyter kernelgateway',
              '--KernelGatewayApp.ip=127.0.0.1',
              `--KernelGatewayApp.port=${GATEWAY}`,
              '--KernelGatewayApp.port_retries=0',
              '--JupyterWebsocketPersonality.list_kernels=True'
            ].join(' ')
          ),
          cwd: __dirname,
          url: `${address(GATEWAY)}/api`,
          // Its kernels get nothing of its environment but what is named here.
          env: {
            ...env,
            KG_ENV_PROCESS_WHITELIST: 'PYTHONPATH,KERNELGATE_CACHE'
          },
          reuseExistingServer: false
        },
        lab(BEHIND_GATEWAY, `--gateway-url=${address(GATEWAY)}`)
      ]
};
