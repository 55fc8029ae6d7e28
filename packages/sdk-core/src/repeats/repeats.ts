import type { JsonObject, JsonValue } from '../wire.ts';
import { fnv1a } from './fnv1a.ts';
import {
  framesOf,
  type KeysOf,
  KIND_MAX,
  type Suppression,
  suppressionKeys,
  tallyIndex,
  WINDOW_MS,
} from './suppression.ts';

const REMEMBERED_MAX = 20;
const KINDS_MAX = 50;
/** The same limit as that of the suppression's keys. */
const MESSAGES_MAX = 500;
const STACK_CHARS_MAX = 8_192;
const MESSAGE_CHARS_MAX = 1_024;

/** The facts that distinguish failures before any part of them is built or cleaned. */
export interface RawFailure {
  target: string | undefined;
  name: string;
  message: string;
  stack: string;
  /** True if only suppression can end a failure with a message that was not seen before. */
  isUnfiltered: boolean;
}

/** The parts that a loop of failures needs, so that one that is only counted need not be built. */
interface Repeats {
  /** Keys of events for the suppression, hashed once for each payload. */
  keysOf: KeysOf;
  /** Returns the fingerprint of such a key. */
  fingerprintOf(key: string): string;
  /** Such a fingerprint as the service gets it. */
  reportedAs(fingerprint: JsonValue | undefined): JsonValue;
  /** Notes what a failure was built to, and whether it was held back. */
  remember(failure: RawFailure, payload: JsonObject, isHeld: boolean): void;
  /** Returns the payload of the last equal failure, which the suppression judges, if that was held back. */
  find(failure: RawFailure): JsonObject | undefined;
  /** Counts a failure whose text is new and whose class lets nothing through at present; false for any other. */
  holdsNew(failure: RawFailure, suppression: Suppression, totalMax: number, nowMs: number): boolean;
}

/** @param hash of a key, in its reported form */
export function createRepeats(hash: (text: string) => string): Repeats {
  const keys = new WeakMap<JsonObject, [equal: string, kind: string]>();
  const held: { failure: RawFailure; payload: JsonObject }[] = [];
  /** Key of a class in the suppression by that of the failures as thrown; null where they do not agree. */
  const kinds = new Map<string, string | null>();
  const messages = new Set<number>();

  const keysOf: KeysOf = (type, payload) => {
    const known = keys.get(payload);
    if (known) return known;
    const texts = suppressionKeys(type, payload);
    if (!texts) return null;
    const hashed: [string, string] = [hash(texts[0]), hash(texts[1])];
    keys.set(payload, hashed);
    return hashed;
  };

  const noteMessage = (index: number) => {
    messages.delete(index);
    messages.add(index);
    removeOldest(messages, MESSAGES_MAX);
  };

  return {
    keysOf,
    fingerprintOf: (key) => key,
    // That of the whole process is no hash yet, so that a start needs none.
    reportedAs: (fingerprint) => (fingerprint === '*' ? hash('*') : (fingerprint ?? null)),
    remember(failure, payload, isHeld) {
      const kind = kindOf(failure);
      const known = kinds.get(kind);
      const key = keysOf('backend_exception', payload)?.[1] ?? null;
      kinds.delete(kind);
      kinds.set(kind, known === undefined || known === key ? key : null);
      removeOldest(kinds, KINDS_MAX);
      noteMessage(messageIndex(failure));
      if (!isHeld || failure.stack.length + failure.message.length > STACK_CHARS_MAX) return;
      const { name, message, stack, request, response } = payload;
      const facts = {
        name,
        message,
        stack,
        request: pick(request, 'path'),
        response: pick(response, 'status_code'),
      };
      held.unshift({ failure, payload: JSON.parse(JSON.stringify(facts)) });
      held.length = Math.min(held.length, REMEMBERED_MAX);
    },
    find: (failure) => held.find((each) => isEqual(each.failure, failure))?.payload,
    holdsNew(failure, { tallies, overallTally: whole }, totalMax, nowMs) {
      if (!failure.isUnfiltered || failure.message.length > MESSAGE_CHARS_MAX) return false;
      const index = messageIndex(failure);
      // A message that was seen has separate counts.
      if (messages.has(index)) return false;
      const key = kinds.get(kindOf(failure));
      const kind = key ? tallies.get(tallyIndex(key)) : undefined;
      if (!key || !kind?.from) return false;
      const isCurrent = ({ from }: { from: number }) => Math.abs(nowMs - from) < WINDOW_MS;
      const isFull = isCurrent(kind) && kind.passed >= KIND_MAX;
      if (!isFull && !(isCurrent(whole) && whole.passed >= totalMax)) return false;
      tallies.delete(tallyIndex(key));
      tallies.set(tallyIndex(key), kind);
      noteMessage(index);
      const full = isFull ? kind : whole;
      if (!full.heldBack++) full.first = nowMs;
      full.last = nowMs;
      return true;
    },
  };
}

function isEqual(a: RawFailure, b: RawFailure): boolean {
  return a.stack === b.stack && a.message === b.message && a.name === b.name && a.target === b.target;
}

/** The class of a failure as thrown. */
function kindOf(failure: RawFailure): string {
  return `${failure.name}\n${framesOf(failure)}`;
}

function messageIndex({ target, message }: RawFailure): number {
  return fnv1a(`${target}\n${message.slice(0, MESSAGE_CHARS_MAX)}`) + message.length * 2 ** 32;
}

function removeOldest(from: Set<unknown> | Map<unknown, unknown>, max: number): void {
  if (from.size <= max) return;
  for (const oldest of from.keys()) {
    from.delete(oldest);
    break;
  }
}

function pick(value: unknown, member: string): unknown {
  return typeof value === 'object' && value !== null ? { [member]: Reflect.get(value, member) } : null;
}
