import {
  headerText,
  mapAt,
  numberAt,
  textAt,
  valueAt,
} from '@culprit/evidence/bundles/evidence/read-open-map';
import { isJsonObject, type JsonObject } from '@culprit/evidence/events/envelope/json';

/** The facts in the incident's row that its bundle lacks; they stay the same while the incident exists. */
export interface SuggestionIncident {
  /** The id in the form of the API, `inc_` and a UUID. */
  incidentId: string;
  /** 64 lower-case hex digits. */
  fingerprint: string;
  fingerprintVersion: string;
  fingerprintKind: string;
  /** The type of the event that opened it. */
  eventType: string;
  matchedPolicy: string;
}

/**
 * The evidence for suggestions: parts of the bundle document (docs/contract/incidents.md 3), null if it shows nothing.
 */
export interface SuggestionEvidence extends SuggestionIncident {
  primaryEventId: string;
  occurrenceCount: number;
  serviceName: string;
  environment: string;
  resource: { host: string | null; isFirstParty: boolean | null } | null;
  userAgent: string | null;
  request: { method: string | null; path: string | null; routeTemplate: string | null };
  status: number | null;
}

/** Reads the stored document; null when it is not what a bundle must be. */
export function readSuggestionEvidence(
  bytes: Buffer,
  incident: SuggestionIncident,
): SuggestionEvidence | null {
  const document = parseDocument(bytes);
  const signal = mapAt(document, 'signal');
  const context = mapAt(document, 'context');
  const primaryEventId = textAt(signal, 'signal_id');
  const occurrenceCount = numberAt(signal, 'occurrence_count');
  const serviceName = textAt(mapAt(document, 'service'), 'name');
  const environment = textAt(mapAt(document, 'project'), 'environment');
  if (primaryEventId === null || occurrenceCount === null || serviceName === null || environment === null) {
    return null;
  }
  const resource = mapAt(context, 'resource_failure');
  const request = mapAt(context, 'request');
  const isFirstParty = valueAt(resource, 'first_party');
  return {
    ...incident,
    primaryEventId,
    occurrenceCount,
    serviceName,
    environment,
    resource: resource && {
      host: textAt(resource, 'host'),
      isFirstParty: typeof isFirstParty === 'boolean' ? isFirstParty : null,
    },
    userAgent:
      textAt(mapAt(context, 'device'), 'user_agent') ??
      headerText(mapAt(request, 'headers') ?? {}, 'user-agent'),
    request: {
      method: textAt(request, 'method'),
      path: textAt(request, 'path'),
      routeTemplate: textAt(request, 'route_template'),
    },
    status: numberAt(mapAt(context, 'response'), 'status_code'),
  };
}

function parseDocument(bytes: Buffer): JsonObject | null {
  try {
    const document: unknown = JSON.parse(bytes.toString('utf8'));
    return isJsonObject(document) ? document : null;
  } catch {
    return null;
  }
}
