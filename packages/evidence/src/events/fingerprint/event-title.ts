import type { EventType, ExceptionPayload, LogPayload, NormalizedEvent } from '../normalize/event.ts';
import { cutUnits, firstFilledLine } from './bounded-text.ts';
import { browserFailure } from './browser-failure.ts';
import type { WatchedKind } from './fingerprint.ts';
import { requestRoute } from './route-template.ts';
import { statementOf } from './statement/statement.ts';

const TITLE_CHARS_MAX = 200;

/**
 * Title of the incident that this event opens: 1 to 200 characters on one line (contract incidents 1.2).
 * Events that open none get a plain description.
 */
export function eventTitle(event: NormalizedEvent): string {
  return bounded(titleText(event), event.eventType);
}

/** Title of the incident of a failing availability check, or of a scheduled job. */
export function availabilityTitle(checkName: string, kind: WatchedKind = 'availability_check'): string {
  const subject = kind === 'heartbeat' ? 'Scheduled job' : 'Availability check';
  return bounded(`${subject} failing: ${firstFilledLine(checkName) || 'unnamed'}`, 'availability');
}

function bounded(text: string, fallback: string): string {
  return cutUnits(text, TITLE_CHARS_MAX).trim() || fallback;
}

function titleText({ eventType, payload }: NormalizedEvent): string {
  switch (payload.kind) {
    case 'exception':
      return exceptionTitle(eventType, payload);
    case 'request': {
      const route = requestRoute(payload.request) ?? '/';
      return `${payload.request.method.trim().toUpperCase()} ${route} returned ${payload.response.statusCode}`;
    }
    case 'log':
      return logTitle(payload) || 'Log entry without text';
    case 'breadcrumb':
      return `Breadcrumb ${payload.breadcrumb.breadcrumbType}`;
    case 'deploy':
      return `Deploy ${payload.version ?? payload.commitSha ?? ''}`;
    case 'suppressed':
      return `${payload.suppressedCount} suppressed errors`;
    case 'probe':
      return `Probe ${payload.label}`;
  }
}

/** Returns the statement of the line, and the error with it; for a trace inside the message, the error alone. */
function logTitle({ message, error }: LogPayload): string {
  const said = [error?.name ?? '', statementOf(error?.message ?? '')]
    .filter((part) => part !== '')
    .join(': ');
  const stated = error?.sentence === null || said === '' ? statementOf(message) : '';
  return [stated, stated.includes(said) ? '' : said].filter((part) => part !== '').join(': ');
}

function exceptionTitle(eventType: EventType, payload: ExceptionPayload): string {
  const failure = browserFailure(eventType, payload);
  if (failure?.kind === 'window') {
    return `Opaque browser error: ${firstFilledLine(failure.message) || 'no detail'}`;
  }
  if (failure?.kind === 'resource') {
    return `Failed to load ${failure.tag || 'resource'} ${failure.host}${failure.path}`;
  }
  const message = statementOf(payload.message);
  return message === '' ? firstFilledLine(payload.name) : `${firstFilledLine(payload.name)}: ${message}`;
}
