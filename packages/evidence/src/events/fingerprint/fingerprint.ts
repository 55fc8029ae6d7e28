import { createHash } from 'node:crypto';
import type { NormalizedEvent, RequestPayload } from '../normalize/event.ts';
import { exceptionFingerprint, logFingerprint } from './code-fingerprint.ts';
import { requestRoute } from './route-template.ts';
import { type AvailabilityFingerprint, type Fingerprint, placeless, sealed } from './sealed-fingerprint.ts';
import type { MapPlaces, Mapping } from './stack/mapped-frames.ts';
import type { StackRule } from './stack/stack-rules.ts';

/**
 * The part of an event's fingerprint that counting needs, without the parsed stack, which keeps a lot of memory alive.
 */
export interface GroupingKey
  extends Pick<Fingerprint, 'version' | 'value' | 'kind' | 'matchedFields' | 'readers' | 'rule'> {
  /** True if a frame was found in the stack of any exception. */
  hasFrames: boolean;
  /** The key of the raw event, if source maps know one of its frames; else null. */
  rawKey: RawKey | null;
  /** Null where no source map was asked. */
  mapping: Mapping | null;
}

/** The key of an event as it was sent. */
export interface RawKey extends Pick<Fingerprint, 'version' | 'value'> {
  /** Its frames have names that no minifier made. */
  isNamed: boolean;
  /** The material of the mapped key, from which slots learn. */
  mappedJson: string;
}

export type AvailabilityKey = Omit<GroupingKey, 'kind'> & { kind: 'availability' };

/**
 * Returns the fingerprint of one event (docs/contract/incidents.md 5.4), null for the types that have none. Requests
 * and logs get one whether or not they are signals. Never throws; work is bounded.
 * @param rules the project's rules for in-app and library code
 * @param lookUp looks places up in source maps; null if the project has none
 */
export function fingerprintEvent(
  event: NormalizedEvent,
  rules: readonly StackRule[] = [],
  lookUp: MapPlaces | null = null,
): Fingerprint | null {
  const { payload } = event;
  if (payload.kind === 'exception') return exceptionFingerprint(event, payload, rules, lookUp);
  if (payload.kind === 'request') return requestFingerprint(payload);
  return payload.kind === 'log' ? logFingerprint(event, payload, rules, lookUp) : null;
}

function requestFingerprint({ request, response }: RequestPayload): Fingerprint {
  const material = {
    method: request.method.trim().toUpperCase(),
    route: requestRoute(request) ?? '/',
    status: response.statusCode,
  };
  return sealed(
    'request',
    material,
    placeless('request', 'request_status', ['http_method', 'route_template', 'http_status']),
  );
}

/** The kinds that this service itself watches. */
export type WatchedKind = 'availability_check' | 'heartbeat';

/** Fingerprint of the incident of a failing availability check, or of a scheduled job. */
export function availabilityFingerprint(
  checkId: string,
  kind: WatchedKind = 'availability_check',
): AvailabilityFingerprint {
  return sealed('availability', { check: checkId }, placeless(kind, kind, [kind]));
}

/** The grouping key of an event of sample data, which no other event has. */
export function sampleKeyOf(key: GroupingKey, sampleId: string): GroupingKey {
  const value = createHash('sha256').update(`${sampleId} ${key.value}`).digest('hex');
  return { ...key, value, rawKey: null, mapping: null };
}

/** The grouping key of a fingerprint. */
export function groupingKeyOf(fingerprint: Fingerprint): GroupingKey;
export function groupingKeyOf(fingerprint: AvailabilityFingerprint): AvailabilityKey;
export function groupingKeyOf(
  fingerprint: Fingerprint | AvailabilityFingerprint,
): GroupingKey | AvailabilityKey {
  const { version, value, kind, matchedFields, readers, rule, chain } = fingerprint;
  const hasFrames = chain.some(({ frames }) => frames.length > 0);
  return {
    version,
    value,
    kind,
    matchedFields,
    readers,
    rule,
    hasFrames,
    rawKey: null,
    mapping: fingerprint.mapping,
  };
}
