import type {
  BundleContext,
  GroupingBlock,
  HeartbeatBlock,
  ReleasesBlock,
} from '@culprit/contract/incidents/bundle-context';
import { formatTimestamp } from '@culprit/contract/schemas/timestamps';
import type { NormalizedEvent } from '../../events/normalize/event.ts';
import type { BundleEvidence } from '../evidence/bundle-evidence.ts';
import { type ChosenEvidence, chooseEvidence, compareText } from '../evidence/choose-evidence.ts';
import { evidenceTextOrNull } from '../evidence/evidence-text.ts';
import { lastRedaction } from '../evidence/last-redaction.ts';
import { booleanAt, textAt } from '../evidence/read-open-map.ts';
import { usedContext } from '../evidence/used-context.ts';
import { reproductionOf } from '../reproduction/reproduction.ts';
import { type BundleDocument, GENERATOR_VERSION } from './bundle-document.ts';
import { customBlock } from './context-blocks/custom.ts';
import { deployBlock } from './context-blocks/deploy.ts';
import { deviceBlock } from './context-blocks/device.ts';
import { environmentBlock, runtimeBlock } from './context-blocks/environment-runtime.ts';
import { type ErrorEvidence, errorEvidence } from './context-blocks/error.ts';
import { errorChainBlock } from './context-blocks/error-chain.ts';
import { frontendBlock } from './context-blocks/frontend.ts';
import { dependenciesBlock, gitBlock } from './context-blocks/git-dependencies.ts';
import { groupingBlock } from './context-blocks/grouping.ts';
import { heartbeatBlock } from './context-blocks/heartbeat.ts';
import { logsBlock } from './context-blocks/logs.ts';
import { occurrencesBlock } from './context-blocks/occurrences.ts';
import { probeDataBlock } from './context-blocks/probe-data.ts';
import { releasesBlock } from './context-blocks/releases.ts';
import { type ExchangeEvidence, exchangeEvidence } from './context-blocks/request-response.ts';
import { resourceFailureBlock } from './context-blocks/resource-failure.ts';
import { stackBlock } from './context-blocks/stack.ts';
import { symbolicationBlock } from './context-blocks/symbolication.ts';
import { fitDocument } from './fit-document.ts';
import { impactOf, isProductionLike } from './impact.ts';
import { signalTypeOf } from './signal-type.ts';
import { summaryOf } from './summary.ts';

/**
 * Builds the debug bundle of one incident (docs/contract/incidents.md 3 and 4). Pure: equal evidence gives equal
 * bytes, whatever the order of its lists (3.10).
 * @throws RangeError when the evidence holds no sampled occurrence
 */
export function assembleBundle(evidence: BundleEvidence): BundleDocument {
  return finishBundle(draftBundle(evidence));
}

/** A document before its last redaction and the bound on its size. */
type BundleDraft = Omit<BundleDocument, 'redaction'>;

/** The document of a draft. */
export function finishBundle(draft: BundleDraft): BundleDocument {
  return fitDocument(lastRedaction(draft));
}

/**
 * Everything that a document says of its evidence.
 * @throws RangeError when the evidence holds no sampled occurrence
 */
export function draftBundle(evidence: BundleEvidence): BundleDraft {
  const { incident } = evidence;
  const chosen = chooseEvidence(evidence);
  const primary = chosen.primary.event;
  const inputs = inputEvents(chosen);
  const error = errorEvidence(chosen.blockOrder);
  const exchange = exchangeEvidence(chosen.blockOrder, chosen.context.request);
  const context = contextOf(chosen, error, exchange, {
    grouping: groupingBlock(incident.explanation, evidence.grouping),
    releases: releasesBlock(incident),
    heartbeat: heartbeatBlock(incident.fingerprintKind, primary, chosen.context.exceptions),
  });
  const impact = impactOf(incident, inputs, context.frontend, isDeployRegression(evidence, chosen, context));
  const signalType = signalTypeOf(chosen.primary);
  return {
    bundle_version: 1 as const,
    bundle_id: incident.bundleId,
    bundle_type: 'failure' as const,
    captured_at: formatTimestamp(primary.effectiveAtMs),
    sdk: { name: primary.sdk.name || 'unknown', version: primary.sdk.version || '0' },
    project: { id: incident.projectId, slug: evidence.project.slug, environment: incident.environment },
    service: serviceOf(evidence, primary, context),
    signal: {
      signal_id: primary.eventId,
      signal_type: signalType,
      severity: incident.severity,
      fingerprint: incident.fingerprint,
      first_seen_at: formatTimestamp(incident.firstSeenAtMs),
      last_seen_at: formatTimestamp(incident.lastSeenAtMs),
      occurrence_count: incident.occurrenceCount,
      source_event_types: sourceEventTypes(inputs, chosen),
      ...(incident.sourceTrust === undefined ? {} : { source_trust: incident.sourceTrust }),
    },
    summary: summaryOf({ incident, chosen, error, context, impact, signalType }),
    impact,
    context,
    reproduction: reproductionOf(incident.fingerprintKind, chosen, exchange, context.frontend),
    verification: verificationOf(primary, incident.environment),
    links: linksOf(evidence),
    metadata: metadataOf(evidence, chosen, inputs),
  };
}

/** Every event that the document shows something of. */
function inputEvents(chosen: ChosenEvidence): NormalizedEvent[] {
  return [...chosen.oldestFirst.map((sample) => sample.event), ...usedContext(chosen)];
}

/** Blocks that come from more than the occurrences. */
interface IncidentBlocks {
  grouping: GroupingBlock | null;
  releases: ReleasesBlock | null;
  heartbeat: HeartbeatBlock | null;
}

function contextOf(
  { primary, blockOrder, oldestFirst, context, deployment }: ChosenEvidence,
  error: ErrorEvidence | null,
  exchange: ExchangeEvidence,
  { grouping, releases, heartbeat }: IncidentBlocks,
): BundleContext {
  const primaryAtMs = primary.event.effectiveAtMs;
  const errorChain = errorChainBlock(error?.sample ?? null);
  const stack = stackBlock(error?.sample ?? null);
  const symbolication = symbolicationBlock(error?.sample ?? null);
  const resourceFailure = resourceFailureBlock(primary.event, oldestFirst, context.failedRequests);
  const custom = customBlock(primary.event, heartbeat === null ? null : 'heartbeat');
  return {
    error: error?.block ?? null,
    request: exchange.request,
    response: exchange.response,
    logs: logsBlock(context.logs, primary),
    frontend: frontendBlock(blockOrder, context, primaryAtMs),
    environment: environmentBlock(blockOrder),
    deploy: deployBlock(deployment, primaryAtMs),
    runtime: runtimeBlock(blockOrder),
    git: gitBlock(blockOrder),
    dependencies: dependenciesBlock(primary, blockOrder),
    probe_data: probeDataBlock(blockOrder, context.probes, primaryAtMs),
    device: deviceBlock(blockOrder),
    ...(errorChain === null ? {} : { error_chain: errorChain }),
    ...(stack === null ? {} : { stack }),
    ...(symbolication === null ? {} : { symbolication }),
    ...(releases === null ? {} : { releases }),
    occurrences: occurrencesBlock(oldestFirst),
    ...(resourceFailure === null ? {} : { resource_failure: resourceFailure }),
    ...(heartbeat === null ? {} : { heartbeat }),
    ...(grouping === null ? {} : { grouping }),
    ...(custom === null ? {} : { custom }),
  };
}

/** The incident did not exist before the deploy in whose window it lies. */
function isDeployRegression(
  evidence: BundleEvidence,
  chosen: ChosenEvidence,
  context: BundleContext,
): boolean {
  if (chosen.deployment === null || context.deploy?.regression_window !== true) return false;
  return evidence.incident.firstSeenAtMs >= chosen.deployment.deployedAtMs;
}

function serviceOf(
  { incident }: BundleEvidence,
  primary: NormalizedEvent,
  context: BundleContext,
): BundleDocument['service'] {
  return {
    id: incident.serviceId,
    name: incident.serviceName || 'unknown',
    runtime: evidenceTextOrNull(primary.service.runtime),
    framework: evidenceTextOrNull(primary.service.framework),
    // The event's own release: while a deploy goes out, events of the one before it still arrive.
    version: evidenceTextOrNull(textAt(primary.context, 'release')) ?? context.deploy?.deploy_version ?? null,
    region: evidenceTextOrNull(textAt(primary.context, 'region')),
  };
}

function sourceEventTypes(inputs: readonly NormalizedEvent[], chosen: ChosenEvidence): string[] {
  const types = new Set<string>(inputs.map((event) => event.eventType));
  if (chosen.usedDeployments.length > 0) types.add('deploy_metadata');
  return [...types].sort(compareText);
}

/**
 * A verification event is sent by a person or a pipeline to see whether capture works (docs/contract/incidents.md
 * 3.1).
 */
function verificationOf(primary: NormalizedEvent, environment: string): BundleDocument['verification'] {
  const synthetic = booleanAt(primary.context, 'verification') === true;
  return {
    verification_type: evidenceTextOrNull(textAt(primary.context, 'verification_type')),
    synthetic,
    local_verified: false,
    production_verified: synthetic && isProductionLike(environment),
  };
}

function linksOf({ incident, constants }: BundleEvidence): BundleDocument['links'] {
  const api = `${withoutSlash(constants.baseUrl)}/v1/incidents/${incident.incidentId}`;
  const app = withoutSlash(constants.appUrl);
  return {
    self: `${api}/bundle`,
    reproduction: `${api}/reproduction`,
    incident: `${app}/incidents/${incident.incidentId}`,
    project: `${app}/projects/${incident.projectId}`,
    docs: null,
  };
}

/** An address to which a path can be added. */
export function withoutSlash(address: string): string {
  return address.endsWith('/') ? address.slice(0, -1) : address;
}

/** The receive times of the inputs replace a clock, which a deterministic document must not read. */
function metadataOf(
  evidence: BundleEvidence,
  chosen: ChosenEvidence,
  inputs: readonly NormalizedEvent[],
): BundleDocument['metadata'] {
  const first = chosen.oldestFirst.find((sample) => sample.roles.includes('first')) ?? chosen.primary;
  let updatedAtMs = first.event.receivedAtMs;
  for (const { receivedAtMs } of [...inputs, ...chosen.usedDeployments]) {
    updatedAtMs = Math.max(updatedAtMs, receivedAtMs);
  }
  return {
    created_at: formatTimestamp(first.event.receivedAtMs),
    updated_at: formatTimestamp(updatedAtMs),
    generator_version: GENERATOR_VERSION,
    generation_number: evidence.generationNumber,
  };
}
