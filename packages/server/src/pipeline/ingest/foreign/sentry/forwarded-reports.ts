import { isJsonObject, type JsonObject } from '@culprit/evidence/events/envelope/json';
import type { BrowserReport } from '@culprit/evidence/foreign/reports/describe-report';
import { readReports } from '@culprit/evidence/foreign/reports/map-reports';

const NAME_CHARS_MAX = 200;

/** Reports of a browser that a proxy of the makers took and sent on. */
export interface ForwardedReports {
  sent: readonly BrowserReport[];
  environment: string | null;
  release: string | null;
}

/**
 * The reports of an item: `raw_security` is the body as the browser sent it, with environment and release in the header
 * of the item; `security` is an event that holds it as a member. Null for what is neither.
 */
export function forwardedReports(type: string, header: JsonObject, json: unknown): ForwardedReports | null {
  if (type === 'raw_security') {
    const sent = readReports(json);
    if (sent === null) return null;
    return { sent, environment: name(header.sentry_environment), release: name(header.sentry_release) };
  }
  if (!isJsonObject(json)) return null;
  const { csp } = json;
  const sent = isJsonObject(csp) ? readReports({ 'csp-report': csp }) : OTHER;
  return sent === null ? null : { sent, environment: name(json.environment), release: name(json.release) };
}

/** Pins and certificates, of which browsers no longer report: counted alone. */
const OTHER: readonly BrowserReport[] = [{ type: '', ageMs: 0, url: null, userAgent: null, body: {} }];

function name(value: unknown): string | null {
  return typeof value === 'string' ? value.trim().slice(0, NAME_CHARS_MAX).trim() || null : null;
}
