import type { JsonObject } from '@culprit/evidence/events/envelope/json';
import type { NormalizedEvent } from '@culprit/evidence/events/normalize/event';
import { searchMessage } from '@culprit/evidence/incidents/event-search-facts';
import { eventTags } from '@culprit/evidence/incidents/event-tags';
import { type Acceptance, type JudgedEvent, judgeEvent } from '@culprit/evidence/incidents/judge-event';
import type { Observation } from '../../improvements/observation.ts';
import { observeEvent } from '../../improvements/observe-event.ts';
import { type CountedEvent, countedEvent } from './counted-event.ts';

/** A judged event. */
export interface Judgement extends Omit<JudgedEvent, 'event'> {
  event: CountedEvent;
  /** The facts by which its incident is searched; null for an event that is no counted signal. */
  facts: SignalFacts | null;
  /** The observations for the detectors of improvements; mostly none. */
  observations: readonly Observation[];
}

export interface SignalFacts {
  /** The result of `eventTags`: keys and values in turn. */
  tags: readonly string[];
  /** Tags of the application that were left out. */
  tagsLeft: number;
  /** The result of `searchMessage`. */
  message: string;
}

/** Judges all of an event, whatever is known of others. */
export function judgeWhole(
  raw: JsonObject,
  acceptance: Acceptance,
  keyOf: Parameters<typeof judgeEvent>[2],
  isSent: boolean,
): Judgement {
  const { event, ...judged } = judgeEvent(raw, acceptance, keyOf);
  const { hashes, fingerprint } = judged;
  const isCounted =
    acceptance.eventClass === 'incident_signal' && !acceptance.isDemoted && fingerprint !== null;
  return {
    ...judged,
    event: countedEvent(event),
    facts: isCounted ? factsOf(raw, event, acceptance.isOriginBound) : null,
    // Events of the service itself show nothing about the use of an application.
    observations: isSent ? observeEvent(event, acceptance, hashes.trace ?? hashes.session) : [],
  };
}

function factsOf(raw: JsonObject, event: NormalizedEvent, isOriginBound: boolean): SignalFacts {
  const { tags, left } = eventTags(raw, event, isOriginBound);
  return { tags, tagsLeft: left, message: searchMessage(event) };
}
