import { RELEASE_CHARS_MAX } from '@culprit/contract/releases/map-limits';
import { offeredByPrimary } from '@culprit/evidence/bundles/evidence/offers';
import { isJsonObject } from '@culprit/evidence/events/envelope/json';
import { getOwn } from '@culprit/evidence/events/envelope/own-property';
import type { LogLevel, NormalizedEvent } from '@culprit/evidence/events/normalize/event';
import { eventRichness } from '@culprit/evidence/events/normalize/event-richness';
import { hasRequest } from '@culprit/evidence/events/normalize/http-presence';
import { normalizeEvent } from '@culprit/evidence/events/normalize/normalize-event';
import { isCountedWhole } from '@culprit/evidence/events/normalize/open-parts';
import { identifierHash } from '@culprit/evidence/events/redact/identifier-hash';
import { DamagedObjectError } from '../../stored-events/raw-record.ts';
import { type ReportedLoss, reportedLoss } from './reported-loss.ts';

/**
 * The facts by which every event is counted. A claim holds a thousand and more of them until its transaction ends, and
 * each whole event would be a hundred objects that the garbage collector marks again and again: for nearly all, the
 * bytes are enough.
 */
export interface CountedEvent
  extends Pick<
    NormalizedEvent,
    'eventId' | 'eventType' | 'effectiveAtMs' | 'receivedAtMs' | 'service' | 'sdk'
  > {
  /** The level of a log. */
  level: LogLevel | null;
  /** The hash of the user, in the form in which members of incidents are counted. */
  userHash: bigint | null;
  hasRequest: boolean;
  /** The result of `eventRichness`. */
  richness: number;
  /** Bits of `offeredByPrimary`: where most events become samples, reading each again would cost ten times as much. */
  offered: number;
  losses: readonly ReportedLoss[];
  /** The release of its program, as the event names it. */
  release: string | null;
  /** The event that a user speaks of. */
  aboutEventId: string | null;
  /** The events of types that consist of a few fields, all of which are needed. */
  kept: NormalizedEvent | null;
}

/** The counted part of an event of which `countedParts` were read. */
export function countedEvent(event: NormalizedEvent): CountedEvent {
  const { eventId, eventType, effectiveAtMs, receivedAtMs, service, sdk, correlation, payload } = event;
  const request = payload.kind === 'request' || payload.kind === 'exception' ? payload.request : null;
  return {
    eventId,
    eventType,
    effectiveAtMs,
    receivedAtMs,
    service,
    sdk,
    level: payload.kind === 'log' ? payload.level : null,
    userHash: correlation.userIdHash === null ? null : identifierHash(correlation.userIdHash),
    hasRequest: hasRequest(request),
    richness: eventRichness(event),
    offered: offeredByPrimary(event),
    losses: reportedLoss(event),
    release: releaseOf(event),
    aboutEventId: payload.kind === 'log' ? payload.aboutEventId : null,
    kept: isCountedWhole(eventType) ? event : null,
  };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const HAS_CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

function releaseOf({ context }: NormalizedEvent): string | null {
  const release = getOwn(context, 'release');
  const text = typeof release === 'string' ? release.trim() : '';
  const isRelease = text !== '' && text.length <= RELEASE_CHARS_MAX && !HAS_CONTROL.test(text);
  return isRelease && text.isWellFormed() ? text : null;
}

/** The whole event, read again from its bytes: for the few that say more than that they occurred. */
export function wholeEvent(read: { event: CountedEvent; record: { eventBytes: Buffer } }): NormalizedEvent {
  const { kept, eventId, receivedAtMs } = read.event;
  if (kept !== null) return kept;
  const raw: unknown = JSON.parse(read.record.eventBytes.toString('utf8'));
  if (!isJsonObject(raw)) throw new DamagedObjectError('a record is not a JSON object');
  return normalizeEvent(raw, { eventId, receivedAtMs });
}
