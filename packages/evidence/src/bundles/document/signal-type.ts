import type { SignalType } from '@culprit/contract/incidents/bundle';
import type { SampleEvidence } from '../evidence/bundle-evidence.ts';
import { booleanAt } from '../evidence/read-open-map.ts';
import { hasParsedStack } from './context-blocks/error.ts';

/** Returns the kind of failure that the primary event reports (docs/contract/incidents.md 3.2). */
export function signalTypeOf(primary: SampleEvidence): SignalType {
  const { context, eventType, payload } = primary.event;
  if (eventType === 'frontend_exception') return 'frontend_exception';
  if (payload.kind === 'exception') {
    const isDeath =
      booleanAt(context, 'fatal') === true || /^\s*(?:panic|fatal error):/i.test(payload.message);
    return !payload.handled && isDeath ? 'fatal_error' : 'exception';
  }
  if (payload.kind !== 'log') return 'request_failure';
  if (payload.level === 'critical' || payload.level === 'fatal') return 'fatal_error';
  return hasParsedStack(primary) ? 'exception' : 'warning';
}
