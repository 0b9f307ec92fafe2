import { readAnswer } from '../handshake';
import { EMULATED, H200 } from './fakeSession';

describe('readAnswer', () => {
  it('reads a device with its memory', () => {
    expect(readAnswer(H200)).toMatchObject({
      kind: 'handshake',
      handshake: {
        version: '0.1.0',
        device: { kind: 'cuda', memoryTotalBytes: 141e9, driver: '580.65' }
      }
    });
  });

  it('reads an emulated device, whose figures are unknown', () => {
    expect(readAnswer(EMULATED)).toMatchObject({
      kind: 'handshake',
      handshake: { nvcc: null, device: { memoryTotalBytes: null } }
    });
  });

  it('reads that a gateway has started the kernel; an older package does not say', () => {
    const isBehindGateway = (data: object) => {
      const answer = readAnswer(data);
      return answer?.kind === 'handshake' && answer.handshake.isBehindGateway;
    };
    expect(isBehindGateway({ ...H200, gateway: true })).toBe(true);
    expect(isBehindGateway(H200)).toBe(false);
  });

  it('says which side is out of date', () => {
    expect(readAnswer({ ...H200, protocol: 0 })).toEqual({
      kind: 'mismatch',
      version: '0.1.0',
      outdated: 'package'
    });
    expect(readAnswer({ protocol: 2, version: 9 })).toEqual({
      kind: 'mismatch',
      version: null,
      outdated: 'extension'
    });
  });

  it.each([
    ['nothing', undefined],
    ['a list', []],
    ['no protocol', { ...H200, protocol: undefined }],
    ['NaN as protocol', { ...H200, protocol: NaN }],
    ['a number as version', { ...H200, version: 1 }],
    ['a novel as version', { ...H200, version: 'x'.repeat(201) }],
    ['no device', { ...H200, device: null }],
    ['an unknown device', { ...H200, device: { ...H200.device, kind: 'tpu' } }],
    [
      'negative memory',
      { ...H200, device: { ...H200.device, memory_total_bytes: -1 } }
    ],
    ['operators that are no texts', { ...H200, operators: [{}] }],
    ['too many operators', { ...H200, operators: Array(201).fill('x') }]
  ])('refuses %s', (_, data) => {
    expect(readAnswer(data)).toBeNull();
  });
});
