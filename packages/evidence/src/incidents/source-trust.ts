import type { SourceTrust } from '@culprit/contract/incidents';
import type { EventType } from '../events/normalize/event.ts';

/** Who can have sent a signal: anybody with a page of the application open, or only who holds a secret token. */
export const BROWSER_SOURCE = 1;
const SERVER = 2;

/** What an incident is told of one of its signals, to be joined with `|`. */
export function signalSource(eventType: EventType, isOriginBound: boolean): number {
  // A relay forwards what a browser sent with a token of its own.
  const isBrowserEvent = eventType === 'frontend_exception' || eventType === 'frontend_breadcrumb';
  return isOriginBound || isBrowserEvent ? BROWSER_SOURCE : SERVER;
}

/** The word for the sources of all signals of an incident. */
export function sourceTrust(sources: number): SourceTrust {
  if (sources === (BROWSER_SOURCE | SERVER)) return 'mixed';
  return sources === BROWSER_SOURCE ? 'browser' : 'server';
}
