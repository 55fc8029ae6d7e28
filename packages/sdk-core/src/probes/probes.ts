import type { Directive, JsonObject } from '../wire.ts';
import { activationId, type Directives, meetsLabel } from './directives.ts';
import type { ProbeRing } from './probe-ring.ts';

const EVENTS_A_MINUTE = 100;

interface ProbeSettings {
  now(): number;
  ring: ProbeRing;
  directives: Directives;
  /** Returns true if probe events are sent on their own: the policy is `standalone_when_activated`. */
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
  const { directives, isStandalone, ring } = settings;
  let minute = 0;
  let emitted = 0;

  const emit = (label: string, data: JsonObject, { activation_id, label_pattern }: Directive) => {
    const current = Math.floor(settings.now() / 60_000);
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
      // The cost of a dormant probe.
      if (isHeavy && !directives.size && !triggers.length) return;
      const name = ring.labelOf(label);
      const matching = [
        ...directives.matching(name),
        ...triggers.filter(({ label_pattern }) => meetsLabel(label_pattern, name)),
      ];
      const isAsked = matching.length > 0;
      if (isHeavy && !isAsked) return;
      // A function is called when an exception takes the ring, unless a directive wants it now.
      const data = isAsked ? ring.read(value) : value;
      const isSent = isAsked && isStandalone();
      if (!isHeavy || !isSent) ring.remember(name, data, scope);
      if (isSent) for (const each of matching) emit(name, data as JsonObject, each);
    },
    take: ring.take,
  };
}

const NONE: readonly Directive[] = [];
