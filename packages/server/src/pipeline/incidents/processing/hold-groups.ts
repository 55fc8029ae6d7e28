import { safeText, TEXT_CHARS_MAX } from '@culprit/evidence/events/envelope/safe-text';
import { availabilityTitle, eventTitle } from '@culprit/evidence/events/fingerprint/event-title';
import type { StackRule } from '@culprit/evidence/events/fingerprint/stack/stack-rules';
import { isBrowserNoise } from '@culprit/evidence/events/normalize/browser-noise';
import { SEVERITIES } from '@culprit/evidence/events/normalize/severity';
import { describeReason } from '@culprit/evidence/incidents/incident-reason';
import { openIncident } from '@culprit/evidence/incidents/incident-state';
import type { Deployment } from '@culprit/evidence/incidents/regression';
import { BROWSER_SOURCE, signalSource } from '@culprit/evidence/incidents/source-trust';
import type { Transaction } from '../../../platform/db/database.ts';
import { newUuid } from '../../../platform/ids.ts';
import type { KnownRelease } from '../../../releases/naming.queries.ts';
import { joinSlots, type PendingMerge } from '../grouping/join-slots.ts';
import { joinUnmapped, leadUnmappedKeys, rawKeyOf } from '../maps/mapped-groups.ts';
import { findDeployments, serviceKey } from '../reading/services.queries.ts';
import { wholeEvent } from './counted-event.ts';
import {
  findKnownIncidents,
  type IncidentKey,
  incidentKey,
  insertIncidents,
  type LockedIncident,
  lockIncidents,
  type NewIncident,
} from './locked-incidents.queries.ts';
import type { ReadEvent } from './read-batches.ts';

/** A read event with the row of its service. */
export interface ServiceEvent extends ReadEvent {
  serviceId: string;
}

/** The signals of one grouping key in one transaction. */
export interface SignalGroup {
  incident: LockedIncident;
  isNew: boolean;
  /** The new incident from which it was created, if it is new. */
  opened: NewIncident | null;
  /** All signals of the key, the one that opened the incident included. */
  signals: ServiceEvent[];
  /** Those of its service around its signals, once `findGroupDeployments` has found them. */
  deployments: readonly Deployment[];
}

/** A key whose incident went is free for a new one, so the second look finds it or makes it. */
const LOOKS_MAX = 3;

/** The incidents of signals, and those of them that slots make one of once they are counted. */
interface LockedGroups {
  groups: SignalGroup[];
  merges: readonly PendingMerge[];
}

interface LockOptions {
  nowMs: number;
  /** Null where no slot may be learned or joined. */
  rules: readonly StackRule[] | null;
  /** The release that a signal names. */
  releaseOf: (signal: ServiceEvent) => KnownRelease | null;
}

/** Finds, makes and locks the incidents of the signals' keys. */
export async function lockGroups(
  transaction: Transaction,
  projectId: string,
  signals: readonly ServiceEvent[],
  options: LockOptions,
): Promise<LockedGroups> {
  const byKey = new Map<string, { key: IncidentKey; signals: ServiceEvent[] }>();
  for (const signal of signals) {
    const key = keyOf(signal);
    const text = incidentKey(key);
    const members = byKey.get(text);
    if (members === undefined) byKey.set(text, { key, signals: [signal] });
    else members.signals.push(signal);
  }
  const groups = new Map<string, SignalGroup>();
  const merges: PendingMerge[] = [];
  let open = [...byKey.values()];
  for (let look = 1; open.length > 0; look += 1) {
    if (look > LOOKS_MAX) throw new Error('incidents vanish while their keys are being held');
    // Slots are locked before incidents, so they take part in the first look alone.
    const rules = look === 1 ? options.rules : null;
    const { byKey: held, ...found } = await lockSharedIncidents(transaction, projectId, open, groups, {
      ...options,
      rules,
    });
    merges.push(...found.merges);
    for (const { key, signals: members } of open) {
      const found = held.get(incidentKey(key));
      if (found === undefined) continue;
      const group = groups.get(found.incident.incidentId);
      if (group === undefined) {
        groups.set(found.incident.incidentId, { ...found, signals: [...members], deployments: [] });
      } else {
        group.signals.push(...members);
      }
    }
    // One that was at the end of its retention may have gone before it was locked; then its key is free for a new one.
    // One that was merged in the meantime leads elsewhere.
    open = open.filter(({ key }) => !held.has(incidentKey(key)));
  }
  const inOrder = new Map(signals.map((signal, index) => [signal, index]));
  for (const group of groups.values()) {
    group.signals.sort((a, b) => (inOrder.get(a) ?? 0) - (inOrder.get(b) ?? 0));
  }
  return { groups: [...groups.values()], merges };
}

/** Sets what ran while the signals of groups occurred. */
export async function findGroupDeployments(
  transaction: Transaction,
  projectId: string,
  groups: readonly SignalGroup[],
): Promise<void> {
  const signals = groups.flatMap((group) => group.signals);
  const deployments = await findDeployments(transaction, projectId, [
    ...servicesOf(signals),
    ...laterMoments(groups),
  ]);
  for (const group of groups) {
    const service = group.signals[0]?.event.service;
    group.deployments = deployments.get(serviceKey(service?.name ?? '', service?.environment ?? '')) ?? [];
  }
}

/** The grouping key of a signal. */
export function keyOf({ serviceId, fingerprint, event, isOriginBound }: ServiceEvent): IncidentKey {
  if (fingerprint === null) throw new Error('a signal without a fingerprint has no key');
  const { version, value } = fingerprint;
  const isBrowser = signalSource(event.eventType, isOriginBound) === BROWSER_SOURCE;
  return { serviceId, version, value, isBrowser };
}

type Held = Pick<SignalGroup, 'incident' | 'isNew' | 'opened'>;

/**
 * The incidents of some keys, by `incidentKey`; one that went or was merged between the look and the lock is missing.
 * @param groups of earlier looks, whose incidents are held already
 */
async function lockSharedIncidents(
  transaction: Transaction,
  projectId: string,
  open: readonly { key: IncidentKey; signals: readonly ServiceEvent[] }[],
  groups: ReadonlyMap<string, SignalGroup>,
  { nowMs, rules, releaseOf }: LockOptions,
): Promise<{ byKey: Map<string, Held>; merges: PendingMerge[] }> {
  const keys = open.map(({ key }) => key);
  let known = await findKnownIncidents(transaction, keys);
  const unmapped = await joinUnmapped(transaction, projectId, open, known);
  // Browsers and servers that send one key open one incident.
  const made = new Map<string, NewIncident>();
  for (const { key, signals } of open) {
    const [first] = signals;
    const text = newKey(key);
    if (first === undefined || known.has(incidentKey(key)) || made.has(text)) continue;
    made.set(text, newIncident(first, nowMs, releaseOf(first)));
  }
  const slots = await joinSlots(transaction, projectId, { open, made, keyText: newKey }, rules);
  const ours = await insertIncidents(transaction, projectId, [...made.values()]);
  leadUnmappedKeys(transaction, projectId, open, {
    ours,
    unmapped,
    idOf: (key) => made.get(newKey(key))?.incidentId,
  });
  // Another transaction may have made some of them between the look-up and the insert.
  if (ours.size < made.size) known = await findKnownIncidents(transaction, keys);
  const idOf = (key: IncidentKey) => known.get(incidentKey(key)) ?? made.get(newKey(key))?.incidentId;
  const joining = slots.settle((made) => {
    const each = open.find(({ key }) => newKey(key) === made);
    return each === undefined ? undefined : idOf(each.key);
  });
  const held = new Map<string, Held>();
  for (const [incidentId, { incident, isNew, opened }] of groups) {
    held.set(incidentId, { incident, isNew, opened });
  }
  for (const incident of made.values()) {
    const snooze = ours.get(incident.incidentId);
    if (snooze !== undefined) {
      held.set(incident.incidentId, {
        incident: { ...heldFromNew(incident), snooze },
        isNew: true,
        opened: incident,
      });
    }
  }
  const wanted = [...known.values(), ...joining.incidentIds];
  const unlocked = wanted.filter((id) => !held.has(id));
  for (const incident of await lockIncidents(transaction, [...new Set(unlocked)])) {
    held.set(incident.incidentId, { incident, isNew: false, opened: null });
  }
  const moved = await findMoved(transaction, keys, known, held);
  const byKey = new Map<string, Held>();
  for (const key of keys) {
    if (moved.has(key)) continue;
    const incidentId = idOf(key) ?? joining.joined.get(newKey(key));
    const each = incidentId === undefined ? undefined : held.get(incidentId);
    if (each !== undefined) byKey.set(incidentKey(key), each);
  }
  return { byKey, merges: await joining.write(transaction, (incidentId) => held.has(incidentId)) };
}

/**
 * Keys whose incidents were merged into others between the look and the lock: they lead elsewhere now, and a signal must
 * not reopen what was merged. Merging resolves, so that only keys of resolved incidents are looked up again.
 */
async function findMoved(
  transaction: Transaction,
  keys: readonly IncidentKey[],
  known: ReadonlyMap<string, string>,
  held: ReadonlyMap<string, Held>,
): Promise<ReadonlySet<IncidentKey>> {
  const knownOf = (key: IncidentKey) => known.get(incidentKey(key));
  const resolved = keys.filter((key) => held.get(knownOf(key) ?? '')?.incident.state.status === 'resolved');
  const now = await findKnownIncidents(transaction, resolved);
  return new Set(resolved.filter((key) => (now.get(incidentKey(key)) ?? knownOf(key)) !== knownOf(key)));
}

/** Returns the key that distinguishes new incidents from each other. */
function newKey({ serviceId, version, value }: IncidentKey): string {
  return `${serviceId} ${version} ${value}`;
}

/** The services of the signals, each with the span of effective times. */
function servicesOf(signals: readonly ServiceEvent[]) {
  const services = new Map<
    string,
    { name: string; environment: string; earliestMs: number; latestMs: number }
  >();
  for (const { serviceId, event } of signals) {
    const { effectiveAtMs } = event;
    const known = services.get(serviceId);
    if (known === undefined) {
      const { name, environment } = event.service;
      services.set(serviceId, { name, environment, earliestMs: effectiveAtMs, latestMs: effectiveAtMs });
    } else {
      known.earliestMs = Math.min(known.earliestMs, effectiveAtMs);
      known.latestMs = Math.max(known.latestMs, effectiveAtMs);
    }
  }
  return [...services.values()];
}

/**
 * The newest occurrences of incidents whose signals here are older, because those came late: the choice of samples
 * needs the deployments up to the newest occurrence, or what came after them would lose its role.
 */
function laterMoments(groups: readonly SignalGroup[]) {
  const newest = new Map<string, { name: string; environment: string; latestMs: number }>();
  for (const { incident, signals } of groups) {
    const service = signals[0]?.event.service;
    const latestMs = incident.state.lastSeenAtMs;
    if (service === undefined || signals.some(({ event }) => event.effectiveAtMs >= latestMs)) continue;
    const { name, environment } = service;
    newest.set(`${serviceKey(name, environment)}\u0000${latestMs}`, { name, environment, latestMs });
  }
  return [...newest.values()].map((each) => ({ ...each, earliestMs: each.latestMs }));
}

function newIncident(first: ServiceEvent, nowMs: number, release: KnownRelease | null): NewIncident {
  const { fingerprint, failingCheck } = first;
  if (fingerprint === null) throw new Error('a signal without a fingerprint cannot open an incident');
  const event = wholeEvent(first);
  const reason = describeReason(event, first.record.matchedPolicy);
  return {
    incidentId: failingCheck?.incidentId ?? newUuid(),
    serviceId: first.serviceId,
    serviceName: event.service.name,
    environment: event.service.environment,
    fingerprintVersion: fingerprint.version,
    fingerprint: fingerprint.value,
    fingerprintKind: fingerprint.kind,
    title:
      failingCheck === null
        ? eventTitle(event)
        : availabilityTitle(safeText(failingCheck.name, TEXT_CHARS_MAX.name), failingCheck.kind),
    state: openIncident(occurrenceOf(first), nowMs),
    matchedFields: fingerprint.matchedFields,
    readers: fingerprint.readers,
    rule: fingerprint.rule,
    reasonKind: reason.kind,
    reasonDescription: reason.description,
    reasonEventType: event.eventType,
    reasonMatchedPolicy: reason.matchedPolicy,
    isVerification: event.context.verification === true,
    hasMappedKey: rawKeyOf(first) !== null,
    sources: signalSource(event.eventType, first.isOriginBound),
    isBrowserNoise:
      event.eventType === 'frontend_exception' &&
      event.payload.kind === 'exception' &&
      isBrowserNoise(event.payload),
    firstRelease: release?.releaseId === undefined || release.releaseId === null ? null : release.version,
    sampleId: first.sampleId,
  };
}

function heldFromNew(incident: NewIncident): LockedIncident {
  return {
    incidentId: incident.incidentId,
    serviceId: incident.serviceId,
    fingerprint: incident.fingerprint,
    state: incident.state,
    spikeDetectedAtMs: null,
    spikeLastTrueAtMs: null,
    affectedUsers: 0,
    distinctRequests: 0,
    occurrencesWithoutRequestId: 0,
    occurrencesWithRequestBlock: 0,
    suppressedCount: 0,
    sources: incident.sources,
    escalatedAtMs: null,
    firstRelease: incident.firstRelease,
    lastRelease: incident.firstRelease,
    regressedInRelease: null,
    snooze: null,
    isWoken: false,
    isSample: incident.sampleId !== null,
  };
}

/** Returns the occurrence of a signal for the state of its incident. */
export function occurrenceOf(signal: ServiceEvent) {
  return {
    effectiveAtMs: signal.event.effectiveAtMs,
    receivedAtMs: signal.event.receivedAtMs,
    severity: SEVERITIES.indexOf(signal.severity),
  };
}
