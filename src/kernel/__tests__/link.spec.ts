import { KernelLink } from '../link';
import { HANDSHAKE, rememberCell } from '../request';
import { FakeSession, H200, settled } from './fakeSession';

describe('KernelLink', () => {
  let link: KernelLink;
  let session: FakeSession;

  beforeEach(() => {
    link = new KernelLink();
    session = new FakeSession();
  });

  afterEach(() => {
    link.dispose();
  });

  /** The panel is in sight, and the session's notebook in front. */
  function look(): void {
    link.standby = false;
    link.session = session.context;
  }

  it('starts without a notebook', () => {
    expect(link.state).toEqual({ kind: 'no-notebook' });
  });

  it('tells no kernel from a starting one', () => {
    session.session = null;
    session.kernelDisplayStatus = 'initializing';
    look();
    expect(link.state.kind).toBe('starting');
    session.kernelDisplayStatus = '';
    session.kernelChanged.emit(null);
    expect(link.state.kind).toBe('no-kernel');
  });

  it('calls no kernel so, also where Lab calls it initializing for good', () => {
    jest.useFakeTimers();
    session.session = null;
    session.hasNoKernel = true;
    session.kernelDisplayStatus = 'initializing';
    look();
    expect(link.state.kind).toBe('starting');
    jest.advanceTimersByTime(5000);
    expect(link.state.kind).toBe('no-kernel');
    jest.useRealTimers();
  });

  it('waits for a kernel that was chosen, however long it starts', () => {
    jest.useFakeTimers();
    session.session = null;
    session.kernelDisplayStatus = 'initializing';
    look();
    jest.advanceTimersByTime(60_000);
    expect(link.state.kind).toBe('starting');
    session.hasNoKernel = true;
    jest.advanceTimersByTime(1000);
    expect(link.state.kind).toBe('no-kernel');
    jest.useRealTimers();
  });

  it('sends nothing to a kernel of another language, and says which', () => {
    session.kernel.name = 'ir';
    look();
    link.refresh();
    expect(link.state).toEqual({ kind: 'other-language', language: 'R' });
    expect(session.asked).toHaveLength(0);
  });

  it('knows a device still where another notebook was in front, while a cell runs', async () => {
    look();
    await session.answer(0, H200);
    link.session = null;
    session.kernel.status = 'busy';
    link.session = session.context;
    expect(link.state.kind).toBe('ready');
    expect(session.asked).toHaveLength(1);
    session.setStatus('idle');
    expect(session.asked).toHaveLength(2);
    session.setStatus('restarting');
    session.setStatus('busy');
    expect(link.state.kind).not.toBe('ready');
  });

  it('asks a kernel that says nothing after it was killed whether it is there, and only in sight', async () => {
    const { requestKernelInfo } = session.kernel;
    look();
    await session.answer(0, H200);
    jest.useFakeTimers();
    session.setStatus('autorestarting');
    session.setStatus('unknown');
    expect(link.state.kind).toBe('starting');
    jest.advanceTimersByTime(10_000);
    expect(requestKernelInfo).toHaveBeenCalledTimes(2);
    expect(link.requests[0]).toMatchObject({ text: 'kernel_info' });

    link.standby = true;
    jest.advanceTimersByTime(60_000);
    expect(requestKernelInfo).toHaveBeenCalledTimes(2);

    link.standby = false;
    jest.useRealTimers();
    expect(session.asked).toHaveLength(1);
    session.presence.resolve(undefined);
    await settled();
    await session.answer(1, H200);
    expect(link.state).toMatchObject({ kind: 'ready', restarted: true });
  });

  it('asks nothing of a kernel that a person restarts, which may not have ended yet', () => {
    jest.useFakeTimers();
    look();
    session.setStatus('restarting');
    jest.advanceTimersByTime(10_000);
    expect(session.kernel.requestKernelInfo).not.toHaveBeenCalled();
    jest.useRealTimers();
  });

  it('asks silently, without history, and knows the device then', async () => {
    look();
    expect(link.state.kind).toBe('asking');
    expect(session.asked[0]).toMatchObject({
      expression: HANDSHAKE,
      content: { code: '', silent: true, store_history: false }
    });
    await session.answer(0, H200);
    expect(link.state).toMatchObject({
      kind: 'ready',
      handshake: { device: { name: 'NVIDIA H200' } }
    });
    expect(link.requests).toMatchObject([
      { text: 'kernelgate.handshake()', outcome: 'done' }
    ]);
  });

  it('sends nothing in standby, whatever happens', async () => {
    link.session = session.context;
    session.setStatus('busy');
    session.setStatus('idle');
    session.setStatus('restarting');
    session.setStatus('idle');
    session.kernelChanged.emit(null);
    await settled();
    expect(session.asked).toHaveLength(0);
    expect(link.state.kind).toBe('unasked');
  });

  it('asks in standby when a person acts', () => {
    link.session = session.context;
    link.refresh();
    expect(session.asked).toHaveLength(1);
  });

  it('asks once, not at every change of status', async () => {
    look();
    await session.answer(0, H200);
    session.setStatus('busy');
    session.setStatus('idle');
    expect(session.asked).toHaveLength(1);
  });

  it('holds its question while a cell runs', async () => {
    session.kernel.status = 'busy';
    look();
    expect(link.state.kind).toBe('waiting');
    expect(session.asked).toHaveLength(0);
    expect(link.requests).toMatchObject([{ outcome: 'queued' }]);
    session.setStatus('idle');
    expect(session.asked).toHaveLength(1);
    expect(link.requests).toMatchObject([{ outcome: 'sent' }]);
  });

  it('drops a held question when the panel is hidden', () => {
    session.kernel.status = 'busy';
    look();
    link.standby = true;
    session.setStatus('idle');
    expect(session.asked).toHaveLength(0);
    expect(link.requests).toMatchObject([{ outcome: 'dropped' }]);
  });

  it.each([
    ['ModuleNotFoundError', { kind: 'missing' }],
    ['AttributeError', { kind: 'mismatch', outdated: 'package' }],
    ['ImportError', { kind: 'failed', message: 'ImportError: no libcuda' }]
  ])('translates %s', async (ename, state) => {
    look();
    await session.raise(0, ename, 'no libcuda');
    expect(link.state).toMatchObject(state);
    expect(link.requests).toMatchObject([{ outcome: 'failed' }]);
  });

  it('says that an answer went to another page where the kernel is done and none has come', async () => {
    jest.useFakeTimers();
    look();
    jest.advanceTimersByTime(60_000);
    expect(link.state.kind).toBe('asking');
    session.asked[0]!.future.onIOPub({ content: { execution_state: 'busy' } });
    jest.advanceTimersByTime(60_000);
    session.asked[0]!.future.onIOPub({ content: { execution_state: 'idle' } });
    jest.advanceTimersByTime(4000);
    expect(link.state.kind).toBe('asking');
    jest.advanceTimersByTime(1000);
    jest.useRealTimers();
    await settled();
    expect(link.state.kind).toBe('answered-elsewhere');
  });

  it('does not believe an answer that is none', async () => {
    look();
    await session.answer(0, { protocol: 1, version: '<b>' });
    expect(link.state.kind).toBe('failed');
  });

  it('says which side is out of date', async () => {
    look();
    await session.answer(0, { protocol: 0, version: '0.0.1' });
    expect(link.state).toEqual({
      kind: 'mismatch',
      version: '0.0.1',
      outdated: 'package'
    });
  });

  it('drops the reply of a kernel that restarted since', async () => {
    look();
    session.setStatus('restarting');
    // Lab says so for the same kernel, when it is connected to it again.
    session.kernelChanged.emit(null);
    expect(link.state.kind).toBe('starting');
    await session.answer(0, H200);
    expect(link.state.kind).toBe('starting');
    session.setStatus('idle');
    expect(session.asked).toHaveLength(2);
    await session.answer(1, H200);
    expect(link.state).toMatchObject({ kind: 'ready', restarted: true });
  });

  it('drops the reply of another notebook', async () => {
    look();
    const other = new FakeSession();
    link.session = other.context;
    await session.answer(0, H200);
    expect(link.state.kind).toBe('asking');
    await other.raise(0, 'ModuleNotFoundError');
    expect(link.state.kind).toBe('missing');
  });

  it('forgets a restart when a cell runs', async () => {
    look();
    session.setStatus('restarting');
    session.setStatus('idle');
    await session.answer(1, H200);
    session.iopubMessage.emit({ header: { msg_type: 'execute_input' } });
    expect(link.state).toMatchObject({ kind: 'ready', restarted: false });
    expect(link.isBusy).toBe(true);
  });

  it('does not call its own request a running cell', async () => {
    look();
    session.setStatus('busy');
    expect(link.isBusy).toBe(false);
    session.setStatus('idle');
    await session.answer(0, H200);
    session.setStatus('busy');
    expect(link.isBusy).toBe(true);
  });

  it('knows a dead kernel', () => {
    look();
    session.setStatus('dead');
    expect(link.state.kind).toBe('dead');
  });

  it('says nothing after it is disposed', async () => {
    look();
    const heard = jest.fn();
    link.changed.connect(heard);
    link.dispose();
    await session.answer(0, H200);
    expect(heard).not.toHaveBeenCalled();
  });

  it('lists no more than fifty requests', () => {
    link.session = session.context;
    for (let n = 0; n < 60; n++) {
      link.refresh();
    }
    expect(link.requests).toHaveLength(50);
  });

  describe('rememberCell', () => {
    it('hands over id and text, and lists the request without the text', async () => {
      const done = link.rememberCell(session.context, 'ab-1', 'x = 1');
      expect(session.asked[0]?.expression).toBe(rememberCell('ab-1', 'x = 1'));
      await session.reply(0, { status: 'ok', data: { 'text/plain': 'None' } });
      await expect(done).resolves.toBeUndefined();
      expect(link.requests).toMatchObject([
        { text: 'kernelgate.remember_cell(…)', outcome: 'done' }
      ]);
    });

    it('is done where the kernel is, also if its answer went to another page', async () => {
      jest.useFakeTimers();
      const done = link.rememberCell(session.context, 'ab-1', 'x = 1');
      session.asked[0]!.future.onIOPub({
        content: { execution_state: 'idle' }
      });
      jest.advanceTimersByTime(5000);
      jest.useRealTimers();
      await expect(done).resolves.toBeUndefined();
    });

    it('rejects with the words of Python', async () => {
      const done = link.rememberCell(session.context, 'ab-1', 'x = 1');
      void session.raise(0, 'ModuleNotFoundError', "No module named 'x'");
      await expect(done).rejects.toMatchObject({
        ename: 'ModuleNotFoundError',
        message: "No module named 'x'"
      });
    });

    it('refuses a cell of more than a million characters', async () => {
      const source = 'x'.repeat(1_000_001);
      await expect(
        link.rememberCell(session.context, 'ab-1', source)
      ).rejects.toMatchObject({ ename: 'TooLarge' });
      expect(session.asked).toHaveLength(0);
    });
  });
});
