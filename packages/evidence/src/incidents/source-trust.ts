import type { SourceTrust } from '@culprit/contract/incidents/incidents';
import type { EventType } from '../events/normalize/event.ts';

/**
 * The possible senders of a signal: any person with a page of the application open, or only holders of a secret token.
 */
export const BROWSER_SOURCE = 1;
const SERVER = 2;

/** Returns the mark that an incident stores for one of its signals, to be joined with `|`. */
export function signalSource(eventType: EventType, isOriginBound: boolean): number {
  // A relay forwards a browser's event with its own token.
  const isBrowserEvent = eventType === 'frontend_exception' || eventType === 'frontend_breadcrumb';
  return isOriginBound || isBrowserEvent ? BROWSER_SOURCE : SERVER;
}

/** The word for the sources of all signals of an incident. */
export function sourceTrust(sources: number): SourceTrust {
  if (sources === (BROWSER_SOURCE | SERVER)) return 'mixed';
  return sources === BROWSER_SOURCE ? 'browser' : 'server';
}
