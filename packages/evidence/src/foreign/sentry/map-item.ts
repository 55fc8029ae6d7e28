import { isJsonObject } from '../../events/envelope/json.ts';
import { mapEvent } from './map-event.ts';
import type { MappedItem, SentrySource } from './sentry-source.ts';

export type { MappedItem, SentrySource } from './sentry-source.ts';

const NOTHING: MappedItem = {
  events: [],
  eventId: null,
  isContext: false,
  isPolicyExempt: false,
  notTaken: 0,
  isInvalid: false,
};

/** One item of an envelope as Culprit's events: none, one, or several. Pure: no clock, no I/O; never throws. */
export function mapSentryItem(type: string, payload: unknown, source: SentrySource): MappedItem {
  if (!isJsonObject(payload)) return { ...NOTHING, isInvalid: true };
  switch (type) {
    case 'event': {
      const { event, head } = mapEvent(payload, source);
      return { ...NOTHING, events: [event], eventId: head.eventId };
    }
    default:
      return NOTHING;
  }
}
