import { isError } from '../../../sdk-core/src/redaction/read-error.ts';
import type { Unit } from '../scope/scopes.ts';

interface Owner {
  kind: Unit['kind'] | 'thread';
  family: object;
  /** By which the client recognizes the failure; null if a thread has reported it. */
  source: object | null;
}

/**
 * Finds whose failure an Error is (docs/contract/clients.md 4.3). The same Error is usually one failure, however often it
 * is captured. But a program may keep one, such as that of a rejected promise of a connection, and each request that
 * meets it fails anew.
 */
export class ErrorOwners {
  readonly #owners = new WeakMap<object, Owner>();

  /** Returns what distinguishes this failure; undefined for what is no Error, null if a thread has reported it. */
  sourceOf(error: unknown, unit: Unit): object | null | undefined {
    if (!isError(error)) return undefined;
    const owner = this.#owners.get(error);
    const { kind, family } = unit;
    if (owner === undefined) {
      this.#owners.set(error, { kind, family, source: error });
      return error;
    }
    if (owner.family === family || kind === 'process') return owner.source;
    // A job or a thread has failed, and the first unit that waited for its result fails with it.
    const isSame = owner.kind !== kind;
    const source = isSame ? owner.source : {};
    if (isSame) unit.isTold = true;
    this.#owners.set(error, { kind, family, source });
    return source;
  }

  leaveToThread(error: unknown): void {
    if (isError(error)) this.#owners.set(error, { kind: 'thread', family: {}, source: null });
  }
}
