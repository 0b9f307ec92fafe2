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

/** A host: what is tried there, and the servers that it needs. */
interface IHost {
  project: {
    name: string;
    testMatch?: RegExp;
    grep?: RegExp;
    grepInvert?: RegExp;
  };
  /** Where its pages are. */
  base: string;
  servers: ReturnType<typeof webServer>[];
}

const at = PORTS.firstHost;
const SMOKE = /smoke\.ts$/;
const ENDED = /ended\.ts$/;

/** JupyterLab of another version, or with what others add to it. */
function lab(name: string, port: number, testMatch: RegExp): IHost {
  return {
    project: { name, testMatch },
    base: `${address(port)}/lab/tree/`,
    servers: [hostServer(name, port, labWords())]
  };
}

/** JupyterLab passes on only connections that the page keeps; the file says why. */
const GATEWAY_CONFIG = 'gateway_config.py';

const enterpriseGateway = [
  webServer(
    'behind-enterprise',
    at + 3,
    labWords({ port: at + 4 }, GATEWAY_CONFIG)
  ),
  hostServer('enterprise-gateway', at + 4, [
    'enterprisegateway',
    '--EnterpriseGatewayApp.ip=127.0.0.1',
    `--EnterpriseGatewayApp.port=${at + 4}`,
    '--EnterpriseGatewayApp.port_retries=0',
    '--EnterpriseGatewayApp.list_kernels=True'
  ])
];

const kernelGateway = [
  webServer('gateway', gateway.port, gatewayWords(gateway)),
  webServer(
    'behind-gateway',
    PORTS.behindGateway,
    labWords(gateway, GATEWAY_CONFIG)
  )
];

/** It may fail, so that it is run by itself. */
const PRE_RELEASE = 'jupyterlab-4.7';

/** Every story of `make ui` behind a gateway, where most of them do the same: half an hour, only when asked for. */
const STORIES = ['kernel-gateway-stories', 'enterprise-gateway-stories'];

/** A gateway's kernel does not begin in the notebook's folder, so that the trap in it is none. */
const NOT_BEHIND = /@example|in a notebook's folder/;

const ALL: IHost[] = [
  lab('jupyterlab-4.4', at, SMOKE),
  lab(PRE_RELEASE, at + 5, SMOKE),
  ...['collaboration', 'nbmodel', 'documents'].map((name, n) =>
    lab(name, at + 6 + n, /(smoke|together)\.ts$/)
  ),
  {
    project: { name: 'notebook-7', testMatch: SMOKE },
    base: `${address(at + 1)}/notebooks/`,
    servers: [
      hostServer('notebook-7', at + 1, [
        'notebook',
        '--config=jupyter_server_config.py'
      ])
    ]
  },
  {
    project: { name: 'nbclassic', testMatch: /fallback\.ts$/ },
    base: `${address(at + 2)}/nbclassic/notebooks/`,
    servers: [
      hostServer(
        'nbclassic',
        at + 2,
        ['nbclassic', '--config=jupyter_server_config.py'],
        'notebook-7'
      )
    ]
  },
  {
    project: { name: 'enterprise-gateway', grep: /@gateway/ },
    base: address(at + 3),
    servers: enterpriseGateway
  },
  {
    project: { name: 'enterprise-gateway-ends', testMatch: ENDED },
    base: address(at + 3),
    servers: enterpriseGateway
  },
  {
    project: { name: 'jupyterlab-4.6', testMatch: ENDED },
    base: address(PORTS.lab),
    servers: [webServer('lab', PORTS.lab, labWords())]
  },
  {
    project: { name: 'kernel-gateway', testMatch: ENDED },
    base: address(PORTS.behindGateway),
    servers: kernelGateway
  },
  {
    project: { name: STORIES[0]!, grepInvert: NOT_BEHIND },
    base: address(PORTS.behindGateway),
    servers: kernelGateway
  },
  {
    project: { name: STORIES[1]!, grepInvert: NOT_BEHIND },
    base: address(at + 3),
    servers: enterpriseGateway
  }
];

/** One host, or several with a blank between; if not given, all but those that are run by themselves. */
const asked = process.env.KERNELGATE_HOSTS?.split(' ');
const chosen = ALL.filter(({ project: { name } }) =>
  asked ? asked.includes(name) : name !== PRE_RELEASE && !STORIES.includes(name)
);

const hosts: PlaywrightTestConfig = {
  ...config,
  reporter: 'list',
  projects: chosen.map(({ project, base }) => ({
    ...project,
    use: { baseURL: base }
  })),
  webServer: [...new Set(chosen.flatMap(({ servers }) => servers))]
};

export default hosts;
