/**
 * The handshake: what the kernelgate package says of itself and its device.
 *
 * In: JSON from a kernel, not trusted. Out: `IHandshake`, or which side is out
 * of date. Not here: how it is asked for (`kernel/link`).
 */

import { IDevice, IHandshake } from '../tokens';

/** The version of the questions and answers between package and extension. */
export const PROTOCOL = 1;

const MAX_TEXT = 200;
const MAX_OPERATORS = 200;
const DEVICE_KINDS = ['cuda', 'emulated', 'none'] as const;

export type Answer =
  | { readonly kind: 'handshake'; readonly handshake: IHandshake }
  | {
      readonly kind: 'mismatch';
      readonly version: string | null;
      readonly outdated: 'package' | 'extension';
    };

/** The package's answer; null for anything else. */
export function readAnswer(data: unknown): Answer | null {
  if (!isRecord(data) || !isCount(data.protocol)) {
    return null;
  }
  if (data.protocol !== PROTOCOL) {
    return {
      kind: 'mismatch',
      version: isText(data.version) ? data.version : null,
      outdated: data.protocol < PROTOCOL ? 'package' : 'extension'
    };
  }
  const { version, python, torch, compiler, nvcc, operators } = data;
  const device = readDevice(data.device);
  if (
    !isText(version) ||
    !isText(python) ||
    !isTextOrNull(torch) ||
    !isTextOrNull(compiler) ||
    !isTextOrNull(nvcc) ||
    !Array.isArray(operators) ||
    operators.length > MAX_OPERATORS ||
    !operators.every(isText) ||
    device === null
  ) {
    return null;
  }
  return {
    kind: 'handshake',
    handshake: {
      version,
      python,
      torch,
      device,
      compiler,
      nvcc,
      operators,
      isBehindGateway: data.gateway === true
    }
  };
}

function readDevice(data: unknown): IDevice | null {
  if (!isRecord(data)) {
    return null;
  }
  const kind = DEVICE_KINDS.find(known => known === data.kind);
  const memoryTotalBytes = data.memory_total_bytes ?? null;
  const memoryUsedBytes = data.memory_used_bytes ?? null;
  const driver = data.driver ?? null;
  const why = data.why ?? null;
  if (
    kind === undefined ||
    !isText(data.name) ||
    !isCountOrNull(memoryTotalBytes) ||
    !isCountOrNull(memoryUsedBytes) ||
    !isTextOrNull(driver) ||
    !isTextOrNull(why)
  ) {
    return null;
  }
  const name = data.name;
  return { kind, name, memoryTotalBytes, memoryUsedBytes, driver, why };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_TEXT;
}

function isTextOrNull(value: unknown): value is string | null {
  return value === null || isText(value);
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

function isCountOrNull(value: unknown): value is number | null {
  return value === null || isCount(value);
}
