import type { GroupingKey } from '@culprit/evidence/events/fingerprint/fingerprint';
import { groupingKeyOf } from '@culprit/evidence/events/fingerprint/fingerprint';
import type { Fingerprinter } from '@culprit/evidence/events/fingerprint/memoized-fingerprint';
import type { NormalizedEvent } from '@culprit/evidence/events/normalize/event';
import { BROWSER_SOURCE, signalSource } from '@culprit/evidence/incidents/source-trust';
import { createMappedKeys, type MapMemory, type MappedKeys } from '../../../maps/lookup/mapped-keys.ts';
import type { Database, Transaction } from '../../../platform/db/database.ts';
import { readClock } from '../../../platform/db/read-clock.ts';
import { finishJobs, type Job, postponeJob } from '../../../platform/jobs/job-queue.ts';
import type { LaneWork } from '../../../platform/jobs/lane.ts';
import type { ObjectStore } from '../../../platform/objects/object-store.ts';
import {
  findGroupingSettings,
  type GroupingSettings,
} from '../../../workspace/projects/grouping-settings.queries.ts';
import { findSampleLocations } from '../../bundles/evidence/bundle-evidence.queries.ts';
import { readEvents } from '../../bundles/evidence/gather-evidence.ts';
import { insertLifecycleEvents } from '../../ledger/lifecycle.queries.ts';
import { explainAnew, mergeInto } from '../grouping/merge-into.ts';
import { findKnownIncidents, incidentKey, lockIncidents } from '../processing/locked-incidents.queries.ts';
import { endWaits, findMapsOfIncident, findRemappable } from './late-maps.queries.ts';
import { insertMapAliases, takeMappedKey } from './mapped-groups.queries.ts';

interface LateMapsOptions {
  database: Database;
  objects: ObjectStore;
  fingerprint: Fingerprinter;
  /** Null where nothing is mapped. */
  maps: MapMemory | null;
}

/** Incidents of one run; those that are left have the next one. */
const INCIDENTS_MAX = 200;
/** The limit of incidents whose samples are in memory together. */
const CHUNK = 16;
const SOURCE_MAPS_TOLD = 5;
const LOOKS_MAX = 4;

/** The lane in which incidents get the maps that came after their events (docs/contract/source-maps.md 5.6). */
export function lateMapsLane(options: LateMapsOptions): LaneWork {
  return {
    claimMax: 1,
    async run(jobs) {
      for (const job of jobs) await remapProject(job, options);
    },
  };
}

async function remapProject(job: Job, options: LateMapsOptions): Promise<void> {
  const { database, maps, fingerprint } = options;
  const projectId = job.fairnessKey;
  const settings = await findGroupingSettings(database, projectId);
  const incidentIds =
    maps === null || settings.mapsVersion === 0
      ? []
      : await findRemappable(database, projectId, INCIDENTS_MAX);
  for (let start = 0; maps !== null && start < incidentIds.length; start += CHUNK) {
    const chunk = incidentIds.slice(start, start + CHUNK);
    const keys = createMappedKeys({ database, memory: maps }, projectId, settings, (event, rules) => {
      const raw = fingerprint(event, rules);
      return raw === null ? null : groupingKeyOf(raw);
    });
    await remapIncidents(chunk, { projectId, settings, keys }, options);
  }
  if (incidentIds.length === INCIDENTS_MAX) await postponeJob(database, job, 0);
  else await database.transaction(async (transaction) => await finishJobs(transaction, [job]));
}

interface Target {
  projectId: string;
  settings: GroupingSettings;
  keys: MappedKeys;
}

/** A sample with the key that it has now. */
interface Remapped {
  event: NormalizedEvent;
  key: GroupingKey;
}

async function remapIncidents(
  incidentIds: readonly string[],
  target: Target,
  { database, objects }: LateMapsOptions,
): Promise<void> {
  const samples = await findSampleLocations(database, incidentIds);
  for (const incidentId of incidentIds) {
    const places = samples.get(incidentId)?.kept ?? [];
    const events = (await readEvents(objects, places)).filter((event) => event !== null);
    const remapped = await keysOf(events, target.keys);
    await database.transaction(
      async (transaction) => await remapIncident(transaction, incidentId, remapped, target),
    );
  }
}

async function keysOf(events: readonly NormalizedEvent[], keys: MappedKeys): Promise<Remapped[]> {
  const made = new Map<NormalizedEvent, GroupingKey>();
  let open = [...events];
  for (let look = 0; look < LOOKS_MAX && open.length > 0; look += 1) {
    if (look > 0) await keys.load();
    open = open.filter((event) => {
      const key = keys.keyOf(event);
      if (key !== null) made.set(event, key);
      return !keys.isComplete();
    });
  }
  return [...made].map(([event, key]) => ({ event, key }));
}

/** Lets an incident continue by its samples' new keys; no count moves. */
async function remapIncident(
  transaction: Transaction,
  incidentId: string,
  remapped: readonly Remapped[],
  { projectId }: Target,
): Promise<void> {
  const state = await findMapsOfIncident(transaction, incidentId);
  endWaits(transaction, projectId, incidentId);
  if (state === null) return;
  const asked = remapped.some(({ key }) => key.mapping !== null);
  if (state.isMerged || !asked) return;
  const mapped = remapped.filter(({ key }) => key.rawKey !== null);
  const leading = leadingKey(mapped);
  if (leading !== null && !state.hasMappedKey) await leadOn(transaction, projectId, incidentId, leading);
  const sourceMapIds = [...new Set(mapped.flatMap(({ key }) => key.mapping?.sourceMapIds ?? []))];
  const frames = Math.max(0, ...mapped.map(({ key }) => key.mapping?.mapped ?? 0));
  if (mapped.length > 0) {
    insertLifecycleEvents(transaction, [
      {
        ...{ projectId, incidentId, kind: 'incident.remapped' },
        data: { mapped: frames, source_map_ids: sourceMapIds.slice(0, SOURCE_MAPS_TOLD) },
      },
    ]);
  }
  await explainAnew(transaction, projectId, incidentId);
}

/** The mapped key of most samples; of two with equally many that of the latest. */
function leadingKey(mapped: readonly Remapped[]): Remapped | null {
  const groups = new Map<string, Remapped[]>();
  for (const each of mapped) {
    const own = groups.get(each.key.value);
    if (own === undefined) groups.set(each.key.value, [each]);
    else own.push(each);
  }
  const latest = (group: readonly Remapped[]) => Math.max(...group.map(({ event }) => event.effectiveAtMs));
  const [first] = [...groups.values()].sort((a, b) => b.length - a.length || latest(b) - latest(a));
  return first?.[0] ?? null;
}

/** Leads a mapped key to an incident, or makes it one with the incident that the key leads to. */
async function leadOn(
  transaction: Transaction,
  projectId: string,
  incidentId: string,
  { event, key }: Remapped,
): Promise<void> {
  const [own] = await lockIncidents(transaction, [incidentId]);
  if (own === undefined) return;
  const isBrowser = signalSource(event.eventType, false) === BROWSER_SOURCE;
  const asked = { serviceId: own.serviceId, version: key.version, value: key.value, isBrowser };
  const known = (await findKnownIncidents(transaction, [asked])).get(incidentKey(asked));
  if (known === undefined) {
    insertMapAliases(transaction, projectId, [{ key: asked, incidentId }], 'mapped');
    await takeMappedKey(transaction, [incidentId]);
    return;
  }
  if (known === incidentId) return;
  await takeMappedKey(transaction, [incidentId, known]);
  const held = await lockIncidents(transaction, [incidentId, known]);
  const [oldest, ...others] = held.toSorted(
    (a, b) => a.state.firstSeenAtMs - b.state.firstSeenAtMs || (a.incidentId < b.incidentId ? -1 : 1),
  );
  if (oldest === undefined || others.length === 0) return;
  const nowMs = await readClock(transaction);
  insertLifecycleEvents(
    transaction,
    await mergeInto(transaction, projectId, { oldest, others, by: { isByMaps: true }, nowMs }),
  );
}
