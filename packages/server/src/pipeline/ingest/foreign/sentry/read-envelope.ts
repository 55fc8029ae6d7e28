import { parseDsn } from '@culprit/contract/events/dsn';
import { sentryItemKind } from '@culprit/contract/events/sentry-items';
import { isJsonObject, type JsonObject } from '@culprit/evidence/events/envelope/json';
import type { Sliced } from '@culprit/evidence/events/envelope/sliced';
import type { BrowserReport } from '@culprit/evidence/foreign/reports/describe-report';
import { readReports } from '@culprit/evidence/foreign/reports/map-reports';
import {
  type Envelope,
  EnvelopeReader,
  type RefusedItem,
} from '@culprit/evidence/foreign/sentry/envelope-reader';
import { mapSentryItem, type SentrySource } from '@culprit/evidence/foreign/sentry/map-item';
import { type BodyReader, isRefusal } from '../foreign-intake.ts';
import type { KeyFacts } from '../foreign-keys.queries.ts';
import { type ForeignRefusal, refusal } from '../foreign-refusal.ts';
import type { KindCounts } from '../kind-counts.ts';
import type { MappedBatch } from '../mapped-batch.ts';
import type { EqualReport } from '../reports/equal-reports.ts';
import type { ReportDesk } from '../reports/report-desk.ts';
import { readItem, readJson } from './read-item.ts';

const NAME_CHARS_MAX = 200;

/** Reports of a browser that a proxy of the makers took and sent on. */
interface ForwardedReports {
  sent: readonly BrowserReport[];
  environment: string | null;
  release: string | null;
}

/**
 * The reports of an item: `raw_security` is the body as the browser sent it, with environment and release in the header
 * of the item; `security` is an event that holds it as a member. Null for what is neither.
 */
function forwardedReports(type: string, header: JsonObject, json: unknown): ForwardedReports | null {
  if (type === 'raw_security') {
    const sent = readReports(json);
    if (sent === null) return null;
    return { sent, environment: name(header.sentry_environment), release: name(header.sentry_release) };
  }
  if (!isJsonObject(json)) return null;
  const { csp } = json;
  const sent = isJsonObject(csp) ? readReports({ 'csp-report': csp }) : OTHER;
  return sent === null ? null : { sent, environment: name(json.environment), release: name(json.release) };
}

/** Pins and certificates, of which browsers no longer report: counted alone. */
const OTHER: readonly BrowserReport[] = [{ type: '', ageMs: 0, url: null, userAgent: null, body: {} }];

function name(value: unknown): string | null {
  return typeof value === 'string' ? value.trim().slice(0, NAME_CHARS_MAX).trim() || null : null;
}

/** The content of a Sentry request besides its events. */
export interface SentryContent {
  /** The id that the answer names. */
  eventId: string | null;
  /** Items that would have been taken. */
  refused: readonly RefusedItem[];
  /** Reports of browsers that became events, and when they came. */
  reports: readonly EqualReport[];
  receivedAtMs: number;
}

/** A check-in of a scheduled job, which is no event. */
export interface ReadCheckIn {
  /** Index in the envelope. */
  index: number;
  checkIn: JsonObject;
}

/** A request's facts about its sender. */
interface SentryClient {
  /** `sentry_client`. */
  name: string | null;
  userAgent: string | null;
}

interface KnownSender {
  key: KeyFacts;
  receivedAtMs: number;
  batch: MappedBatch;
}

/** An envelope, which may name its key in its first line. */
export function openEnvelope(isKeyKnown: boolean): BodyReader & { end: () => Envelope | ForeignRefusal } {
  const reader = new EnvelopeReader(isKeyKnown);
  return {
    add: (chunk) => reader.add(chunk),
    end: () => reader.end(),
    get keptBytes() {
      return reader.keptBytes;
    },
    get ownKey() {
      if (reader.header === null) return undefined;
      const { dsn } = reader.header;
      return typeof dsn === 'string' ? (parseDsn(dsn)?.key ?? null) : null;
    },
  };
}

/**
 * Maps the items of an envelope one by one, and counts them (docs/contract/foreign-protocols.md 4).
 * @param beside gets the check-ins of the envelope, which are recorded whatever becomes of its events, and the reports
 */
export function* readEnvelope(
  envelope: Envelope | ForeignRefusal,
  sender: KnownSender,
  client: SentryClient,
  counts: KindCounts,
  beside: { checkIns: ReadCheckIn[]; desk: ReportDesk },
): Sliced<SentryContent | ForeignRefusal> {
  if (isRefusal(envelope)) return envelope;
  const { batch, key, receivedAtMs } = sender;
  const reports: EqualReport[] = [];
  const source = sourceOf(envelope, sender, client);
  const refused = [...envelope.refused];
  for (const [kind, items] of envelope.notTaken) counts.add(kind, 'not_taken', items);
  for (const [kind, items] of envelope.overLimit) counts.add(kind, 'over_limit', items);
  for (const { type, reason } of refused)
    if (reason === 'too_large') counts.add(sentryItemKind(type), 'over_limit');
  let { eventId } = source;
  for (const { index, type, header, payload } of envelope.items) {
    const kind = sentryItemKind(type);
    if (type === 'raw_security' || type === 'security') {
      if (!beside.desk.takes(key, receivedAtMs)) {
        counts.add(kind, 'over_limit');
        continue;
      }
      const forwarded = forwardedReports(type, header, yield* readJson(payload));
      if (forwarded === null) {
        refused.push({ index, type, reason: 'invalid_event' });
        counts.add(kind, 'not_taken');
        continue;
      }
      const { sent, environment, release } = forwarded;
      const { events } = beside.desk.add(sent, {
        key,
        batch,
        source: {
          serviceName: key.serviceName,
          environment,
          release,
          userAgent: client.userAgent,
          receivedAtMs,
        },
        count: (_kind, outcome, parts) => counts.add(kind, outcome, parts),
        item: { index, type },
      });
      reports.push(...events);
      continue;
    }
    const item = yield* readItem(payload);
    if (type === 'check_in' && item !== null) {
      beside.checkIns.push({ index, checkIn: item });
      continue;
    }
    const mapped = mapSentryItem(type, item, source);
    if (mapped.isInvalid) {
      refused.push({ index, type, reason: 'invalid_event' });
      counts.add(kind, 'not_taken');
      continue;
    }
    const treatment = mapped.isPolicyExempt ? 'always_context' : mapped.isContext ? 'context' : null;
    const taken = mapped.events.filter((event) => batch.add(event, { item: index, type }, treatment)).length;
    counts.add(kind, 'taken', taken);
    counts.add(kind, 'not_taken', mapped.notTaken);
    counts.add(kind, 'over_limit', mapped.events.length - taken);
    if (taken < mapped.events.length) refused.push({ index, type, reason: 'over_limit' });
    eventId ??= mapped.eventId;
  }
  const isTooLarge = envelope.items.length === 0 && refused.some(({ reason }) => reason === 'too_large');
  return isTooLarge ? TOO_LARGE : { eventId, refused, reports, receivedAtMs };
}

const TOO_LARGE = refusal('payload_too_large', 'The item is larger than 1 MiB. Send less with each event.');

const EVENT_ID = /^[0-9a-f]{32}$/;
/** Clocks that differ by less agree, and a time that is further off was not meant as one. */
const SKEW_MIN_MS = 60_000;
const SKEW_MAX_MS = 30 * 24 * 3_600_000;

function sourceOf(
  { header, dropped }: Envelope,
  { key, receivedAtMs }: KnownSender,
  client: SentryClient,
): SentrySource {
  return {
    receivedAt: receivedAtMs,
    eventId: eventIdOf(header.event_id),
    clockSkewMs: skewOf(header.sent_at, receivedAtMs),
    trace: header.trace ?? null,
    sdk: header.sdk ?? null,
    clientName: client.name,
    userAgent: client.userAgent,
    serviceName: key.serviceName,
    projectId: key.projectId,
    keyId: key.tokenId,
    droppedItems: dropped,
  };
}

function eventIdOf(value: unknown): string | null {
  const id = typeof value === 'string' && value.length <= 40 ? value.replaceAll('-', '').toLowerCase() : '';
  return EVENT_ID.test(id) ? id : null;
}

function skewOf(sentAt: unknown, receivedAtMs: number): number | null {
  const sentAtMs = typeof sentAt === 'string' ? Date.parse(sentAt) : Number.NaN;
  const skewMs = receivedAtMs - sentAtMs;
  return Math.abs(skewMs) > SKEW_MIN_MS && Math.abs(skewMs) < SKEW_MAX_MS ? Math.round(skewMs) : null;
}
