import { logLevelWords } from '@culprit/contract/events/event-fields';
import { isJsonObject, type JsonObject, type JsonValue } from '../../events/envelope/json.ts';
import { setOwn } from '../../events/envelope/own-property.ts';
import { contextOf } from './event-context.ts';
import { shiftedMs, wireEvent } from './event-head.ts';
import { derivedId } from './foreign-ids.ts';
import { asEvent, attributesOf } from './item-attributes.ts';
import { openBudget, openMap } from './open-values.ts';
import type { SentrySource } from './sentry-source.ts';
import { anyText, filled, textOf } from './written-values.ts';

const MESSAGE_CHARS_MAX = 16_384;

/** The lines of a container of logs (docs/contract/foreign-protocols.md 6.2). */
export function mapLogs(payload: JsonObject, source: SentrySource): JsonObject[] {
  const seen = new Map<string, number>();
  const lines = Array.isArray(payload.items) ? payload.items : [];
  return lines.flatMap((line) => {
    if (!isJsonObject(line)) return [];
    const text = anyText(line, Number.POSITIVE_INFINITY);
    const place = (seen.get(text) ?? 0) + 1;
    seen.set(text, place);
    return [logEvent(line, source, derivedId('log', source.keyId, text, String(place)))];
  });
}

function logEvent(line: JsonObject, source: SentrySource, eventId: string): JsonObject {
  const attributes = attributesOf(line);
  const event = asEvent(line, attributes);
  const budget = openBudget();
  return wireEvent(
    'log_event',
    { eventId, atMs: shiftedMs(line.timestamp, source) ?? source.receivedAt },
    {
      event,
      source,
      context: contextOf(event, source, { budget, sentry: {} }),
      payload: filled({
        message: anyText(line.body, MESSAGE_CHARS_MAX),
        level: levelOf(line),
        logger: textOf(attributes['logger.name'] ?? attributes['sentry.logger.name'], 200),
        attributes: openMap(ownAttributes(attributes), budget),
      }),
    },
  );
}

function levelOf({ level, severity_number: number }: JsonObject): string {
  const word = typeof level === 'string' ? level.toLowerCase() : '';
  return Object.hasOwn(logLevelWords, word) ? word : levelOfSeverity(number);
}

/** The numbers of OpenTelemetry. */
function levelOfSeverity(severity: JsonValue | undefined): string {
  if (typeof severity !== 'number' || severity < 1) return 'info';
  if (severity < 9) return 'debug';
  if (severity < 13) return 'info';
  if (severity < 17) return 'warning';
  return severity < 21 ? 'error' : 'fatal';
}

/** Returns the attributes that the application wrote: neither those that the library adds nor those of the user. */
function ownAttributes(attributes: JsonObject): JsonObject {
  const own: JsonObject = {};
  for (const key in attributes) {
    if (!key.startsWith('sentry.') && !key.startsWith('user.')) setOwn(own, key, attributes[key] ?? null);
  }
  return own;
}
