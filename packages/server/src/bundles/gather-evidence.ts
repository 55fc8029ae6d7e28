import { DamagedObjectError, decodeRecords } from '../events/batch-object.ts';
import type { NormalizedEvent } from '../events/event.ts';
import type { Fingerprint } from '../events/fingerprint/fingerprint-v1.ts';
import { isJsonObject } from '../events/json.ts';
import { normalizeEvent } from '../events/normalize-event.ts';
import { SEVERITIES } from '../events/severity.ts';
import type { Database } from '../platform/db/database.ts';
import { prefixedId } from '../platform/ids.ts';
import { ObjectMissingError, type ObjectStore } from '../platform/objects/object-store.ts';
import {
  type BundleIncident,
  type EventPlace,
  findBundleDeployments,
  findBundleIncident,
  findContextPlaces,
  findSamplePlaces,
} from './bundle-evidence.queries.ts';
import type { BundleEvidence, FingerprintKind, SampleEvidence } from './bundle-evidence.ts';
import type { LostBodies } from './keep-lost-contents.ts';

export interface GatherOptions {
  database: Database;
  objects: ObjectStore;
  fingerprint: (event: NormalizedEvent) => Fingerprint | null;
  constants: { baseUrl: string; appUrl: string };
}

/**
 * Evidence of an incident with the row it was read from, and which of its correlated events are occurrences of other
 * incidents; `expired` when no sampled occurrence can be read any more.
 */
export type Gathered =
  | {
      kind: 'gathered';
      evidence: BundleEvidence;
      incident: BundleIncident;
      signalIds: Set<string>;
      lost: LostBodies;
    }
  | { kind: 'expired' }
  | { kind: 'gone' };

/** Frames read for one bundle at a time. */
const READS_AT_ONCE = 8;

/** Reads everything a bundle is made of (incidents.md 3.3). Nothing is written. */
export async function gatherEvidence(
  incidentId: string,
  generationNumber: number,
  options: GatherOptions,
): Promise<Gathered> {
  const { database } = options;
  const incident = await findBundleIncident(database, incidentId);
  if (incident === null) return { kind: 'gone' };
  const { projectId, serviceName: name, environment } = incident;
  const { kept: samplePlaces, lost } = await findSamplePlaces(database, incidentId);
  const sampleEvents = await readEvents(options.objects, samplePlaces);
  const deployments = await findBundleDeployments(
    database,
    { projectId, name, environment },
    sampleEvents.flatMap((event) => (event === null ? [] : [event.effectiveAtMs])),
  );
  const samples: SampleEvidence[] = [];
  samplePlaces.forEach((place, index) => {
    const event = sampleEvents[index];
    if (event === null || event === undefined) return;
    const fingerprint = options.fingerprint(event);
    samples.push({
      event,
      severity: SEVERITIES[place.severity] ?? 'low',
      roles: place.roles,
      chain: fingerprint?.chain ?? [],
      applicationFrame: fingerprint?.applicationFrame ?? null,
      deployVersion: deployments.find((each) => each.deployedAtMs <= event.effectiveAtMs)?.version ?? null,
    });
  });
  const primary = samples.find((sample) => sample.roles.includes('highest_severity')) ?? samples[0];
  if (primary === undefined) return { kind: 'expired' };

  const contextPlaces = await findContextPlaces(database, {
    projectId,
    incidentId,
    serviceId: incident.serviceId,
    environment,
    atMs: primary.event.effectiveAtMs,
    traceId: primary.event.correlation.traceId,
    requestId: primary.event.correlation.requestId,
    sessionId: primary.event.correlation.sessionId,
  });
  const contextEvents = await readEvents(options.objects, contextPlaces);
  const correlated = contextPlaces.flatMap(({ relation }, index) => {
    const event = contextEvents[index];
    return event === null || event === undefined ? [] : [{ event, relation }];
  });
  return {
    kind: 'gathered',
    incident,
    lost: {
      eventIds: new Set(lost.map(({ eventId }) => eventId)),
      isPrimaryLost: lost.some(({ roles }) => roles.includes('highest_severity')),
    },
    signalIds: new Set(contextPlaces.flatMap((place) => (place.isSignal ? [place.eventId] : []))),
    evidence: {
      incident: incidentEvidence(incidentId, incident),
      project: { slug: incident.projectSlug },
      samples,
      correlated,
      deployments,
      constants: options.constants,
      generationNumber,
    },
  };
}

/** Reads events back by frame, each frame once; null for those whose object is gone or damaged. */
export async function readEvents(
  objects: ObjectStore,
  places: readonly EventPlace[],
): Promise<(NormalizedEvent | null)[]> {
  const byFrame = new Map<string, number[]>();
  places.forEach((place, index) => {
    const key = `${place.objectKey} ${place.frameOffset}`;
    const members = byFrame.get(key);
    if (members === undefined) byFrame.set(key, [index]);
    else members.push(index);
  });
  const events: (NormalizedEvent | null)[] = new Array(places.length).fill(null);
  const frames = [...byFrame.values()];
  for (let start = 0; start < frames.length; start += READS_AT_ONCE) {
    await Promise.all(
      frames.slice(start, start + READS_AT_ONCE).map(async (members) => {
        for (const [index, event] of await readFrame(objects, places, members)) events[index] = event;
      }),
    );
  }
  return events;
}

async function readFrame(
  objects: ObjectStore,
  places: readonly EventPlace[],
  members: readonly number[],
): Promise<[number, NormalizedEvent][]> {
  const first = places[members[0] ?? -1];
  if (first === undefined) return [];
  const read: [number, NormalizedEvent][] = [];
  try {
    const frame = await objects.getRange(first.objectKey, first.frameOffset, first.frameLength);
    const wanted = members.flatMap((index) => {
      const place = places[index];
      return place === undefined ? [] : [{ index, place }];
    });
    const records = await decodeRecords(
      frame,
      wanted.map(({ place }) => place.recordOffset),
    );
    records.forEach((record, at) => {
      const raw: unknown = JSON.parse(record.eventBytes.toString('utf8'));
      const target = wanted[at];
      if (target === undefined || !isJsonObject(raw)) return;
      const { eventId, receivedAtMs } = target.place;
      read.push([target.index, normalizeEvent(raw, { eventId, receivedAtMs })]);
    });
  } catch (error) {
    // Neither comes back by trying again; a bundle is made of what is left.
    if (!(error instanceof ObjectMissingError) && !(error instanceof DamagedObjectError)) throw error;
  }
  return read;
}

function incidentEvidence(incidentId: string, incident: BundleIncident): BundleEvidence['incident'] {
  return {
    incidentId: prefixedId('inc', incidentId),
    bundleId: prefixedId('bun', incidentId),
    projectId: prefixedId('proj', incident.projectId),
    title: incident.title,
    severity: SEVERITIES[incident.severity] ?? 'low',
    status: incident.status,
    fingerprint: incident.fingerprint,
    fingerprintKind: readKind(incident.fingerprintKind),
    environment: incident.environment,
    serviceName: incident.serviceName,
    serviceId: incident.serviceId,
    firstSeenAtMs: incident.firstSeenAtMs,
    lastSeenAtMs: incident.lastSeenAtMs,
    occurrenceCount: incident.occurrenceCount,
    affectedUsersEstimate: incident.affectedUsers === 0 ? null : incident.affectedUsers,
    requestIds: {
      everyOccurrenceHadOne: incident.occurrencesWithoutRequestId === 0 && incident.distinctRequests > 0,
      distinctCount: incident.distinctRequests,
    },
    occurrencesWithRequestBlock: incident.occurrencesWithRequestBlock,
    attributedSuppressedCount: incident.suppressedCount,
  };
}

const KINDS: readonly FingerprintKind[] = [
  'exception',
  'request',
  'log',
  'window',
  'resource',
  'availability',
];

function readKind(text: string): FingerprintKind {
  return KINDS.find((kind) => kind === text) ?? 'exception';
}
