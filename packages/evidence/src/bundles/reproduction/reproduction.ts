import type { FrontendBlock, NetworkRequest } from '@culprit/contract/incidents/bundle-context';
import type {
  FeasibilityReference,
  Reproduction,
  ReproductionReason,
} from '@culprit/contract/incidents/reproduction';
import { formatTimestamp } from '@culprit/contract/schemas/timestamps';
import type { NormalizedEvent } from '../../events/normalize/event.ts';
import type { ExchangeEvidence } from '../document/context-blocks/request-response.ts';
import { isResourceError } from '../document/context-blocks/resource-failure.ts';
import type { FingerprintKind } from '../evidence/bundle-evidence.ts';
import type { ChosenEvidence } from '../evidence/choose-evidence.ts';
import { type ReplayRequest, replayOfBlock, replayOfTrail } from './replay-request.ts';
import { reproductionArtifacts } from './reproduction-artifacts.ts';
import { splitAddress } from './request-target.ts';

/** The same in every document (docs/contract/incidents.md 4.1). */
const FEASIBILITY_REFERENCE: FeasibilityReference = {
  standard_http_bugs: 'high',
  frontend_interaction_plus_failing_request: 'medium-high',
  background_jobs: 'medium',
  race_conditions: 'low',
  external_outage_timing: 'low-medium',
};

/** Confidences are counted in hundredths, so that sums are exact. */
const CONFIDENCE_FLOOR = 10;
const CREDENTIAL_DEDUCTION = 10;
const TRUNCATED_DEDUCTION = 20;
const OMITTED_DEDUCTION = 20;
const OUTDATED_DEDUCTION = 10;

interface Replay {
  request: ReplayRequest;
  reason: ReproductionReason;
  baseConfidence: number;
}

/**
 * Returns whether and how the failure can be reproduced: the first rule of docs/contract/incidents.md 4.2 that matches.
 */
export function reproductionOf(
  fingerprintKind: FingerprintKind,
  chosen: ChosenEvidence,
  exchange: ExchangeEvidence,
  frontend: FrontendBlock | null,
): Reproduction {
  const primary = chosen.primary.event;
  if (isOpaque(fingerprintKind, primary)) return notPossible('opaque_browser_event');

  const replay = exchange.request === null ? replayFromTrail(primary, frontend) : replayFromBlock(exchange);
  if (replay === 'invalid_request_line') return notPossible('invalid_request_line');
  if (replay === null) {
    return notPossible(primary.eventType === 'log_event' ? 'insufficient_context' : 'no_request_context');
  }
  const artifacts = reproductionArtifacts(replay.request);
  if (artifacts === null) return notPossible('insufficient_context');
  return {
    possible: true,
    confidence: Math.max(CONFIDENCE_FLOOR, replay.baseConfidence - deductions(replay.request, chosen)) / 100,
    reason: replay.reason,
    artifacts,
    feasibility_reference: FEASIBILITY_REFERENCE,
  };
}

/** The answer that names no artifacts. */
export function notPossible(reason: ReproductionReason): Reproduction {
  return {
    possible: false,
    confidence: 0,
    reason,
    artifacts: null,
    feasibility_reference: FEASIBILITY_REFERENCE,
  };
}

/**
 * Returns true if a browser reported only that something failed, without details, or if the failure is no request of
 * the application.
 */
function isOpaque(fingerprintKind: FingerprintKind, primary: NormalizedEvent): boolean {
  return fingerprintKind === 'window' || fingerprintKind === 'resource' || isResourceError(primary);
}

function replayFromBlock(exchange: ExchangeEvidence): Replay | 'invalid_request_line' | null {
  if (exchange.request === null) return null;
  const request = replayOfBlock(exchange.request, exchange.origin, exchange.requestBody);
  if (request === null) return 'invalid_request_line';
  if (request.origin === null)
    return { request, reason: 'request_context_without_origin', baseConfidence: 65 };
  const reason = request.body.isOmitted ? 'request_context_without_body' : 'request_context_available';
  return { request, reason, baseConfidence: 90 };
}

/** The failing request nearest before the error, or else the last one, that a command can send. */
function replayFromTrail(
  primary: NormalizedEvent,
  frontend: FrontendBlock | null,
): Replay | 'invalid_request_line' | null {
  if (primary.eventType !== 'frontend_exception' || primary.payload.kind !== 'exception') return null;
  const failing = (frontend?.network_requests ?? []).filter(isFailing);
  if (failing.length === 0) return null;
  const at = formatTimestamp(primary.effectiveAtMs);
  const before = failing.filter((request) => request.ts !== null && request.ts <= at);
  const pageUrl = primary.payload.browserEvent?.page?.url ?? null;
  const pageOrigin = pageUrl === null ? null : splitAddress(pageUrl).origin;
  for (const candidate of [...before.toReversed(), ...failing.toReversed()]) {
    const request = replayOfTrail(candidate, pageOrigin);
    if (request !== null) return { request, reason: 'frontend_network_request', baseConfidence: 50 };
  }
  return 'invalid_request_line';
}

/** Status 0 means that no answer came. */
function isFailing({ status }: NetworkRequest): boolean {
  return status !== null && (status === 0 || status >= 400);
}

function deductions(request: ReplayRequest, chosen: ChosenEvidence): number {
  const newestDeployedAtMs = chosen.newestDeployment?.deployedAtMs ?? Number.NEGATIVE_INFINITY;
  return (
    (request.isCredentialRedacted ? CREDENTIAL_DEDUCTION : 0) +
    (request.body.isTruncated ? TRUNCATED_DEDUCTION : 0) +
    (request.body.isOmitted ? OMITTED_DEDUCTION : 0) +
    (chosen.primary.event.effectiveAtMs < newestDeployedAtMs ? OUTDATED_DEDUCTION : 0)
  );
}
