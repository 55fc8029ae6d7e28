import type {
  ApplicationFrame,
  BundleImpact,
  BundleSummary,
  SignalType,
} from '@culprit/contract/incidents/bundle';
import type { BundleContext, RequestBlock } from '@culprit/contract/incidents/bundle-context';
import { formatTimestamp } from '@culprit/contract/schemas/timestamps';
import type { ParsedException } from '../../events/fingerprint/stack/parsed-stack.ts';
import type { NormalizedEvent } from '../../events/normalize/event.ts';
import type { ApplicationFrameEvidence, IncidentEvidence } from '../evidence/bundle-evidence.ts';
import type { ChosenEvidence } from '../evidence/choose-evidence.ts';
import { browserAddress, evidenceText, evidenceTextOrNull } from '../evidence/evidence-text.ts';
import type { ErrorEvidence } from './context-blocks/error.ts';
import { isResourceError } from './context-blocks/resource-failure.ts';
import { trailLines } from './context-blocks/server-trail.ts';
import { type CauseFacts, likelyCause } from './likely-cause.ts';

interface SummaryFacts {
  incident: IncidentEvidence;
  chosen: ChosenEvidence;
  error: ErrorEvidence | null;
  context: BundleContext;
  impact: BundleImpact;
  signalType: SignalType;
}

/** The document in a few sentences (docs/contract/incidents.md 3.5). */
export function summaryOf(facts: SummaryFacts): BundleSummary {
  const { incident, context, impact } = facts;
  const isNewDeploy = context.deploy?.regression_window === true;
  const frame = applicationFrame((facts.error?.sample ?? facts.chosen.primary).applicationFrame);
  const cause = likelyCause(causeFacts(facts, frame));
  return {
    title: incident.title,
    description: description(incident, context) + clockNote(facts.chosen.primary.event),
    likely_cause: cause.likelyCause,
    recommended_action: cause.recommendedAction,
    confidence: confidence(facts, frame),
    severity: incident.severity,
    error_type: context.error?.name ?? null,
    error_message: context.error?.message ?? null,
    first_application_frame: frame,
    primary_signal: facts.signalType,
    signals: {
      new_deploy: isNewDeploy,
      regression_suspected: impact.regression_suspected,
      customer_visible: impact.customer_visible,
    },
  };
}

function applicationFrame(frame: ApplicationFrameEvidence | null): ApplicationFrame | null {
  if (frame === null) return null;
  return {
    file: frame.file === null ? null : browserAddress(frame.file),
    line: frame.line,
    function: evidenceTextOrNull(frame.function),
  };
}

/** Exceptions are named by their type; other kinds have nothing better than the title. */
function description(incident: IncidentEvidence, context: BundleContext): string {
  const { error, request } = context;
  const subject =
    incident.fingerprintKind === 'exception' && error !== null
      ? `${error.handled ? 'Handled' : 'Unhandled'} ${error.name}`
      : incident.title;
  const service = incident.serviceName ?? 'unknown';
  const handling = request === null ? '' : handledRequest(request);
  const lastSeen = formatTimestamp(incident.lastSeenAtMs);
  return `${subject} in ${service} (${incident.environment})${handling}; ${incident.occurrenceCount} occurrences, last ${lastSeen}`;
}

/** The time of the document is that of its primary event. */
function clockNote({ occurredAtMs, effectiveAtMs }: NormalizedEvent): string {
  if (occurredAtMs === effectiveAtMs) return '';
  return `. The sender's clock read ${formatTimestamp(occurredAtMs)} and was not believed: the time is that of the receipt`;
}

function handledRequest({ method, route_template, path }: RequestBlock): string {
  const words = [method, route_template ?? path].filter((word) => word !== null);
  return words.length === 0 ? '' : ` while handling ${words.join(' ')}`;
}

function causeFacts(
  { incident, chosen, error, context }: SummaryFacts,
  frame: ApplicationFrame | null,
): CauseFacts {
  const { primary } = chosen;
  const isResource = incident.fingerprintKind === 'resource' || isResourceError(primary.event);
  const { deploy } = context;
  return {
    browserFailure: isResource ? 'resource' : incident.fingerprintKind === 'window' ? 'window' : null,
    errors: [
      ownError(context, primary.event.payload),
      ...(error?.sample.chain.slice(1).reverse() ?? []).map(asText),
    ],
    frame,
    hasRequest: context.request !== null,
    capturedAt: formatTimestamp(primary.event.effectiveAtMs),
    newDeploy:
      deploy?.regression_window === true ? (deploy.deploy_version ?? deploy.commit_sha ?? 'unknown') : null,
  };
}

function ownError(
  context: BundleContext,
  payload: ChosenEvidence['primary']['event']['payload'],
): { type: string; message: string } {
  if (context.error !== null) return { type: context.error.name, message: context.error.message };
  return { type: '', message: payload.kind === 'log' ? evidenceText(payload.message) : '' };
}

function asText({ type, message }: ParsedException): { type: string; message: string } {
  return { type: evidenceText(type), message: evidenceText(message) };
}

/** Counted in hundredths, so that the sum is exact and reproducible by hand (docs/contract/incidents.md 3.5.2). */
function confidence({ incident, chosen, context }: SummaryFacts, frame: ApplicationFrame | null): number {
  const { error } = context;
  const points =
    30 +
    (error !== null && error.name !== '' && error.message !== '' ? 20 : 0) +
    (frame !== null && frame.file !== null && frame.line !== null ? 20 : 0) +
    (context.request !== null ? 10 : 0) +
    (context.response !== null ? 5 : 0) +
    (chosen.context.logs.length > 0 || trailLines(chosen.primary).length > 0 ? 5 : 0) +
    (context.deploy?.regression_window === true ? 5 : 0) +
    (context.probe_data !== null ? 5 : 0);
  return Math.min(points, isOpaque(incident, chosen) ? 20 : 95) / 100;
}

function isOpaque(incident: IncidentEvidence, chosen: ChosenEvidence): boolean {
  const { payload } = chosen.primary.event;
  return (
    incident.fingerprintKind === 'window' ||
    (payload.kind === 'exception' && payload.browserEvent?.opaque === true)
  );
}
