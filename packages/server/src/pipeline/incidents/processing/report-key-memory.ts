import { type ReportKey, reportKeyText } from '@culprit/evidence/incidents/suppressed-report';

/**
 * Keys of reports that a thread wrote lately, so that an error that repeats writes none. It holds what was committed;
 * another worker may have written one of them for another incident since, so each is dropped after an hour.
 */
export interface ReportKeyMemory {
  /** Returns the keys that are not known for their incidents. */
  unknown<Key extends ReportKey>(keys: readonly Key[], nowMs: number): Key[];
  /** The keys were written, and the transaction committed. */
  note(keys: readonly ReportKey[], nowMs: number): void;
}

const KNOWN_FOR_MS = 3_600_000;

export function createReportKeyMemory(entriesMax: number): ReportKeyMemory {
  const kept = new Map<string, { incidentId: string; atMs: number }>();

  return {
    unknown(keys, nowMs) {
      return keys.filter(({ serviceId, clientKey, incidentId }) => {
        const text = reportKeyText(serviceId, clientKey);
        const entry = kept.get(text);
        if (entry === undefined) return true;
        // Keys that are used again stay longer than those that occurred once.
        kept.delete(text);
        if (entry.incidentId !== incidentId || Math.abs(nowMs - entry.atMs) >= KNOWN_FOR_MS) return true;
        kept.set(text, entry);
        return false;
      });
    },
    note(keys, nowMs) {
      for (const { serviceId, clientKey, incidentId } of keys) {
        const text = reportKeyText(serviceId, clientKey);
        kept.delete(text);
        kept.set(text, { incidentId, atMs: nowMs });
      }
      for (const oldest of kept.keys()) {
        if (kept.size <= entriesMax) break;
        kept.delete(oldest);
      }
    },
  };
}
