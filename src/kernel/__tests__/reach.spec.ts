import { ServerConnection } from '@jupyterlab/services';

import { KernelLink } from '../link';
import { answers, ServerWatch } from '../reach';
import { FakeSession } from './fakeSession';

describe('ServerWatch', () => {
  let isThere: boolean;
  let asked: number;
  let watch: ServerWatch;
  const changed = jest.fn();

  beforeEach(() => {
    jest.useFakeTimers();
    changed.mockClear();
    isThere = true;
    asked = 0;
    watch = new ServerWatch(() => {
      asked++;
      return Promise.resolve(isThere);
    });
    watch.changed.connect(changed);
  });

  afterEach(() => {
    watch.dispose();
    jest.useRealTimers();
  });

  it('asks nothing while nobody waits for news', async () => {
    await jest.advanceTimersByTimeAsync(60_000);
    watch.isWanted = true;
    watch.isWanted = false;
    await jest.advanceTimersByTimeAsync(2_000);
    const before = asked;
    await jest.advanceTimersByTimeAsync(60_000);
    expect(asked).toBe(before);
    expect(before).toBeLessThan(2);
  });

  it('says within five seconds that the server is gone, and that it is back', async () => {
    watch.isWanted = true;
    await jest.advanceTimersByTimeAsync(10_000);
    expect(changed).not.toHaveBeenCalled();
    isThere = false;
    await jest.advanceTimersByTimeAsync(5_000);
    expect(watch.isReachable).toBe(false);
    watch.isWanted = false;
    isThere = true;
    await jest.advanceTimersByTimeAsync(5_000);
    expect(watch.isReachable).toBe(true);
    expect(changed).toHaveBeenCalledTimes(2);
  });

  it('does not mind one failure', async () => {
    watch.isWanted = true;
    isThere = false;
    await jest.advanceTimersByTimeAsync(2_100);
    isThere = true;
    await jest.advanceTimersByTimeAsync(10_000);
    expect(changed).not.toHaveBeenCalled();
  });

  it('is asked while the panel is in sight or a cell runs, and then only', async () => {
    const session = new FakeSession();
    const link = new KernelLink(watch);
    link.session = session.context;
    await jest.advanceTimersByTimeAsync(10_000);
    expect(asked).toBe(0);
    session.setStatus('busy');
    isThere = false;
    await jest.advanceTimersByTimeAsync(5_000);
    expect(link.state).toEqual({ kind: 'unreachable' });
    isThere = true;
    session.setStatus('idle');
    await jest.advanceTimersByTimeAsync(5_000);
    expect(link.state.kind).not.toBe('unreachable');
    link.dispose();
  });
});

describe('answers', () => {
  const settings = (reply: () => Promise<Response>) =>
    ServerConnection.makeSettings({ baseUrl: 'http://h/', fetch: reply });
  const ask = (reply: () => Promise<Response>) =>
    answers(settings(reply), new AbortController().signal);
  const status = (code: number) => () =>
    Promise.resolve({ status: code } as Response);

  it('takes a refusal for an answer, and no news of a gateway for none', async () => {
    await expect(ask(status(200))).resolves.toBe(true);
    await expect(ask(status(403))).resolves.toBe(true);
    await expect(ask(status(503))).resolves.toBe(false);
    const gone = () => Promise.reject(new TypeError('Failed to fetch'));
    await expect(ask(gone)).resolves.toBe(false);
  });

  it('is no use of the server, which may be stopped when nobody uses it', async () => {
    const reply = jest.fn(status(200));
    await ask(reply);
    const [request] = reply.mock.calls[0] as unknown as [Request];
    expect(request.url).toContain('no_track_activity=1');
  });
});
