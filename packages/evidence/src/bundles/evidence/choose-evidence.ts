import type { NormalizedEvent } from '../../events/normalize/event.ts';
import { hasRequest } from '../../events/normalize/http-presence.ts';
import type { SampleRole } from '../../events/normalize/sample-role.ts';
import { SEVERITIES } from '../../events/normalize/severity.ts';
import type {
  BundleEvidence,
  CorrelatedEvidence,
  DeploymentEvidence,
  SampleEvidence,
} from './bundle-evidence.ts';

/** Evidence in the order the document uses it. */
export interface ChosenEvidence {
  /** Leads the document: role `highest_severity`. */
  primary: SampleEvidence;
  /** Primary, richest, latest, first: the first one that has a context block supplies all of it. */
  blockOrder: SampleEvidence[];
  oldestFirst: SampleEvidence[];
  context: CorrelatedContext;
  /** Newest deployment at or before the primary event. */
  deployment: DeploymentEvidence | null;
  newestDeployment: DeploymentEvidence | null;
  /** Deployments that an occurrence ran under, at most three, newest first. */
  usedDeployments: DeploymentEvidence[];
}

/** Events around the primary one, each list nearest to it first. None of them is an occurrence. */
export interface CorrelatedContext {
  logs: NormalizedEvent[];
  request: NormalizedEvent | null;
  probes: NormalizedEvent[];
  breadcrumbs: NormalizedEvent[];
  frontendExceptions: NormalizedEvent[];
  /** The exceptions of a scheduled job's run. */
  exceptions: NormalizedEvent[];
  /** Failed requests of the same trace or session; only resource failures look at them. */
  failedRequests: NormalizedEvent[];
}

const CORRELATED_LOGS_MAX = 50;
const CORRELATED_PROBES_MAX = 50;
/** Logs and probes that only share the service and the moment, together. */
const TIME_NEIGHBOURS_MAX = 20;
/** A list of the frontend block shows 50; breadcrumbs spread over five of them. */
const CORRELATED_BREADCRUMBS_MAX = 250;
const FRONTEND_EXCEPTIONS_MAX = 50;
const FAILED_REQUESTS_MAX = 50;
const EXCEPTIONS_MAX = 3;
const DEPLOYS_MAX = 3;

const RELATION_RANK: Record<CorrelatedEvidence['relation'], number> = {
  trace: 0,
  request: 1,
  session: 2,
  joined: 3,
  time: 4,
};

/**
 * Orders samples, correlated events and deployments by docs/contract/incidents.md 3.3. The result does not depend on
 * the order of the lists it is given.
 * @throws RangeError when there is no sample; the caller answers `evidence_expired` before it comes to this.
 */
export function chooseEvidence(evidence: BundleEvidence): ChosenEvidence {
  const oldestFirst = [...evidence.samples].sort((a, b) => compareTime(a.event, b.event));
  const primary = withRole(oldestFirst, 'highest_severity') ?? mostSevere(oldestFirst);
  if (primary === undefined) throw new RangeError('A bundle needs at least one sampled occurrence');

  const blockOrder = new Set([primary]);
  for (const role of ['richest', 'latest', 'first'] as const) {
    const sample = withRole(oldestFirst, role);
    if (sample !== undefined) blockOrder.add(sample);
  }
  const newestFirst = [...evidence.deployments].sort(compareDeployments);
  return {
    primary,
    blockOrder: [...blockOrder],
    oldestFirst,
    context: correlatedContext(evidence, primary.event),
    deployment: deploymentAt(newestFirst, primary.event.effectiveAtMs),
    newestDeployment: newestFirst[0] ?? null,
    usedDeployments: deploymentsOf(newestFirst, oldestFirst),
  };
}

function withRole(oldestFirst: readonly SampleEvidence[], role: SampleRole): SampleEvidence | undefined {
  return oldestFirst.findLast((sample) => sample.roles.includes(role));
}

/** Only for evidence whose samples were partly lost: the rule of the role itself. */
function mostSevere(oldestFirst: readonly SampleEvidence[]): SampleEvidence | undefined {
  let winner = oldestFirst[0];
  for (const sample of oldestFirst) {
    if (winner === undefined || rank(sample) >= rank(winner)) winner = sample;
  }
  return winner;
}

function rank(sample: SampleEvidence): number {
  return SEVERITIES.indexOf(sample.severity);
}

function correlatedContext(evidence: BundleEvidence, primary: NormalizedEvent): CorrelatedContext {
  const occurrenceIds = new Set(evidence.samples.map((sample) => sample.event.eventId));
  const distance = (event: NormalizedEvent): number => Math.abs(event.effectiveAtMs - primary.effectiveAtMs);
  const candidates = evidence.correlated
    .filter(({ event }) => !occurrenceIds.has(event.eventId))
    .sort(
      (a, b) =>
        distance(a.event) - distance(b.event) ||
        compareTime(a.event, b.event) ||
        RELATION_RANK[a.relation] - RELATION_RANK[b.relation],
    );

  const context: CorrelatedContext = {
    logs: [],
    request: null,
    probes: [],
    breadcrumbs: [],
    frontendExceptions: [],
    exceptions: [],
    failedRequests: [],
  };
  // Shared ids first: a neighbour in time never takes the place of an event of the same trace.
  const takenIds = new Set<string>();
  for (const { event, relation } of candidates) {
    if (relation === 'time' || takenIds.has(event.eventId)) continue;
    if (takeById(context, event, relation)) takenIds.add(event.eventId);
  }
  let neighbours = 0;
  for (const { event, relation } of candidates) {
    if (neighbours === TIME_NEIGHBOURS_MAX) break;
    if (relation !== 'time' || takenIds.has(event.eventId)) continue;
    const isTaken =
      (event.eventType === 'log_event' && push(context.logs, event, CORRELATED_LOGS_MAX)) ||
      (event.eventType === 'probe_event' && push(context.probes, event, CORRELATED_PROBES_MAX));
    if (!isTaken) continue;
    takenIds.add(event.eventId);
    neighbours++;
  }
  return context;
}

/** Puts the event where its type belongs, if its relation counts there; false when it is not used. */
function takeById(
  context: CorrelatedContext,
  event: NormalizedEvent,
  relation: CorrelatedEvidence['relation'],
): boolean {
  const sharesRequest = relation === 'trace' || relation === 'request';
  const sharesSession = relation === 'trace' || relation === 'session';
  if (event.eventType === 'log_event') return sharesRequest && push(context.logs, event, CORRELATED_LOGS_MAX);
  if (event.eventType === 'probe_event')
    return sharesRequest && push(context.probes, event, CORRELATED_PROBES_MAX);
  if (event.eventType === 'frontend_breadcrumb') {
    return sharesSession && push(context.breadcrumbs, event, CORRELATED_BREADCRUMBS_MAX);
  }
  if (event.eventType === 'frontend_exception') {
    const isShown = sharesSession || relation === 'joined';
    return isShown && push(context.frontendExceptions, event, FRONTEND_EXCEPTIONS_MAX);
  }
  if (event.eventType === 'backend_exception')
    return relation === 'trace' && push(context.exceptions, event, EXCEPTIONS_MAX);
  if (event.eventType !== 'request_event' || event.payload.kind !== 'request') return false;
  const isFailed = event.payload.response.statusCode >= 400;
  const isKept = sharesSession && isFailed && push(context.failedRequests, event, FAILED_REQUESTS_MAX);
  if (context.request !== null || !sharesRequest || !hasRequest(event.payload.request)) return isKept;
  context.request = event;
  return true;
}

function push(list: NormalizedEvent[], event: NormalizedEvent, countMax: number): boolean {
  if (list.length >= countMax) return false;
  list.push(event);
  return true;
}

function deploymentAt(newestFirst: readonly DeploymentEvidence[], atMs: number): DeploymentEvidence | null {
  return newestFirst.find((deployment) => deployment.deployedAtMs <= atMs) ?? null;
}

function deploymentsOf(
  newestFirst: readonly DeploymentEvidence[],
  samples: readonly SampleEvidence[],
): DeploymentEvidence[] {
  const used = new Set(samples.map((sample) => deploymentAt(newestFirst, sample.event.effectiveAtMs)));
  return newestFirst.filter((deployment) => used.has(deployment)).slice(0, DEPLOYS_MAX);
}

/** Oldest first, ties by event id in code unit order. */
export function compareTime(a: NormalizedEvent, b: NormalizedEvent): number {
  return a.effectiveAtMs - b.effectiveAtMs || compareText(a.eventId, b.eventId);
}

function compareDeployments(a: DeploymentEvidence, b: DeploymentEvidence): number {
  return (
    b.deployedAtMs - a.deployedAtMs ||
    b.receivedAtMs - a.receivedAtMs ||
    compareText(b.version ?? '', a.version ?? '') ||
    compareText(b.commitSha ?? '', a.commitSha ?? '') ||
    compareText(b.branch ?? '', a.branch ?? '')
  );
}

/** By UTF-16 code unit; never by the locale of the machine. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
