import type { Transaction } from '../../../platform/db/database.ts';
import { newUuid } from '../../../platform/ids.ts';
import {
  findReleaseIds,
  type KnownRelease,
  type NamedRelease,
  type NotedRelease,
  noteReleases,
  type TouchedRelease,
  touchReleases,
} from '../../../releases/naming.queries.ts';
import type { NewDeployment } from '../reading/services.queries.ts';
import type { ServiceEvent } from './hold-groups.ts';
import type { ProcessingProject } from './processing.queries.ts';

/**
 * A release in a service, as this process remembers it until a release of the project is deleted: nearly every event
 * names one of them.
 */
interface Remembered {
  /** Null: it is beyond the limit of the day, or nothing has named it. */
  releaseId: string | null;
  isRun: boolean;
  /** Receive time of an event whose transaction looked it up, or moved its time. */
  lookedAtMs: number;
}

const REMEMBERED_MAX = 10_000;
/** Time after which a release is looked up again, and its times are moved. */
const LOOK_AGAIN_MS = 60_000;
const remembered = new Map<string, Remembered>();

/** A version that a signal has because it was deployed. */
interface WantedRelease {
  serviceId: string;
  version: string;
  atMs: number;
}

/** The releases that the events of one transaction name. */
export interface EventReleases {
  /** The deployments that new releases are. */
  deployments: NewDeployment[];
  /** Releases that no event or deploy of their service had named before. */
  newThere: readonly NotedRelease[];
  /** The recorded release that an event names; null where it names none. */
  of: (each: ServiceEvent) => KnownRelease | null;
  /** The records of versions that no event names, such as those of deployments, by version. */
  find: (wanted: readonly WantedRelease[]) => Promise<Map<string, string | null>>;
  /** Moves the times of the releases; at the end of the transaction. */
  touch: () => void;
}

/**
 * Records the releases that events and deploys name (docs/contract/source-maps.md 10.1). What this process knows costs
 * no statement. Where a server names a release that its service did not have, and it had another one before, that is a
 * deployment (docs/contract/incidents.md 5.8); pages and apps keep old releases alive, so theirs are none.
 */
export async function recordReleases(
  transaction: Transaction,
  { projectId, releaseDeletions }: Pick<ProcessingProject, 'projectId' | 'releaseDeletions'>,
  events: readonly ServiceEvent[],
  deploys: readonly NewDeployment[],
): Promise<EventReleases> {
  const keyOf = (serviceId: string, version: string) => `${serviceId} ${releaseDeletions} ${version}`;
  const seen = new Map<string, { first: ServiceEvent; newestMs: number; isRun: boolean }>();
  for (const each of events) {
    const { event, serviceId } = each;
    if (event.release === null) continue;
    const key = keyOf(serviceId, event.release);
    const isRun = !each.isOriginBound && !event.eventType.startsWith('frontend_');
    const known = seen.get(key);
    if (known === undefined) {
      const memory = remembered.get(key);
      const isFresh =
        memory !== undefined &&
        (memory.isRun || !isRun) &&
        event.receivedAtMs - memory.lookedAtMs < LOOK_AGAIN_MS;
      if (isFresh) continue;
      seen.set(key, { first: each, newestMs: event.receivedAtMs, isRun });
    } else {
      const isEarlier = event.effectiveAtMs < known.first.event.effectiveAtMs;
      // Only what servers say can be a deployment, so its moment is theirs.
      if (isRun === known.isRun ? isEarlier : isRun) known.first = each;
      known.newestMs = Math.max(known.newestMs, event.receivedAtMs);
      known.isRun ||= isRun;
    }
  }
  const ordered = [...seen.values()].sort(
    (a, b) => a.first.event.effectiveAtMs - b.first.event.effectiveAtMs,
  );
  const named = [
    ...deploys.map(namedByDeploy),
    ...ordered.map(({ first: { event }, isRun }) => ({
      version: event.release ?? '',
      by: 'event' as const,
      serviceName: event.service.name,
      environment: event.service.environment,
      atMs: event.receivedAtMs,
      isRun,
    })),
  ];
  const noted = new Map<string, NotedRelease>();
  if (named.length > 0) {
    for (const each of await noteReleases(transaction, projectId, named)) noted.set(placeOf(each), each);
  }
  const foundNow = new Map<string, string | null>();
  for (const [key, { first, newestMs, isRun }] of seen) {
    const note = noted.get(placeOf(placedEvent(first)));
    foundNow.set(key, note?.releaseId ?? null);
    // A new release is not committed yet, so it is remembered when it is met again.
    if (note !== undefined && !note.isNewThere && !note.isNewlyRun)
      remember(key, { releaseId: note.releaseId, isRun, lookedAtMs: newestMs });
  }
  const newThere = [...noted.values()].filter(({ isNewThere }) => isNewThere);
  return {
    deployments: inferredDeployments(ordered, noted),
    newThere,
    find: async (wanted) =>
      await findRecords(
        transaction,
        projectId,
        wanted.map((each) => ({ ...each, key: keyOf(each.serviceId, each.version) })),
        new Set(newThere.map(({ version }) => version)),
      ),
    of: ({ serviceId, event: { release } }) => {
      if (release === null) return null;
      const key = keyOf(serviceId, release);
      const found = foundNow.get(key);
      return {
        version: release,
        releaseId: found === undefined ? (remembered.get(key)?.releaseId ?? null) : found,
      };
    },
    touch: () => {
      touchReleases(transaction, projectId, [
        ...deploys.flatMap((deploy) => touchedByDeploy(deploy, noted)),
        ...ordered.flatMap(({ first, newestMs, isRun }) => touchedByEvent(first, newestMs, isRun, noted)),
      ]);
    },
  };
}

/** @param uncommitted versions that this transaction has made, which are not remembered */
async function findRecords(
  transaction: Transaction,
  projectId: string,
  wanted: readonly (WantedRelease & { key: string })[],
  uncommitted: ReadonlySet<string>,
): Promise<Map<string, string | null>> {
  const found = new Map<string, string | null>();
  const unknown = wanted.filter(({ key, version, atMs }) => {
    const memory = remembered.get(key);
    if (memory === undefined || atMs - memory.lookedAtMs >= LOOK_AGAIN_MS) return true;
    found.set(version, memory.releaseId);
    return false;
  });
  const versions = new Set(unknown.map(({ version }) => version));
  const ids = await findReleaseIds(transaction, projectId, [...versions]);
  for (const { key, version, atMs } of unknown) {
    const releaseId = ids.get(version) ?? null;
    found.set(version, releaseId);
    if (!uncommitted.has(version)) remember(key, { releaseId, isRun: false, lookedAtMs: atMs });
  }
  return found;
}

function namedByDeploy(deploy: NewDeployment): NamedRelease {
  return {
    version: versionOf(deploy),
    by: 'deploy',
    serviceName: deploy.serviceName,
    environment: deploy.environment,
    atMs: deploy.deployedAtMs,
    isRun: false,
  };
}

/** Returns the name of a deployment's release. */
export function versionOf({
  version,
  commitSha,
}: {
  version: string | null;
  commitSha: string | null;
}): string {
  return version ?? commitSha ?? '';
}

function touchedByDeploy(deploy: NewDeployment, noted: ReadonlyMap<string, NotedRelease>): TouchedRelease[] {
  const { serviceName, environment } = deploy;
  const note = noted.get(placeOf({ version: versionOf(deploy), serviceName, environment }));
  if (note === undefined || note.releaseId === null) return [];
  return [
    {
      ...{ releaseId: note.releaseId, serviceName, environment, seenAtMs: null, isRun: false },
      ...{ deployedAtMs: deploy.deployedAtMs, commitSha: deploy.commitSha, branch: deploy.branch },
    },
  ];
}

function touchedByEvent(
  first: ServiceEvent,
  newestMs: number,
  isRun: boolean,
  noted: ReadonlyMap<string, NotedRelease>,
): TouchedRelease[] {
  const place = placedEvent(first);
  const releaseId = noted.get(placeOf(place))?.releaseId ?? null;
  if (releaseId === null) return [];
  const { serviceName, environment } = place;
  return [
    {
      ...{ releaseId, serviceName, environment, seenAtMs: newestMs, isRun },
      ...{ deployedAtMs: null, commitSha: null, branch: null },
    },
  ];
}

function inferredDeployments(
  ordered: readonly { first: ServiceEvent; isRun: boolean }[],
  noted: ReadonlyMap<string, NotedRelease>,
): NewDeployment[] {
  const served = new Set<string>();
  return ordered.flatMap(({ first, isRun }) => {
    if (!isRun) return [];
    const { serviceId, event } = first;
    const note = noted.get(placeOf(placedEvent(first)));
    const isFirst = note?.ranOthers === false && !served.has(serviceId);
    served.add(serviceId);
    if (note === undefined || !note.isNewlyRun || isFirst) return [];
    return {
      deploymentId: newUuid(),
      serviceName: event.service.name,
      environment: event.service.environment,
      version: event.release,
      commitSha: null,
      branch: null,
      deployedAtMs: event.effectiveAtMs,
      eventId: event.eventId,
      receivedAtMs: event.receivedAtMs,
      isInferred: true,
    };
  });
}

type Place = Pick<NotedRelease, 'version' | 'serviceName' | 'environment'>;

function placedEvent({ event }: ServiceEvent): Place {
  const { name, environment } = event.service;
  return { version: event.release ?? '', serviceName: name, environment };
}

function placeOf({ version, serviceName, environment }: Place): string {
  return `${version}\u0000${serviceName}\u0000${environment}`;
}

function remember(key: string, memory: Remembered): void {
  if (remembered.size >= REMEMBERED_MAX) remembered.clear();
  remembered.set(key, memory);
}
