import type { Incident } from '@culprit/contract/incidents/incidents';
import { NO_TRIAGE } from '@culprit/contract/incidents/triage';
import { formatTimestamp } from '@culprit/contract/schemas/timestamps';
import type { DeploymentEvidence, IncidentEvidence } from '../bundles/evidence/bundle-evidence.ts';
import { eventTitle } from '../events/fingerprint/event-title.ts';
import type { AvailabilityFingerprint, Fingerprint } from '../events/fingerprint/sealed-fingerprint.ts';
import type { EventType } from '../events/normalize/event.ts';
import { SEVERITIES } from '../events/normalize/severity.ts';
import { describeReason } from '../incidents/incident-reason.ts';
import { type IncidentState, openIncident } from '../incidents/incident-state.ts';
import type { chooseSampleRoles, SampleFacts } from '../incidents/sample-roles.ts';
import { sourceTrust } from '../incidents/source-trust.ts';
import type { SpikeEpisode } from '../incidents/spike.ts';
import type { AcceptedEvent } from './accept-events.ts';
import type { EventSource } from './context-index.ts';
import { createDistinctMembers, type DistinctMembers } from './distinct-members.ts';
import { LOCAL_PROJECT, localIncidentUuid, localUuid } from './local-ids.ts';

/** A kept occurrence and where it can be read again. */
interface LocalSample extends SampleFacts {
  receivedAtMs: number;
  source: EventSource;
}

/** A counted signal, as reports of suppressed repeats look for it. */
export interface CountedSignal {
  effectiveAtMs: number;
  receivedAtMs: number;
  library: string;
  eventType: EventType;
}

/** An incident while files are read; the counterpart of the server's row with everything that hangs on it. */
export interface LocalIncident {
  /** The UUID of incident and bundle. */
  uuid: string;
  serviceId: string;
  serviceName: string;
  environment: string;
  fingerprint: Pick<
    Fingerprint | AvailabilityFingerprint,
    'version' | 'value' | 'kind' | 'matchedFields' | 'readers' | 'rule'
  >;
  title: string;
  reason: ReturnType<typeof describeReason> & { eventType: EventType };
  state: IncidentState;
  /** The time when it was resolved by hand, until that was applied. */
  pendingResolutionMs: number | null;
  spikeDetectedAtMs: number | null;
  spikeEpisode: SpikeEpisode | null;
  minutes: Map<number, number>;
  users: DistinctMembers;
  requests: Set<bigint>;
  occurrencesWithoutRequestId: number;
  /** Joined `signalSource` of its signals. */
  sources: number;
  occurrencesWithRequestBlock: number;
  suppressedCount: number;
  samples: ReturnType<typeof chooseSampleRoles<LocalSample>>;
  signals: CountedSignal[];
}

/** Returns the key that the signals of one incident share. */
export function groupingKey(serviceId: string, fingerprint: string): string {
  return `${serviceId} ${fingerprint}`;
}

/** The incident that a signal opens; null where the signal has no fingerprint. */
export function newLocalIncident(
  { judged: { event, fingerprint, severity }, matchedPolicy, serviceId }: AcceptedEvent,
  resolvedAtMs: ReadonlyMap<string, number>,
): LocalIncident | null {
  if (fingerprint === null) return null;
  const { name: serviceName, environment } = event.service;
  const uuid = localIncidentUuid({ environment, serviceName, fingerprint: fingerprint.value });
  const { version, value, kind, matchedFields, readers, rule } = fingerprint;
  return {
    uuid,
    serviceId,
    serviceName,
    environment,
    fingerprint: { version, value, kind, matchedFields, readers, rule },
    title: eventTitle(event),
    reason: { ...describeReason(event, matchedPolicy), eventType: event.eventType },
    state: openIncident(
      {
        effectiveAtMs: event.effectiveAtMs,
        receivedAtMs: event.receivedAtMs,
        severity: SEVERITIES.indexOf(severity),
      },
      event.receivedAtMs,
    ),
    pendingResolutionMs: resolvedAtMs.get(`inc_${uuid}`) ?? null,
    spikeDetectedAtMs: null,
    spikeEpisode: null,
    minutes: new Map(),
    users: createDistinctMembers(),
    requests: new Set(),
    occurrencesWithoutRequestId: 0,
    sources: 0,
    occurrencesWithRequestBlock: 0,
    suppressedCount: 0,
    samples: [],
    signals: [],
  };
}

/** The record as the API answers it for an incident of a server (docs/contract/incidents.md 1.1). */
export function localRecord(incident: LocalIncident, deployments: readonly DeploymentEvidence[]): Incident {
  const { state, reason } = incident;
  const latest = deployments.find((each) => each.deployedAtMs <= state.lastSeenAtMs);
  return {
    incident_id: `inc_${incident.uuid}`,
    short_id: null,
    project_id: LOCAL_PROJECT.id,
    project_name: LOCAL_PROJECT.name,
    service_id: incident.serviceId,
    service_name: incident.serviceName,
    latest_deployment_id: latest === undefined ? null : deploymentId(incident, latest),
    environment: incident.environment,
    fingerprint: incident.fingerprint.value,
    fingerprint_version: incident.fingerprint.version,
    title: incident.title,
    severity: SEVERITIES[state.severity] ?? 'low',
    status: state.status,
    first_seen_at: formatTimestamp(state.firstSeenAtMs),
    last_seen_at: formatTimestamp(state.lastSeenAtMs),
    occurrence_count: state.occurrenceCount,
    spike_detected_at: timeOrNull(incident.spikeDetectedAtMs),
    resolved_at: timeOrNull(state.resolvedAtMs),
    regressed_at: timeOrNull(state.regressedAtMs),
    source_trust: sourceTrust(incident.sources),
    symbolication: null,
    first_release: null,
    last_release: null,
    regressed_in_release: null,
    resolved_in: null,
    matched_fields: incident.fingerprint.matchedFields,
    incident_reason: {
      kind: reason.kind,
      description: reason.description,
      event_type: reason.eventType,
      event_class: 'incident_signal',
      matched_policy: reason.matchedPolicy,
    },
    is_sample: false,
    triage: NO_TRIAGE,
  };
}

/** The incident as its bundle shows it. */
export function localIncidentEvidence(incident: LocalIncident): IncidentEvidence {
  const { state } = incident;
  const affectedUsers = incident.users.count();
  return {
    incidentId: `inc_${incident.uuid}`,
    bundleId: `bun_${incident.uuid}`,
    projectId: LOCAL_PROJECT.id,
    title: incident.title,
    severity: SEVERITIES[state.severity] ?? 'low',
    status: state.status,
    fingerprint: incident.fingerprint.value,
    fingerprintKind: incident.fingerprint.kind,
    explanation: {
      matched_fields: incident.fingerprint.matchedFields,
      readers: incident.fingerprint.readers,
      rule: incident.fingerprint.rule,
    },
    environment: incident.environment,
    serviceName: incident.serviceName,
    serviceId: incident.serviceId,
    firstSeenAtMs: state.firstSeenAtMs,
    lastSeenAtMs: state.lastSeenAtMs,
    occurrenceCount: state.occurrenceCount,
    affectedUsersEstimate: affectedUsers === 0 ? null : affectedUsers,
    requestIds: {
      everyOccurrenceHadOne: incident.occurrencesWithoutRequestId === 0 && incident.requests.size > 0,
      distinctCount: incident.requests.size,
    },
    occurrencesWithRequestBlock: incident.occurrencesWithRequestBlock,
    attributedSuppressedCount: incident.suppressedCount,
    sourceTrust: sourceTrust(incident.sources),
  };
}

function deploymentId(
  { environment, serviceName }: LocalIncident,
  { version, commitSha, deployedAtMs }: DeploymentEvidence,
): string {
  return localUuid(
    'deployment',
    environment,
    serviceName,
    version ?? '',
    commitSha ?? '',
    String(deployedAtMs),
  );
}

function timeOrNull(timeMs: number | null): string | null {
  return timeMs === null ? null : formatTimestamp(timeMs);
}
