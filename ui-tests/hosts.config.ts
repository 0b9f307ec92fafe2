// The stories on other hosts than the JupyterLab of the tests: `make smoke`.
// Each host has an environment of its own, with what requirements/hosts names;
// the kernels are those of .venv everywhere.

import type { PlaywrightTestConfig } from '@playwright/test';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'fs';
import { delimiter, join } from 'path';
import config from './playwright.config';
import {
  address,
  BIN,
  gateway,
  gatewayWords,
  labWords,
  makeFolders,
  PORTS,
  STATE,
  UI_TESTS,
  webServer
} from './tests/servers';

const HOSTS = join(STATE, 'hosts');
const KERNELS = join(STATE, 'hosts-path');

/**
 * The kernels of the tests under names that each host finds, with the Python of
 * .venv: a host's own has no PyTorch, and a gateway's no ipykernel.
 */
function makeKernels(): void {
  const folder = join(UI_TESTS, 'jupyter', 'kernels');
  const specs = readdirSync(folder).map(name => ({
    name,
    text: readFileSync(join(folder, name, 'kernel.json'), 'utf-8')
  }));
  const own = {
    argv: ['python', '-m', 'ipykernel_launcher', '-f', '{connection_file}'],
    display_name: 'Python 3 (ipykernel)',
    language: 'python'
  };
  for (const { name, text } of [
    ...specs,
    { name: 'python3', text: JSON.stringify(own) }
  ]) {
    const spec = JSON.parse(text);
    spec.argv[0] = join(BIN, 'python');
    const made = join(KERNELS, 'kernels', name);
    mkdirSync(made, { recursive: true });
    writeFileSync(join(made, 'kernel.json'), JSON.stringify(spec));
  }
}

/** A server of a host, in the environment of its name unless it shares another's. */
function hostServer(
  host: string,
  port: number,
  words: string[],
  environment = host
): ReturnType<typeof webServer> {
  const server = webServer(host, port, words, {
    bin: join(HOSTS, environment, 'bin')
  });
  const path = [KERNELS, server.env.JUPYTER_PATH].join(delimiter);
  return { ...server, env: { ...server.env, JUPYTER_PATH: path } };
}

makeFolders();
makeKernels();

const SMOKE = /smoke\.ts$/;
const ENDED = /ended\.ts$/;
const at = PORTS.firstHost;

const hosts: PlaywrightTestConfig = {
  ...config,
  reporter: 'list',
  projects: [
    {
      name: 'jupyterlab-4.4',
      testMatch: SMOKE,
      use: { baseURL: `${address(at)}/lab/tree/` }
    },
    {
      name: 'notebook-7',
      testMatch: SMOKE,
      use: { baseURL: `${address(at + 1)}/notebooks/` }
    },
    {
      name: 'nbclassic',
      testMatch: /fallback\.ts$/,
      use: { baseURL: `${address(at + 2)}/nbclassic/notebooks/` }
    },
    {
      name: 'enterprise-gateway',
      grep: /@gateway/,
      use: { baseURL: address(at + 3) }
    },
    ...[
      ['jupyterlab-4.6', PORTS.lab],
      ['kernel-gateway', PORTS.behindGateway],
      ['enterprise-gateway-ends', at + 3]
    ].map(([name, port]) => ({
      name: String(name),
      testMatch: ENDED,
      use: { baseURL: address(Number(port)) }
    }))
  ],
  webServer: [
    webServer('lab', PORTS.lab, labWords()),
    webServer('gateway', gateway.port, gatewayWords(gateway)),
    webServer('behind-gateway', PORTS.behindGateway, labWords(gateway)),
    hostServer('jupyterlab-4.4', at, labWords()),
    hostServer('notebook-7', at + 1, [
      'notebook',
      '--config=jupyter_server_config.py'
    ]),
    hostServer(
      'nbclassic',
      at + 2,
      ['nbclassic', '--config=jupyter_server_config.py'],
      'notebook-7'
    ),
    webServer(
      'behind-enterprise',
      at + 3,
      labWords({ port: at + 4 }, 'enterprise_gateway_config.py')
    ),
    hostServer('enterprise-gateway', at + 4, [
      'enterprisegateway',
      '--EnterpriseGatewayApp.ip=127.0.0.1',
      `--EnterpriseGatewayApp.port=${at + 4}`,
      '--EnterpriseGatewayApp.port_retries=0',
      '--EnterpriseGatewayApp.list_kernels=True'
    ])
  ]
};

export default hosts;
