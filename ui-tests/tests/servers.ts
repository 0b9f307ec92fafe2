/**
 * The servers of the browser tests: where each listens, how it is started, and
 * what its kernels see. They import the package from this checkout, and the
 * pages load the extension that was built in it.
 */

import { mkdirSync, rmSync, symlinkSync } from 'fs';
import { delimiter, join } from 'path';

export const ROOT = join(__dirname, '..', '..');
export const UI_TESTS = join(ROOT, 'ui-tests');
export const STATE = join(ROOT, '.kernelgate');
export const RESULTS = join(STATE, 'results');
export const BIN = join(ROOT, '.venv', 'bin');

/** Another one for a second checkout that runs its tests at the same time. */
const FIRST_PORT = Number(process.env.KERNELGATE_UI_PORT ?? 8891);

export const PORTS = {
  lab: FIRST_PORT,
  behindGateway: FIRST_PORT + 1,
  gateway: FIRST_PORT + 2,
  /** A gateway that is killed, and the JupyterLab in front of it. */
  mortalGateway: FIRST_PORT + 3,
  behindMortal: FIRST_PORT + 4,
  /** The first of those of `hosts.config.ts`. */
  firstHost: FIRST_PORT + 5
};

/** The Kernel Gateway that asks for a token. */
export const gateway = { port: PORTS.gateway, token: 'of-the-tests' };

export const address = (port: number): string => `http://127.0.0.1:${port}`;

/** Holds the link by which servers find the extension of this checkout first. */
const DATA_OF_CHECKOUT = join(STATE, 'ui-path');

/** Where `make ui` installs the example of another extension's operator. */
const EXAMPLE = join(STATE, 'example');

/** To be called once, before a server starts. */
export function makeFolders(): void {
  const extensions = join(DATA_OF_CHECKOUT, 'labextensions');
  const link = join(extensions, 'jupyterlab-kernelgate');
  mkdirSync(RESULTS, { recursive: true });
  mkdirSync(extensions, { recursive: true });
  rmSync(link, { force: true });
  symlinkSync(join(ROOT, 'python', 'kernelgate', 'labextension'), link);
}

/** What a server gets: nothing of the settings, signatures and builds of a person. */
export function environment(
  port: number,
  { withExample = false } = {}
): Record<string, string> {
  const python = [join(ROOT, 'python')];
  // The first holds kernels without the package, and of another language.
  const data = [join(UI_TESTS, 'jupyter'), DATA_OF_CHECKOUT];
  if (withExample) {
    python.push(EXAMPLE);
    data.push(join(EXAMPLE, 'share', 'jupyter'));
  }
  return {
    ...(process.env as Record<string, string>),
    PATH: [BIN, process.env.PATH].join(delimiter),
    PYTHONPATH: python.join(delimiter),
    JUPYTER_PATH: data.join(delimiter),
    JUPYTER_CONFIG_DIR: join(STATE, 'ui-config'),
    JUPYTER_DATA_DIR: join(STATE, 'ui-data'),
    KERNELGATE_CACHE: join(STATE, 'ui-cache'),
    KERNELGATE_UI_PORT: String(port),
    // Kernels of a gateway get what is named here, and nothing else.
    KG_ENV_PROCESS_WHITELIST: 'PYTHONPATH,KERNELGATE_CACHE',
    // Enterprise Gateway starts none for root.
    KERNEL_USERNAME: 'tests',
    EG_INHERITED_ENVS: 'PYTHONPATH,KERNELGATE_CACHE'
  };
}

/** JupyterLab, by itself or behind a gateway. */
export function labWords(
  gateway?: { port: number; token?: string },
  config = 'jupyter_server_config.py'
): string[] {
  return [
    'lab',
    `--config=${config}`,
    ...(gateway ? [`--gateway-url=${address(gateway.port)}`] : []),
    ...(gateway?.token ? [`--GatewayClient.auth_token=${gateway.token}`] : [])
  ];
}

export function gatewayWords({
  port,
  token
}: {
  port: number;
  token?: string;
}): string[] {
  return [
    'kernelgateway',
    '--KernelGatewayApp.ip=127.0.0.1',
    `--KernelGatewayApp.port=${port}`,
    '--KernelGatewayApp.port_retries=0',
    '--JupyterWebsocketPersonality.list_kernels=True',
    ...(token ? [`--KernelGatewayApp.auth_token=${token}`] : [])
  ];
}

/** On a busy machine; else it is seconds. */
export const START_MS = 240_000;

/** A server that Playwright starts; what it says is in a file of its own. */
export function webServer(
  name: string,
  port: number,
  words: string[],
  { bin = BIN, withExample = false } = {}
): {
  command: string;
  cwd: string;
  url: string;
  env: Record<string, string>;
  reuseExistingServer: boolean;
  timeout: number;
} {
  const quoted = [join(bin, 'jupyter'), ...words].map(word => `'${word}'`);
  return {
    command: `exec ${quoted.join(' ')} 2>'${join(RESULTS, `${name}.log`)}'`,
    cwd: UI_TESTS,
    url: `${address(port)}/api`,
    env: environment(port, { withExample }),
    reuseExistingServer: false,
    timeout: START_MS
  };
}
