import { type Cleaner, isJsonObject } from './clean.ts';
import { activationId, type Directives, meetsLabel } from './directives.ts';
import type { Directive, JsonObject } from './wire.ts';

const LABELS_MAX = 50;
const ENTRIES_MAX = 10;
const LABEL_CHARS_MAX = 200;
const EVENTS_A_MINUTE = 100;
/** For the host's functions that one exception calls; the rest of them is not called. A pause is no work of theirs. */
const FUNCTIONS_MS = 100;
const PAUSE_MS = 40;

interface ProbeEntry {
  label: string;
  atMs: number;
  /** The unit of work it was made in. */
  scope: object | null;
  data: JsonObject | (() => unknown);
}

export interface ProbeSettings {
  now(): number;
  startCleaner(): Cleaner;
  directives: Directives;
  /** Whether probe events are sent on their own: the policy is `standalone_when_activated`. */
  isStandalone(): boolean;
  /** Emits one `probe_event`. */
  emit(payload: JsonObject): void;
}

export interface Probes {
  /** @param triggers directives of a trigger token that are in force for the scope */
  probe(
    label: string,
    value: unknown,
    options?: { heavy?: boolean | undefined } | undefined,
    scope?: object | null,
    triggers?: readonly Directive[],
  ): void;
  /** `probe_data` of an exception: the entries of its scope and those of none, oldest first; null when there are none. */
  take(scope: object | null): JsonObject | null;
}

/** Rings of what probes have seen, and probe events while a directive or trigger asks (docs/contract/clients.md 2.4). */
export function createProbes(settings: ProbeSettings): Probes {
  const { directives, now, startCleaner, isStandalone } = settings;
  const rings = new Map<string, ProbeEntry[]>();
  let minute = 0;
  let emitted = 0;
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

  const remember = (label: string, data: ProbeEntry['data'], scope: object | null) => {
    const ring = rings.get(label) ?? [];
    if (rings.size < LABELS_MAX) rings.set(label, ring);
    ring.push({ label, atMs: now(), scope, data });
    if (ring.length > ENTRIES_MAX) ring.shift();
  };

  const emit = (label: string, data: JsonObject, { activation_id, label_pattern }: Directive) => {
    const current = Math.floor(now() / 60_000);
    if (current !== minute) emitted = 0;
    minute = current;
    emitted += 1;
    if (emitted > EVENTS_A_MINUTE) return;
    settings.emit({
      label,
      data,
      activation_id: activationId(activation_id),
      probe_label_pattern: label_pattern,
    });
  };

  return {
    probe(label, value, options, scope = null, triggers = NONE) {
      const isHeavy = options?.heavy === true;
      // What a dormant probe costs.
      if (isHeavy && !directives.size && !triggers.length) return;
      const name = String(label).slice(0, LABEL_CHARS_MAX);
      const matching = [
        ...directives.matching(name),
        ...triggers.filter(({ label_pattern }) => meetsLabel(label_pattern, name)),
      ];
      const isAsked = matching.length > 0;
      if (isHeavy && !isAsked) return;
      // A function is called when an exception takes the ring, unless a directive wants it now.
      msLeft = FUNCTIONS_MS;
      const data = isAsked || typeof value !== 'function' ? compute(value) : () => value();
      const isSent = isAsked && isStandalone();
      if (!isHeavy || !isSent) remember(name, data, scope);
      if (isSent && typeof data !== 'function') for (const each of matching) emit(name, data, each);
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

const UNREADABLE = '[Unreadable]';
const NONE: readonly Directive[] = [];
