import { attempt } from '../../sdk-core/src/attempt.ts';
import type { JsonValue } from '../../sdk-core/src/wire.ts';
import { bareUrl } from './failures.ts';
import { selectorOf } from './selector.ts';

/** By the global that they are instances of, the narrower ones first. */
const KINDS: { readonly [name: string]: (value: never) => JsonValue } = {
  Element: selectorOf,
  Node: ({ nodeName }: Node) => `[${nodeName}]`,
  Window: () => '[Window]',
  Event: ({ type }: Event) => `[Event ${type}]`,
  Request: ({ method, url }: Request) => ({ method, url: bareUrl(url) }),
  Response: ({ status }: Response) => ({ status }),
  Blob: ({ size }: Blob) => `[Binary ${size} bytes]`,
  ReadableStream: () => '[Stream]',
};

/** JSON for objects that only a browser has: docs/contract/clients.md 10.2. Of a node only where it is. */
export function describeValue(value: object): JsonValue | undefined {
  for (const name in KINDS) {
    // Not every global has each of them.
    if (attempt(() => value instanceof Reflect.get(globalThis, name))) return KINDS[name]?.(value as never);
  }
  return undefined;
}
