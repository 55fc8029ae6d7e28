import type { EventType } from '@culprit/evidence/events/normalize/event';

/** The kind of an event, for people. */
export const TYPE_WORDS: Readonly<Record<EventType, string>> = {
  backend_exception: 'Server error',
  frontend_exception: 'Browser error',
  request_event: 'Request',
  log_event: 'Log line',
  frontend_breadcrumb: 'Breadcrumb',
  deploy_metadata: 'Deploy',
  error_suppressed: 'Suppressed repeats',
  probe_event: 'Probe',
};

/** The same for a type that a newer server may have sent. */
export function typeWords(type: string): string {
  const words: Readonly<Record<string, string>> = TYPE_WORDS;
  return words[type] ?? type;
}
