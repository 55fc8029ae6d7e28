import type { CorrelatedEvidence } from '../bundles/evidence/bundle-evidence.ts';
import { compareText } from '../bundles/evidence/choose-evidence.ts';
import { CONTEXT_CANDIDATES_MAX, CONTEXT_LOOKUPS } from '../bundles/evidence/context-lookups.ts';
import type { EventType } from '../events/normalize/event.ts';
import type { JudgedEvent } from '../incidents/judge-event.ts';

/** The place where an event can be read again. */
export interface EventSource {
  /** Index of its file. */
  file: number;
  position: number;
}

/** The facts that are remembered of each event: enough to find it around another one. */
interface EventEntry {
  eventId: string;
  eventType: EventType;
  environment: string;
  serviceId: string;
  effectiveAtMs: number;
  receivedAtMs: number;
  /** The incident that counts it. */
  incidentId: string | null;
  source: EventSource;
}

/** The primary event of an incident, as its context is looked for. */
interface ContextCenter {
  incidentId: string;
  environment: string;
  serviceId: string;
  effectiveAtMs: number;
  hashes: JudgedEvent['hashes'];
}

/** Events by what they share; what the queries over the events table are to the server. */
export interface ContextIndex {
  add(entry: EventEntry, hashes: JudgedEvent['hashes']): void;
  /** Events around a primary one, each once, by the first relation that finds it. */
  find(center: ContextCenter): { entry: EventEntry; relation: CorrelatedEvidence['relation'] }[];
}

/** An event is received at most this time before the time it is believed to have (docs/contract/incidents.md 5.2). */
const EARLY_MAX_MS = 10 * 60_000;

export function createContextIndex(): ContextIndex {
  const entries: Record<CorrelatedEvidence['relation'], Map<string | bigint, EventEntry[]>> = {
    trace: new Map(),
    request: new Map(),
    session: new Map(),
    // The service alone joins events of pages with incidents of servers.
    joined: new Map(),
    time: new Map(),
  };

  function addTo(relation: CorrelatedEvidence['relation'], key: string | bigint | null, entry: EventEntry) {
    if (key === null) return;
    const known = entries[relation].get(key);
    if (known === undefined) entries[relation].set(key, [entry]);
    else known.push(entry);
  }

  return {
    add(entry, hashes) {
      for (const [relation, key] of keysOf(entry.serviceId, hashes)) addTo(relation, key, entry);
    },
    find(center) {
      const found = new Map<string, { entry: EventEntry; relation: CorrelatedEvidence['relation'] }>();
      const keys = new Map(keysOf(center.serviceId, center.hashes));
      for (const { relation, beforeMs, afterMs, types, isOfJobs } of CONTEXT_LOOKUPS) {
        // The service alone watches jobs.
        if (isOfJobs) continue;
        const key = keys.get(relation) ?? null;
        if (key === null) continue;
        const fromMs = center.effectiveAtMs - beforeMs;
        const toMs = center.effectiveAtMs + afterMs;
        const near = (entries[relation].get(key) ?? []).filter(
          (entry) =>
            entry.environment === center.environment &&
            entry.incidentId !== center.incidentId &&
            types.includes(entry.eventType) &&
            entry.effectiveAtMs >= fromMs &&
            entry.effectiveAtMs <= toMs &&
            entry.receivedAtMs >= fromMs - EARLY_MAX_MS,
        );
        near.sort((a, b) => distance(a, center) - distance(b, center) || compareText(a.eventId, b.eventId));
        for (const entry of near.slice(0, CONTEXT_CANDIDATES_MAX)) {
          if (!found.has(entry.eventId)) found.set(entry.eventId, { entry, relation });
        }
      }
      return [...found.values()];
    },
  };
}

/** Returns the keys that each relation compares; neighbors in time only if nothing names a trace or a request. */
function keysOf(
  serviceId: string,
  { trace, request, session }: JudgedEvent['hashes'],
): [CorrelatedEvidence['relation'], string | bigint | null][] {
  return [
    ['trace', trace],
    ['request', request],
    ['session', session],
    ['time', trace === null && request === null ? serviceId : null],
  ];
}

function distance(entry: EventEntry, center: ContextCenter): number {
  return Math.abs(entry.effectiveAtMs - center.effectiveAtMs);
}
