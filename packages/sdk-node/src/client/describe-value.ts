import { types } from 'node:util';

type Described = string | { [key: string]: string | number | null };

const MAX_CHAIN = 8;

/**
 * JSON for objects that only Node knows (docs/contract/clients.md 10.2), undefined for every other. No getter of the
 * host is called: types are read from the internal slots and from the names of the constructors.
 */
export function describeValue(value: object): Described | undefined {
  if (types.isProxy(value)) return '[Proxy]';
  if (types.isPromise(value)) return '[Promise]';
  if (types.isWeakMap(value)) return '[WeakMap]';
  if (types.isWeakSet(value)) return '[WeakSet]';
  if (ArrayBuffer.isView(value) || types.isAnyArrayBuffer(value)) return `[Binary ${value.byteLength} bytes]`;
  if (types.isGeneratorObject(value)) return '[Generator]';
  return describeByName(value);
}

function describeByName(value: object): Described | undefined {
  const names = constructorNames(value);
  for (const name of names) {
    if (name === 'IncomingMessage') return { method: ownText(value, 'method'), url: ownText(value, 'url') };
    if (name === 'ServerResponse') return { status: ownNumber(value, 'statusCode') };
    if (name === 'ClientRequest') {
      return { method: ownText(value, 'method'), url: withoutQuery(ownText(value, 'path')) };
    }
    if (name === 'Request' && value instanceof Request) {
      return { method: value.method, url: withoutQuery(value.url) };
    }
    if (name === 'Response' && value instanceof Response) return { status: value.status };
    if (name === 'Blob' && value instanceof Blob) return `[Binary ${value.size} bytes]`;
    if (STREAMS.has(name)) return '[Stream]';
    if (name === 'WeakRef') return '[WeakRef]';
  }
  return undefined;
}

/** Addresses of calls lose their query everywhere. */
function withoutQuery(address: string | null): string | null {
  return address?.replace(/[?#].*$/s, '') ?? null;
}

const STREAMS = new Set(['Stream', 'ReadableStream', 'WritableStream', 'TransformStream']);

/** Names of the constructors along the prototypes, read without calling anything. */
function constructorNames(value: object): string[] {
  const names: string[] = [];
  let prototype: unknown = Object.getPrototypeOf(value);
  for (let level = 0; level < MAX_CHAIN && isObject(prototype); level++) {
    if (prototype === Object.prototype || prototype === Array.prototype || types.isProxy(prototype)) break;
    const made = ownData(prototype, 'constructor');
    if (typeof made === 'function' && !types.isProxy(made)) {
      const name = ownData(made, 'name');
      if (typeof name === 'string') names.push(name);
    }
    prototype = Object.getPrototypeOf(prototype);
  }
  return names;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function ownData(of: object, name: string): unknown {
  return Object.getOwnPropertyDescriptor(of, name)?.value;
}

function ownText(of: object, name: string): string | null {
  const value = ownData(of, name);
  return typeof value === 'string' ? value : null;
}

function ownNumber(of: object, name: string): number | null {
  const value = ownData(of, name);
  return typeof value === 'number' ? value : null;
}
