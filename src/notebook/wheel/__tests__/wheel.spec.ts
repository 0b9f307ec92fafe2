import { Notification } from '@jupyterlab/apputils';
import { Kernel } from '@jupyterlab/services';
import { createHash } from 'crypto';
import { readFileSync, writeFileSync } from 'fs';
import { createServer, Server } from 'http';
import { AddressInfo } from 'net';
import { join } from 'path';

import { CommandIDs } from '../../../tokens/commandIds';
import { lab } from '../../__tests__/lab';
import { sources } from '../../__tests__/notebook';
import { wheelCell } from '../cellText';
import { IWheel, loadWheels } from '../manifest';
import { serve } from '../serve';

/** What the tests of the kernel's side run; UPDATE_GOLDENS=1 writes it. */
const GOLDEN = join(
  __dirname,
  '../../../../python/tests/fixtures/wheel_cell.txt'
);

const hashOf = (bytes: Uint8Array | string) =>
  createHash('sha256').update(bytes).digest('hex');

function wheel(name: string, abi: string | null, bytes: Uint8Array): IWheel {
  const version = name === 'kernelgate' ? '0.1.0' : '0.22.0';
  const file = `${name}-${version}-${abi ? 'cp311-cp311' : 'py3-none'}-any.whl`;
  const sha256 = hashOf(bytes);
  return { file, name, version, bytes: bytes.length, sha256, abi };
}

/** Larger than a piece, and no text. */
const OURS = Uint8Array.from({ length: 600_001 }, (_, n) => (n * 7919) % 256);
const COMPILED = Uint8Array.from({ length: 1000 }, (_, n) => n % 256);
const WHEELS = [
  wheel('kernelgate', null, OURS),
  wheel('msgspec', 'cpython-311-x86_64-linux-gnu', COMPILED)
];

/** What the Jupyter server has in the extension's folder; a test may change it. */
const files = new Map<string, Uint8Array | string>();
const requests: string[] = [];
let server: Server;

beforeAll(async () => {
  server = createServer((request, response) => {
    const path = request.url ?? '';
    requests.push(path);
    const file = files.get(path.replace('/static/wheels/', ''));
    response.writeHead(file === undefined ? 404 : 200);
    response.end(file);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  Object.assign(globalThis, {
    __webpack_public_path__: `http://127.0.0.1:${port}/static/`
  });
});

afterAll(() => server.close());

beforeEach(() => {
  requests.length = 0;
  files.clear();
  files.set('manifest.json', JSON.stringify(WHEELS));
  files.set(WHEELS[0]!.file, OURS);
  files.set(WHEELS[1]!.file, COMPILED);
});

/** The kernel's end of a comm. */
class FromKernel {
  readonly sent: Record<string, unknown>[] = [];
  isDisposed = false;
  onMsg: (msg: object) => void = () => undefined;
  onClose: (msg: object) => void = () => undefined;
  arrived = jest.fn();

  constructor(opened: unknown) {
    serve(this as unknown as Kernel.IComm, opened, this.arrived);
  }

  send(data: Record<string, unknown>): void {
    this.sent.push(data);
    this._answered();
  }

  close(): void {
    this.isDisposed = true;
    this.onClose({ content: { data: {} } });
    this._answered();
  }

  /** Until the page has answered, or closed. */
  async ask(data: unknown): Promise<Record<string, unknown> | undefined> {
    const answered = new Promise<void>(resolve => (this._answered = resolve));
    this.onMsg({ content: { data } });
    await answered;
    return this.isDisposed ? undefined : this.sent[this.sent.length - 1];
  }

  async closed(): Promise<void> {
    await new Promise<void>(resolve => (this._answered = resolve));
  }

  private _answered: () => void = () => undefined;
}

describe('wheelCell', () => {
  it('says what it takes, and is what the tests of the kernel’s side run', () => {
    const of = (name: string, abi: string | null, bytes: number): IWheel => ({
      file: `${name}-${name === 'kernelgate' ? '0.1.0' : '0.22.0'}-py3-none-any.whl`,
      name,
      version: name === 'kernelgate' ? '0.1.0' : '0.22.0',
      bytes,
      sha256: hashOf(abi ?? name),
      abi
    });
    const text = wheelCell([
      of('kernelgate', null, 1_145_096),
      of('msgspec', 'cpython-310-aarch64-linux-gnu', 222_888),
      of('msgspec', 'cpython-311-x86_64-linux-gnu', 225_251)
    ]);
    if (process.env.UPDATE_GOLDENS) {
      writeFileSync(GOLDEN, `${text}\n`);
    }
    expect(`${text}\n`).toBe(readFileSync(GOLDEN, 'utf8'));
    const comment = text.split('\n').slice(0, 9).join('\n');
    expect(comment).toMatch(/^(# .{1,66}\n?){9}$/);
    expect(comment).toContain(
      'kernelgate 0.1.0: kernelgate-0.1.0-py3-none-any.whl, 1146 kB'
    );
    expect(comment).toContain('msgspec 0.22.0, if it is lacking');
    expect(comment).toContain('226 kB at most');
    expect(comment).toContain('at the end of sys.path');
  });

  it('says that msgspec has to be there where the build has none', () => {
    expect(wheelCell(WHEELS.slice(0, 1))).toContain(
      'and no msgspec, which has to be in the kernel'
    );
    expect(() => wheelCell(WHEELS.slice(1))).toThrow('without the package');
  });
});

describe('loadWheels', () => {
  it.each([
    ['no list', { file: 'a' }],
    ['code in a name', [{ ...WHEELS[0], file: 'a"\nimport os\n".whl' }]],
    ['code in a version', [{ ...WHEELS[0], version: '1\nimport os' }]],
    ['code in a Python', [{ ...WHEELS[1], abi: '"' }]],
    ['code in a hash', [{ ...WHEELS[0], sha256: '"' }]],
    ['a length that is none', [{ ...WHEELS[0], bytes: '1' }]]
  ])('refuses %s', async (_, list) => {
    files.set('manifest.json', JSON.stringify(list));
    await expect(loadWheels()).rejects.toThrow('cannot be read');
  });
});

describe('kernelgate:insert-install-cell', () => {
  it('inserts a cell that names no package of an index, and sends the kernel nothing', async () => {
    const { commands, content, session } = lab([{ source: '' }]);
    const answer = await commands.execute(CommandIDs.insertInstallCell);
    expect(sources(content)).toEqual([wheelCell(WHEELS)]);
    expect(sources(content)[0]).not.toContain('pip');
    expect(answer).toEqual({ cellId: content.activeCell?.model.id });
    expect(session.asked).toHaveLength(0);
    expect(requests).toEqual(['/static/wheels/manifest.json']);
  });

  it('says why there is none where the list cannot be read', async () => {
    const error = jest.spyOn(Notification, 'error');
    const { commands, content } = lab([{ source: 'x = 1' }]);
    files.delete('manifest.json');
    expect(await commands.execute(CommandIDs.insertInstallCell)).toBeNull();
    expect(sources(content)).toEqual(['x = 1']);
    expect(error.mock.calls[0]?.[0]).toContain('could not be read');
  });
});

describe('serve', () => {
  const hashes = WHEELS.map(({ sha256 }) => sha256);

  it('sends each wheel in pieces, and says when the kernel has it', async () => {
    const kernel = new FromKernel({ sha256: hashes });
    for (const [n, bytes] of [OURS, COMPILED].entries()) {
      let got = Buffer.alloc(0);
      while (got.length < bytes.length) {
        const asked = { sha256: hashes[n], offset: got.length };
        const answer = await kernel.ask(asked);
        expect(answer).toMatchObject(asked);
        const piece = Buffer.from(String(answer?.base64), 'base64');
        expect(piece.length).toBeLessThanOrEqual(256 * 1024);
        got = Buffer.concat([got, piece]);
      }
      expect(hashOf(got)).toBe(hashes[n]);
    }
    expect(kernel.sent).toHaveLength(4);
    // Each once: the manifest and two files.
    expect(requests).toHaveLength(3);
    expect(kernel.arrived).not.toHaveBeenCalled();
    kernel.onClose({ content: { data: { arrived: true } } });
    expect(kernel.arrived).toHaveBeenCalledTimes(1);
  });

  it.each([
    ['a hash that it has not', { sha256: [hashOf('other')] }],
    ['more than there is', { sha256: [...hashes, hashes[0]] }],
    ['no hash', {}],
    ['nothing', null],
    ['a foreign comm', 'hello']
  ])('closes, and reads no file, for %s', async (_, opened) => {
    const kernel = new FromKernel(opened);
    await kernel.closed();
    expect(kernel.isDisposed).toBe(true);
    expect(kernel.sent).toEqual([]);
    expect(kernel.arrived).not.toHaveBeenCalled();
    expect(requests.filter(path => path.endsWith('.whl'))).toEqual([]);
  });

  it.each([
    ['another file', { sha256: hashes[1], offset: 0 }],
    ['a name in place of a hash', { sha256: '../../etc/passwd', offset: 0 }],
    ['a place before the start', { sha256: hashes[0], offset: -1 }],
    ['a place behind the end', { sha256: hashes[0], offset: OURS.length }],
    ['a place that is none', { sha256: hashes[0], offset: '0' }],
    ['words', 'please']
  ])('closes when asked for %s', async (_, data) => {
    const kernel = new FromKernel({ sha256: [hashes[0]] });
    expect(await kernel.ask(data)).toBeUndefined();
    expect(kernel.sent).toEqual([]);
  });

  it('closes where the server does not have the file, or has another', async () => {
    files.set(WHEELS[0]!.file, COMPILED);
    const ask = { sha256: hashes[0], offset: 0 };
    const opened = { sha256: [hashes[0]] };
    expect(await new FromKernel(opened).ask(ask)).toBeUndefined();
    files.delete(WHEELS[0]!.file);
    expect(await new FromKernel(opened).ask(ask)).toBeUndefined();
  });
});
