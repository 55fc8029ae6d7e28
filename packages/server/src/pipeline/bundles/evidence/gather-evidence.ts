import type {
  BundleEvidence,
  FingerprintKind,
  SampleEvidence,
} from '@culprit/evidence/bundles/evidence/bundle-evidence';
import { sampleEvidence } from '@culprit/evidence/bundles/evidence/sample-evidence';
import { isJsonObject } from '@culprit/evidence/events/envelope/json';
import { digestIn } from '@culprit/evidence/events/fingerprint/failure-digest';
import type { Fingerprinter } from '@culprit/evidence/events/fingerprint/memoized-fingerprint';
import type { NormalizedEvent } from '@culprit/evidence/events/normalize/event';
import { normalizeEvent } from '@culprit/evidence/events/normalize/normalize-event';
import { SEVERITIES } from '@culprit/evidence/events/normalize/severity';
import { sourceTrust } from '@culprit/evidence/incidents/source-trust';
import { mappedFingerprinter } from '../../../maps/lookup/mapped-fingerprinter.ts';
import type { MapMemory } from '../../../maps/lookup/mapped-keys.ts';
import type { Database } from '../../../platform/db/database.ts';
import { prefixedId } from '../../../platform/ids.ts';
import { ObjectMissingError, type ObjectStore } from '../../../platform/objects/object-store.ts';
import { findGroupingSettings } from '../../../workspace/projects/grouping-settings.queries.ts';
import { decodeRecords } from '../../stored-events/batch-object.ts';
import { DamagedObjectError } from '../../stored-events/raw-record.ts';
import {
  type BundleDeployment,
  type BundleIncident,
  type DeployedService,
  deploymentsAt,
  type EventLocation,
  findBundleDeployments,
  findContextLocations,
  type IncidentSamples,
} from './bundle-evidence.queries.ts';
import { findGroupingEvidence } from './grouping-evidence.queries.ts';
import type { LostBodies } from './keep-lost-contents.ts';

export interface GatherOptions {
  database: Database;
  objects: ObjectStore;
  fingerprint: Fingerprinter;
  /** Absent where nothing is mapped. */
  maps?: MapMemory | null;
  constants: { baseUrl: string; appUrl: string };
}

/**
 * The evidence of an incident with the row from which it was read, and those of its correlated events that are
 * occurrences of other incidents; `expired` when no sampled occurrence can be read.
 */
export type Gathered =
  | {
      kind: 'gathered';
      evidence: BundleEvidence;
      incident: BundleIncident;
      signalIds: Set<string>;
      lost: LostBodies;
    }
  | { kind: 'expired' };

/** Frames read for one bundle at a time. */
const READS_AT_ONCE = 8;

/** An incident whose bundle is built, with the rows that say where its evidence lies. */
export interface BundleTarget {
  incidentId: string;
  incident: BundleIncident;
  samples: IncidentSamples;
  generationNumber: number;
}

/**
 * Reads what bundles of incidents of one project are made of (docs/contract/incidents.md 3.3), with one statement of
 * each kind for all of them. Nothing is written.
 * @returns gathers the rest of one of the targets; what is wrong with one fails just that call
 */
export async function gatherEvidence(
  targets: readonly BundleTarget[],
  options: GatherOptions,
): Promise<(target: BundleTarget) => Promise<Gathered>> {
  const { database, objects } = options;
  const samples = await readSamples(targets, options);
  const led = targets.flatMap((target) => {
    const primary = samples.get(target)?.primary;
    return primary === undefined ? [] : [{ target, primary }];
  });
  const found = await findContextLocations(
    database,
    led.map(({ target: { incidentId, incident }, primary: { event } }) => ({
      projectId: incident.projectId,
      incidentId,
      serviceId: incident.serviceId,
      environment: incident.environment,
      isOfJob: incident.fingerprintKind === 'availability',
      atMs: event.effectiveAtMs,
      traceId: event.correlation.traceId,
      requestId: event.correlation.requestId,
      sessionId: event.correlation.sessionId,
      hasDigest: digestIn(event.context) !== null,
    })),
  );
  const groupingOf = await findGroupingEvidence(
    database,
    led.map(({ target }) => target.incidentId),
  );
  const contextOf = new Map(led.map(({ target }, index) => [target, found[index] ?? []]));
  return async (target) => {
    const own = samples.get(target);
    if (own === undefined) throw new Error('evidence was asked for that was not looked for');
    if (own.failure !== null) throw own.failure;
    if (own.primary === undefined) return { kind: 'expired' };
    const contextLocations = contextOf.get(target) ?? [];
    const contextEvents = await readEvents(objects, contextLocations);
    const { incidentId, incident, generationNumber } = target;
    const { lost } = target.samples;
    const grouping = groupingOf.get(incidentId);
    return {
      kind: 'gathered',
      incident,
      lost: {
        eventIds: new Set(lost.map(({ eventId }) => eventId)),
        isPrimaryLost: lost.some(({ roles }) => roles.includes('highest_severity')),
      },
      signalIds: new Set(contextLocations.flatMap((place) => (place.isSignal ? [place.eventId] : []))),
      evidence: {
        incident: incidentEvidence(incidentId, incident),
        project: { slug: incident.projectSlug },
        samples: own.samples,
        correlated: contextLocations.flatMap(({ relation }, index) => {
          const event = contextEvents[index];
          return event === null || event === undefined ? [] : [{ event, relation }];
        }),
        deployments: own.deployments,
        ...(grouping === undefined ? {} : { grouping }),
        constants: options.constants,
        generationNumber,
      },
    };
  };
}

/** The kept occurrences of a target that could be read. */
interface ReadSamples {
  samples: SampleEvidence[];
  /** The one that leads the document. */
  primary: SampleEvidence | undefined;
  deployments: BundleDeployment[];
  failure: unknown;
}

async function readSamples(
  targets: readonly BundleTarget[],
  { database, objects, fingerprint, maps = null }: GatherOptions,
): Promise<Map<BundleTarget, ReadSamples>> {
  const events = await readEvents(
    objects,
    targets.flatMap(({ samples }) => samples.kept),
  );
  let offset = 0;
  const placed = targets.map((target) => {
    const own = events.slice(offset, offset + target.samples.kept.length);
    offset += own.length;
    return { target, own, momentsMs: own.flatMap((event) => (event === null ? [] : [event.effectiveAtMs])) };
  });
  const projectId = targets[0]?.incident.projectId;
  if (projectId === undefined) return new Map();
  const deploymentsOf = await findDeployments(database, projectId, placed);
  const settings = await findGroupingSettings(database, projectId);
  const { stackRules } = settings;
  const fingerprintOf = await mappedFingerprinter(
    { database, memory: maps, projectId, settings, raw: (event) => fingerprint(event, stackRules) },
    events.filter((event) => event !== null),
  );
  return new Map(
    placed.map(({ target, own, momentsMs }) => {
      const deployments = deploymentsAt(deploymentsOf.get(serviceOf(target)) ?? [], momentsMs);
      const read: ReadSamples = { samples: [], primary: undefined, deployments, failure: null };
      try {
        target.samples.kept.forEach((place, index) => {
          const event = own[index];
          if (event === null || event === undefined) return;
          const kept = { severity: SEVERITIES[place.severity] ?? 'low', roles: place.roles };
          read.samples.push(sampleEvidence(event, kept, fingerprintOf(event), deployments));
        });
        read.primary =
          read.samples.find((sample) => sample.roles.includes('highest_severity')) ?? read.samples[0];
      } catch (error) {
        read.failure = error;
      }
      return [target, read];
    }),
  );
}

/** Those of each service for all of its incidents together. */
async function findDeployments(
  database: Database,
  projectId: string,
  placed: readonly { target: BundleTarget; momentsMs: readonly number[] }[],
): Promise<Map<string, BundleDeployment[]>> {
  const services = new Map<string, DeployedService & { momentsMs: Set<number> }>();
  for (const { target, momentsMs } of placed) {
    const { serviceName: name, environment } = target.incident;
    const service = services.get(serviceOf(target)) ?? { name, environment, momentsMs: new Set() };
    services.set(serviceOf(target), service);
    for (const momentMs of momentsMs) service.momentsMs.add(momentMs);
  }
  const found = await findBundleDeployments(database, projectId, [...services.values()]);
  return new Map([...services.keys()].map((key, index) => [key, found[index] ?? []]));
}

function serviceOf({ incident }: BundleTarget): string {
  return JSON.stringify([incident.serviceName, incident.environment]);
}

/** Reads events back by frame, each frame once; null for those whose object is gone or damaged. */
export async function readEvents(
  objects: ObjectStore,
  places: readonly EventLocation[],
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
  places: readonly EventLocation[],
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
    explanation: incident.explanation,
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
    ...releasesOf(incident),
    sourceTrust: sourceTrust(incident.sources),
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

function releasesOf({ firstRelease, lastRelease, regressedInRelease }: BundleIncident) {
  if (lastRelease === null && regressedInRelease === null) return {};
  return { releases: { first: firstRelease, last: lastRelease, regressedIn: regressedInRelease } };
}
