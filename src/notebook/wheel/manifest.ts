/**
 * The wheels that the built extension carries, as scripts/wheels.py lists them.
 *
 * In: the extension's own static folder on the Jupyter server, asked when a
 * person presses, or a cell that they ran asks. Out: `IWheel`, and a wheel's
 * bytes. What is listed becomes code in a cell, so each field is checked.
 */

/** Where webpack found that the scripts lie; it writes the address in here. */
declare const __webpack_public_path__: string;

export interface IWheel {
  readonly file: string;
  readonly name: string;
  readonly version: string;
  readonly bytes: number;
  readonly sha256: string;
  /** Of which Python it is, as that calls itself (SOABI); null for any. */
  readonly abi: string | null;
}

const FORMS: Readonly<Record<string, RegExp>> = {
  file: /^[\w.-]+\.whl$/,
  name: /^\w+$/,
  version: /^[\w.]+$/,
  sha256: /^[0-9a-f]{64}$/
};

const ABI = /^[\w-]+$/;

/** Rejects where the server does not answer, or the list is not one. */
export async function loadWheels(): Promise<readonly IWheel[]> {
  const list: unknown = await (await get('manifest.json')).json();
  if (!Array.isArray(list) || !list.every(isWheel)) {
    throw new Error('The list of wheels cannot be read');
  }
  return list;
}

/** Rejects where the server does not answer, or has another file by now. */
export async function loadBytes(wheel: IWheel): Promise<Uint8Array> {
  const bytes = new Uint8Array(await (await get(wheel.file)).arrayBuffer());
  if (bytes.length !== wheel.bytes) {
    throw new Error('The wheel has another length');
  }
  return bytes;
}

/** A rebuilt wheel has the same name: the server is asked whether it is the same. */
async function get(name: string): Promise<Response> {
  const folder = new URL(__webpack_public_path__, document.baseURI);
  const response = await fetch(new URL(`wheels/${name}`, folder).href, {
    cache: 'no-cache'
  });
  if (!response.ok) {
    throw new Error(`${response.status} for ${name}`);
  }
  return response;
}

function isWheel(data: unknown): data is IWheel {
  if (typeof data !== 'object' || data === null) {
    return false;
  }
  const fields = data as Record<string, unknown>;
  const { abi } = fields;
  return (
    Number.isSafeInteger(fields.bytes) &&
    Object.entries(FORMS).every(([key, form]) => fits(fields[key], form)) &&
    (abi === null || fits(abi, ABI))
  );
}

function fits(value: unknown, form: RegExp): boolean {
  return typeof value === 'string' && form.test(value);
}
