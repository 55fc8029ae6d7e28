import type { LogLevel, NormalizedEvent } from './event.ts';

/** Returns the content of an event in one line. */
export function eventLine({ payload }: NormalizedEvent): string {
  switch (payload.kind) {
    case 'exception':
      return payload.message === '' ? payload.name : `${payload.name}: ${payload.message}`;
    case 'request':
      return `${payload.request.method} ${payload.request.path} ${payload.response.statusCode}`;
    case 'log':
      return payload.message;
    case 'breadcrumb':
      return [payload.breadcrumb.breadcrumbType, payload.breadcrumb.route].filter(Boolean).join(' ');
    case 'deploy':
      return `Deployed ${[payload.version, payload.commitSha].filter(Boolean).join(' ')}`;
    case 'suppressed':
      return payload.suppressedCount === 1
        ? '1 event was not sent'
        : `${payload.suppressedCount} events were not sent`;
    case 'probe':
      return payload.label;
  }
}

/** The level of an event that has one; exceptions are errors. */
export function eventLevel({ payload }: NormalizedEvent): LogLevel | null {
  if (payload.kind === 'log') return payload.level;
  return payload.kind === 'exception' ? 'error' : null;
}
