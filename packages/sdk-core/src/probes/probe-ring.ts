import { type Cleaner, isJsonObject } from '../redaction/clean.ts';
import type { JsonObject } from '../wire.ts';

const LABELS_MAX = 50;
const ENTRIES_MAX = 10;
const LABEL_CHARS_MAX = 200;
/** For the host's functions that one exception calls; the rest of them is not called. A pause is no work of theirs. */
const FUNCTIONS_MS = 100;
const PAUSE_MS = 40;
const UNREADABLE = '[Unreadable]';

interface ProbeEntry {
  label: string;
  atMs: number;
  /** The unit of work it was made in. */
  scope: object | null;
  data: JsonObject | (() => unknown);
}

/** The values that probes have seen, for the next exception (docs/contract/clients.md 2.4). */
export interface ProbeRing {
  /** Returns a label in its stored form. */
  labelOf(label: unknown): string;
  /** A value as JSON; a function is called. */
  read(value: unknown): JsonObject;
  /** Keeps a value of now. A function is called when an exception takes it. */
  remember(label: string, value: unknown, scope: object | null): void;
  /** `probe_data` of an exception: the entries of its scope and those of none, oldest first; null when there are none. */
  take(scope: object | null): JsonObject | null;
}

export function createProbeRing(settings: { now(): number; startCleaner(): Cleaner }): ProbeRing {
  const { now, startCleaner } = settings;
  const rings = new Map<string, ProbeEntry[]>();
  let msLeft = 0;

  const compute = (value: unknown): JsonObject => {
    let read = value;
    if (typeof value === 'function') {
      const startMs = now();
      try {
        read = msLeft > 0 ? value() : UNREADABLE;
      } catch {
        read = UNREADABLE;
      }
      msLeft -= Math.min(now() - startMs, PAUSE_MS);
    }
    const cleaned = startCleaner().value(read, undefined, 3, 20);
    return isJsonObject(cleaned) ? cleaned : { value: cleaned };
  };

  const read = (value: unknown): JsonObject => {
    msLeft = FUNCTIONS_MS;
    return compute(value);
  };

  return {
    labelOf: (label) => String(label).slice(0, LABEL_CHARS_MAX),
    read,
    remember(label, value, scope) {
      const data = typeof value === 'function' ? () => value() : read(value);
      const ring = rings.get(label) ?? [];
      if (rings.size < LABELS_MAX) rings.set(label, ring);
      ring.push({ label, atMs: now(), scope, data });
      if (ring.length > ENTRIES_MAX) ring.shift();
    },
    take(scope) {
      const taken: ProbeEntry[] = [];
      for (const [label, ring] of rings) {
        const rest = ring.filter((entry) => entry.scope && entry.scope !== scope);
        taken.push(...ring.filter((entry) => !rest.includes(entry)));
        rings.set(label, rest);
        if (!rest.length) rings.delete(label);
      }
      taken.sort((a, b) => a.atMs - b.atMs);
      msLeft = FUNCTIONS_MS;
      const items = taken.map(({ label, atMs, data }) => ({
        label,
        data: typeof data === 'function' ? compute(data) : data,
        timestamp: new Date(atMs).toISOString(),
        activation_id: null,
      }));
      return items[0] ? { version: 1, items } : null;
    },
  };
}
