import { baseName } from '@culprit/contract/releases/map-words';
import { BROWSER_SOURCE, signalSource } from '@culprit/evidence/incidents/source-trust';
import type { NewWait } from '../../../maps/late/waits.queries.ts';
import type { ServiceEvent } from '../processing/hold-groups.ts';

/** Returns the maps for which incidents wait because of their signals, each map of an incident once. */
export function mapWaits(incidentOf: ReadonlyMap<ServiceEvent, string>): NewWait[] {
  const waits = new Map<string, NewWait>();
  for (const [{ fingerprint, event, isOriginBound }, incidentId] of incidentOf) {
    const mapping = fingerprint !== null && 'mapping' in fingerprint ? fingerprint.mapping : null;
    for (const wait of mapping?.waits ?? []) {
      const name = JSON.stringify([
        incidentId,
        wait.foundBy,
        wait.key,
        wait.foundBy === 'id' ? '' : baseName(wait.file),
      ]);
      const known = waits.get(name);
      const { receivedAtMs } = event;
      if (known === undefined) {
        waits.set(name, {
          ...wait,
          incidentId,
          serviceName: event.service.name,
          isBrowser: signalSource(event.eventType, isOriginBound) === BROWSER_SOURCE,
          ...{ events: 1, firstSeenAtMs: receivedAtMs, lastSeenAtMs: receivedAtMs },
        });
      } else {
        known.events += 1;
        known.firstSeenAtMs = Math.min(known.firstSeenAtMs, receivedAtMs);
        known.lastSeenAtMs = Math.max(known.lastSeenAtMs, receivedAtMs);
      }
    }
  }
  return [...waits.values()];
}
