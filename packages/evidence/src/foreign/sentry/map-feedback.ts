import { cleanText } from '../../events/envelope/clean-text.ts';
import type { JsonObject } from '../../events/envelope/json.ts';
import { objectOrEmpty } from '../../events/envelope/read-json.ts';
import { contextOf } from './event-context.ts';
import { eventHead, wireEvent } from './event-head.ts';
import { derivedId } from './foreign-ids.ts';
import { openBudget } from './open-values.ts';
import type { SentrySource } from './sentry-source.ts';
import { anyText, filled, hexId, textOf } from './written-values.ts';

const MESSAGE_CHARS_MAX = 4_096;

/** Returns a user's feedback (docs/contract/foreign-protocols.md 6.4), as an event that has it as a context. */
export function mapFeedback(event: JsonObject, source: SentrySource): JsonObject {
  const feedback = objectOrEmpty(objectOrEmpty(event.contexts).feedback);
  return said(event, source, {
    eventId: eventHead(event, source).eventId,
    message: anyText(feedback.message, MESSAGE_CHARS_MAX),
    about: hexId(feedback.associated_event_id),
    url: textOf(feedback.url, 4_096),
    mail: textOf(feedback.contact_email, 256),
  });
}

/** The older form, whose envelope has the id of the event that the user speaks of. */
export function mapUserReport(report: JsonObject, source: SentrySource): JsonObject {
  const about = hexId(report.event_id) ?? source.eventId;
  const message = anyText(report.comments, MESSAGE_CHARS_MAX);
  return said({}, source, {
    eventId: derivedId('feedback', source.keyId, about ?? '', message, String(textOf(report.email, 256))),
    message,
    about,
    url: null,
    mail: textOf(report.email, 256),
  });
}

interface Said {
  eventId: string | null;
  message: string;
  about: string | null;
  url: string | null;
  mail: string | null;
}

/** Name and address are not kept; the address identifies the user, of whom only a hash is kept. */
function said(
  event: JsonObject,
  source: SentrySource,
  { eventId, message, about, url, mail }: Said,
): JsonObject {
  const { feedback: _feedback, ...contexts } = objectOrEmpty(event.contexts);
  const user = objectOrEmpty(event.user);
  const own = { ...event, contexts, user: filled({ ...user, email: user.email ?? mail }) };
  const budget = openBudget();
  return wireEvent(
    'log_event',
    { ...eventHead(event, source), eventId },
    {
      event: own,
      source,
      context: contextOf(own, source, { budget, sentry: {} }),
      payload: filled({
        message: cleanText(message, MESSAGE_CHARS_MAX).trim() || '(no message)',
        level: 'warning',
        logger: 'user.feedback',
        attributes: filled({ url, about_event_id: about }),
        about_event_id: about,
      }),
    },
  );
}
