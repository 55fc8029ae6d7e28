import type { CaptureMatcher } from '@culprit/contract/capture/capture';
import type { CaptureRuleSuggestion } from '@culprit/contract/capture/capture-rules';
import { REDACTED } from '@culprit/contract/events/secret-keys';
import { FINGERPRINT_VERSION } from '@culprit/contract/incidents/fingerprint-version';
import { clientOf, OTHER_BOT_FAMILY } from '@culprit/evidence/capture/client-kind';
import { TRUNCATED_MARK } from '@culprit/evidence/events/envelope/clean-text';
import { givenRouteTemplate, pathRouteTemplate } from '@culprit/evidence/events/fingerprint/route-template';
import type { SuggestionEvidence } from './suggestion-evidence.ts';

/** A suggestion without what is known of rules made from it. */
export type SuggestedRule = Omit<CaptureRuleSuggestion, 'created_rule_id' | 'created_rule_enabled'>;

/** The limits of a matcher (docs/contract/ingestion.md 5.2). */
const HOST_CHARS_MAX = 255;
const PATH_CHARS_MAX = 1024;
const SERVICE_CHARS_MAX = 120;
const EVENT_ID_CHARS_MAX = 120;
const NAME_CHARS_MAX = 120;
const LABEL_CHARS_MAX = 200;

/** Occurrences from which a failing request route is called noisy. */
const NOISY_FROM = 10;
const SAMPLE_RATE = 0.1;

/**
 * The rules that fit a bundle, those first that take away least (docs/contract/ingestion.md 5.5). Equal bundles give
 * equal suggestions under equal ids. Rules with keys that older libraries lack name their event types, so that
 * such a library cannot apply them to everything (10.3).
 */
export function suggestedRules(evidence: SuggestionEvidence): SuggestedRule[] {
  return [
    resourceHost(evidence),
    opaqueWindowError(evidence),
    botClient(evidence),
    noisyRequestRoute(evidence),
    exactFingerprint(evidence),
  ].filter((suggestion) => suggestion !== null);
}

function resourceHost(evidence: SuggestionEvidence): SuggestedRule | null {
  const { resource } = evidence;
  const host = resource?.host ?? null;
  if (resource === null || host === null || resource.isFirstParty === true) return null;
  if (!fits(host, HOST_CHARS_MAX)) return null;
  return suggestion(evidence, {
    id: 'primary_resource_host_demote',
    label: `Keep failed resources of ${host} without incident`,
    action: 'demote',
    confidence: resource.isFirstParty === false ? 'high' : 'medium',
    reason: `The resource belongs to another host, ${host}: the page can do nothing about it.`,
    matcher: {
      event_types: ['frontend_exception'],
      browser_event_kind: 'resource_error',
      resource_url: { host },
    },
  });
}

function opaqueWindowError(evidence: SuggestionEvidence): SuggestedRule | null {
  const { serviceName, environment, fingerprintKind, resource } = evidence;
  if (fingerprintKind !== 'window' || resource !== null || !hasScope(evidence)) return null;
  return suggestion(evidence, {
    id: 'opaque_window_error_demote',
    label: `Keep hidden script errors of ${serviceName} in ${environment} without incident`,
    action: 'demote',
    confidence: 'medium',
    reason: 'The browser hides what happened in a script of another origin, so it does not show what to fix.',
    matcher: {
      event_types: ['frontend_exception'],
      services: [serviceName],
      environments: [environment],
      browser_event_kind: 'window_error',
      browser_event_opaque: true,
    },
  });
}

function botClient(evidence: SuggestionEvidence): SuggestedRule | null {
  const { serviceName, eventType } = evidence;
  const { kind, family } = clientOf(evidence.userAgent);
  if (kind !== 'bot' || family === null || !isSignalType(eventType) || !hasScope(evidence)) return null;
  const isKnown = family !== OTHER_BOT_FAMILY;
  return suggestion(evidence, {
    id: 'bot_client_demote',
    label: isKnown
      ? `Keep errors that ${family} meets in ${serviceName} without incident`
      : `Keep errors that bots meet in ${serviceName} without incident`,
    action: 'demote',
    confidence: isKnown ? 'high' : 'medium',
    reason: isKnown
      ? `The client was ${family}; no person saw the failure.`
      : 'The client calls itself a bot; no person saw the failure.',
    matcher: { event_types: [eventType], services: [serviceName], client_kind: 'bot', bot_family: family },
  });
}

/**
 * Suggests a rule for failures that only the preset calls failures: the project has promoted neither their status nor
 * their path. They remain as context, so they no longer open an incident.
 */
function noisyRequestRoute(evidence: SuggestionEvidence): SuggestedRule | null {
  const { request, status, serviceName } = evidence;
  const isUnpromoted = evidence.matchedPolicy === 'immediate_failure_preset';
  if (!isUnpromoted || evidence.occurrenceCount < NOISY_FROM || status === null) return null;
  const place = request.path === null ? null : routeMatcher(request.path, request.routeTemplate);
  if (place === null || !hasScope(evidence)) return null;
  const route = place.path_equals ?? `${place.path_prefix}…`;
  return suggestion(evidence, {
    id: 'noisy_request_route_sample',
    label: `Keep one in ten ${status} answers of ${route} as context`,
    action: 'sample',
    confidence: 'medium',
    reason: `${route} answered ${status} ${evidence.occurrenceCount} times, and the project promotes neither this status nor this path.`,
    matcher: {
      event_types: ['request_event'],
      services: [serviceName],
      request_url: place,
      status_codes: [status],
    },
  });
}

function exactFingerprint(evidence: SuggestionEvidence): SuggestedRule | null {
  const { fingerprint, fingerprintVersion, fingerprintKind } = evidence;
  // Availability checks send no events that a rule could meet.
  if (fingerprintVersion !== FINGERPRINT_VERSION || fingerprintKind === 'availability') return null;
  return suggestion(evidence, {
    id: 'exact_fingerprint_drop',
    label: 'Discard all further events of this incident',
    action: 'drop',
    confidence: 'low',
    reason: 'Discarded events are not stored: nothing shows when the failure gets worse or ends.',
    matcher: { fingerprint: { version: fingerprintVersion, value: fingerprint } },
  });
}

interface Draft {
  id: string;
  label: string;
  action: CaptureRuleSuggestion['recommended_action'];
  confidence: CaptureRuleSuggestion['confidence'];
  reason: string;
  matcher: CaptureMatcher;
}

function suggestion(evidence: SuggestionEvidence, draft: Draft): SuggestedRule {
  const { action, matcher, reason } = draft;
  const isSample = action === 'sample';
  const { incidentId, primaryEventId } = evidence;
  return {
    suggestion_id: draft.id,
    label: cut(draft.label, LABEL_CHARS_MAX),
    recommended_action: action,
    confidence: draft.confidence,
    reason: cut(reason, 500),
    requires_confirmation: action === 'drop',
    rule: {
      name: cut(draft.label, NAME_CHARS_MAX),
      description: cut(reason, 500),
      enabled: true,
      action,
      matcher,
      sample_rate: isSample ? SAMPLE_RATE : null,
      sample_event_class: isSample ? 'context' : null,
      expires_at: null,
      created_from_incident_id: incidentId,
      created_from_event_id: [...primaryEventId].length > EVENT_ID_CHARS_MAX ? null : primaryEventId,
    },
  };
}

/** The route of a request as a matcher can say it: its fixed beginning, or the path where all of it is fixed. */
function routeMatcher(path: string, routeTemplate: string | null): PathMatcher | null {
  if (!fits(path, PATH_CHARS_MAX) || !path.startsWith('/')) return null;
  for (const template of [
    routeTemplate === null ? null : givenRouteTemplate(routeTemplate),
    pathRouteTemplate(path),
  ]) {
    const parameterAt = template?.indexOf('{param}') ?? -1;
    // If a router is mounted below another one, the template is only the end of the path.
    if (template === null || parameterAt <= 1 || !path.startsWith(template.slice(0, parameterAt))) continue;
    return { path_prefix: template.slice(0, parameterAt) };
  }
  return { path_equals: path };
}

type PathMatcher =
  | { path_prefix: string; path_equals?: never }
  | { path_equals: string; path_prefix?: never };

function hasScope({ serviceName, environment }: SuggestionEvidence): boolean {
  return fits(serviceName, SERVICE_CHARS_MAX) && fits(environment, SERVICE_CHARS_MAX);
}

/** Returns true if a text of the document can be used in a matcher; one that was redacted or cut would never match. */
function fits(text: string, charsMax: number): boolean {
  return [...text].length <= charsMax && !text.includes(REDACTED) && !text.includes(TRUNCATED_MARK);
}

type SignalType = NonNullable<CaptureMatcher['event_types']>[number];

function isSignalType(type: string): type is SignalType {
  return SIGNAL_TYPES.has(type);
}

const SIGNAL_TYPES: ReadonlySet<string> = new Set<SignalType>([
  'backend_exception',
  'frontend_exception',
  'request_event',
  'log_event',
]);

function cut(text: string, charsMax: number): string {
  const characters = [...text];
  return characters.length <= charsMax ? text : `${characters.slice(0, charsMax - 1).join('')}…`;
}
