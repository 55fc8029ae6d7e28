import { isJsonObject, type JsonObject } from '../../events/envelope/json.ts';
import { eventHead } from './event-head.ts';
import { mapClientReport } from './map-client-report.ts';
import { mapEvent } from './map-event.ts';
import { mapFeedback, mapUserReport } from './map-feedback.ts';
import { mapLogs } from './map-logs.ts';
import { mapSpans } from './map-spans.ts';
import { mapTransaction } from './map-transaction.ts';
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
export function mapSentryItem(type: string, sent: unknown, source: SentrySource): MappedItem {
  if (!isJsonObject(sent)) return { ...NOTHING, isInvalid: true };
  const payload = withShortNames(sent);
  switch (type) {
    case 'event':
    case 'transaction':
    case 'feedback':
      return ofEvent(
        payload.type === 'transaction' || payload.type === 'feedback' ? payload.type : type,
        payload,
        source,
      );
    case 'user_report':
      return { ...NOTHING, ...SAID, events: [mapUserReport(payload, source)], eventId: source.eventId };
    case 'span': {
      const { events, spans } = mapSpans(payload, source);
      return { ...NOTHING, isContext: true, events, notTaken: spans - events.length };
    }
    case 'log':
      return { ...NOTHING, events: mapLogs(payload, source) };
    case 'client_report': {
      const report = mapClientReport(payload, source);
      return { ...NOTHING, events: report === null ? [] : [report] };
    }
    default:
      return NOTHING;
  }
}

const LONG_NAMES: readonly (readonly [string, string])[] = [
  ['sentry.interfaces.Exception', 'exception'],
  ['sentry.interfaces.Stacktrace', 'stacktrace'],
  ['sentry.interfaces.Message', 'logentry'],
  ['sentry.interfaces.Http', 'request'],
  ['sentry.interfaces.User', 'user'],
  ['sentry.interfaces.Breadcrumbs', 'breadcrumbs'],
  ['sentry.interfaces.Contexts', 'contexts'],
];

/** Until protocol 6 the parts of an event had the names of classes. */
function withShortNames(event: JsonObject): JsonObject {
  const named = LONG_NAMES.filter(([long]) => event[long] !== undefined);
  if (named.length === 0) return event;
  const copy = { ...event };
  for (const [long, short] of named) {
    copy[short] ??= copy[long] ?? null;
    delete copy[long];
  }
  return copy;
}

/** A user's feedback is always kept, and never an incident. */
const SAID = { isContext: true, isPolicyExempt: true };

function ofEvent(type: string, payload: JsonObject, source: SentrySource): MappedItem {
  if (type === 'feedback') {
    const { eventId } = eventHead(payload, source);
    return { ...NOTHING, ...SAID, events: [mapFeedback(payload, source)], eventId };
  }
  if (type === 'event') {
    const { event, head } = mapEvent(payload, source);
    return { ...NOTHING, events: [event], eventId: head.eventId };
  }
  const mapped = mapTransaction(payload, source);
  const spans = Array.isArray(payload.spans) ? payload.spans.length : 0;
  return {
    ...NOTHING,
    isContext: true,
    events: mapped === null ? [] : [mapped.event],
    eventId: eventHead(payload, source).eventId,
    notTaken: spans,
  };
}
