import type { MatchedPolicy, NormalizedEvent } from '../events/normalize/event.ts';

/** `incident_reason.kind` (docs/contract/incidents.md 1.1). */
type ReasonKind = 'backend_exception' | 'frontend_exception' | 'request_failure' | 'error_log' | 'heartbeat';

/** Describes why the first occurrence opened an incident, for its record. */
export function describeReason(
  event: NormalizedEvent,
  policy: MatchedPolicy | null,
): { kind: ReasonKind; description: string; matchedPolicy: MatchedPolicy } {
  const matchedPolicy = policy ?? 'always_incident';
  if (matchedPolicy === 'availability_threshold') {
    const description = 'An availability check reached its threshold of consecutive failures.';
    return { kind: 'request_failure', description, matchedPolicy };
  }
  if (matchedPolicy === 'heartbeat_threshold') {
    const description = 'A scheduled job reached its threshold of consecutive failed or missed runs.';
    return { kind: 'heartbeat', description, matchedPolicy };
  }
  switch (event.payload.kind) {
    case 'request': {
      const status = event.payload.response.statusCode;
      return {
        kind: 'request_failure',
        description: `A request was answered with status ${status}.`,
        matchedPolicy,
      };
    }
    case 'log':
      return {
        kind: 'error_log',
        description:
          matchedPolicy === 'captured_message'
            ? `A message of level ${event.payload.level} was reported.`
            : `A log entry of level ${event.payload.level} was written.`,
        matchedPolicy,
      };
    default:
      return event.eventType === 'frontend_exception'
        ? { kind: 'frontend_exception', description: 'A browser error was reported.', matchedPolicy }
        : { kind: 'backend_exception', description: 'A server-side exception was reported.', matchedPolicy };
  }
}
