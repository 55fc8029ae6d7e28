import type { EventClass, MatchedPolicy } from './event.ts';
import type { EventFacts } from './event-facts.ts';

/** Why a request counts as an immediate failure (docs/contract/ingestion.md 4.4). */
export type ImmediateFailure = Extract<
  MatchedPolicy,
  | 'immediate_failure_5xx'
  | 'immediate_failure_preset'
  | 'immediate_client_error_status'
  | 'immediate_client_error_path_rule'
>;

/** Log levels from `error` up may open an incident. */
const SIGNAL_LOG_RANK = 3;

/**
 * Class of an event and the rule that made it a signal, null for the other classes (docs/contract/ingestion.md 4.1,
 * docs/contract/incidents.md
 * 5.3). Set once, at acceptance.
 * @param failure reason a `request_event` is an immediate failure, from the project's capture policy
 * @param capturedRank from which rank a captured message is a signal, from the same
 */
export function classifyEvent(
  facts: EventFacts,
  failure: ImmediateFailure | null,
  capturedRank: number,
): { eventClass: EventClass; matchedPolicy: MatchedPolicy | null } {
  switch (facts.eventType) {
    case 'backend_exception':
    case 'frontend_exception':
      return { eventClass: 'incident_signal', matchedPolicy: 'always_incident' };
    case 'log_event':
      if (facts.isCaptured && (facts.logRank ?? 0) >= capturedRank)
        return { eventClass: 'incident_signal', matchedPolicy: 'captured_message' };
      return (facts.logRank ?? 0) >= SIGNAL_LOG_RANK
        ? { eventClass: 'incident_signal', matchedPolicy: 'log_level_error' }
        : CONTEXT;
    case 'request_event':
      return failure === null ? CONTEXT : { eventClass: 'incident_signal', matchedPolicy: failure };
    case 'frontend_breadcrumb':
    case 'deploy_metadata':
      return CONTEXT;
    case 'error_suppressed':
    case 'probe_event':
      return { eventClass: 'operational_signal', matchedPolicy: null };
  }
}

const CONTEXT = { eventClass: 'context_signal', matchedPolicy: null } as const;

/**
 * Returns the class that an event has after a rule keeps it without incident, or after a sample is kept as context;
 * only signals change (docs/contract/ingestion.md 4.1).
 */
export function demotedClass(eventClass: EventClass): EventClass {
  return eventClass === 'incident_signal' ? 'context_signal' : eventClass;
}
