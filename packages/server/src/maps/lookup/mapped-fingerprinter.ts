import { fingerprintEvent } from '@culprit/evidence/events/fingerprint/fingerprint';
import type { Fingerprint } from '@culprit/evidence/events/fingerprint/sealed-fingerprint';
import type { NormalizedEvent } from '@culprit/evidence/events/normalize/event';
import type { Database } from '../../platform/db/database.ts';
import type { GroupingSettings } from '../../workspace/projects/grouping-settings.queries.ts';
import { mapContextOf, openMapSession } from './map-session.ts';
import type { MapMemory } from './mapped-keys.ts';

/** Deployments say which release a name is of, names say which map, maps say the place. */
const LOOKS_MAX = 3;

/**
 * Fingerprints of events with what source maps say of their frames and the original lines around them, everything that
 * they need being loaded. Rejects with ObjectStoreUnavailableError.
 * @param options.raw of events as they were sent
 */
export async function mappedFingerprinter(
  options: {
    database: Database;
    /** Null where nothing is mapped. */
    memory: Pick<MapMemory, 'forms' | 'names'> | null;
    projectId: string;
    settings: GroupingSettings;
    raw: (event: NormalizedEvent) => Fingerprint | null;
  },
  events: readonly NormalizedEvent[],
): Promise<(event: NormalizedEvent) => Fingerprint | null> {
  const { database, memory, projectId, settings, raw } = options;
  if (memory === null || settings.mapsVersion === 0) return raw;
  const { mapsVersion, showsSource, stackRules } = settings;
  const session = openMapSession({ ...memory, database, projectId, mapsVersion, hasLines: showsSource });
  const made = new Map<NormalizedEvent, Fingerprint | null>();
  let open = [...events];
  for (let look = 0; look <= LOOKS_MAX && open.length > 0; look += 1) {
    if (look > 0) await session.load();
    open = open.filter((event) => {
      const plain = raw(event);
      const context =
        plain?.chain.some(({ frames }) => frames.length > 0) === true ? mapContextOf(event) : null;
      if (context === null) {
        made.set(event, plain);
        return false;
      }
      const places = session.placesOf(context);
      made.set(event, fingerprintEvent(event, stackRules, places.lookUp));
      return !places.isComplete();
    });
  }
  return (event) => made.get(event) ?? null;
}
