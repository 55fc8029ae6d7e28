import type { NormalizedEvent } from '../normalize/event.ts';
import type { VersionedKey } from './fingerprint-keys.ts';
import { availabilityFingerprintV1, type FingerprintV1, fingerprintEventV1 } from './fingerprint-v1.ts';
import { type FingerprintV2, fingerprintEventV2 } from './fingerprint-v2.ts';
import type { StackRule } from './stack/stack-rules.ts';

/** The grouping key of an event, by the version that new incidents have. */
export interface Fingerprint extends VersionedKey, Omit<FingerprintV1 | FingerprintV2, 'version' | 'kind'> {
  kind: FingerprintV1['kind'];
  /**
   * The key by version 1, under which an incident from before version 2 goes on; null where version 1 is the version
   * (docs/contract/incidents.md 5.4.8).
   */
  earlierValue: string | null;
}

/** What counting an event needs of its fingerprint, without the parsed stack, which keeps a lot of memory alive. */
export interface GroupingKey
  extends Pick<Fingerprint, 'version' | 'value' | 'earlierValue' | 'kind' | 'matchedFields'> {
  /** Whether a frame was found in the stack of any exception. */
  hasFrames: boolean;
}

export type AvailabilityKey = Omit<GroupingKey, 'kind'> & { kind: 'availability' };

export type AvailabilityFingerprint = Omit<Fingerprint, 'kind'> & { kind: 'availability' };

/**
 * Fingerprint of one event, null for the types that have none. Requests and logs get one whether or not they are
 * signals. Never throws; work is bounded.
 * @param rules what the project says about its own and foreign code
 */
export function fingerprintEvent(
  event: NormalizedEvent,
  rules: readonly StackRule[] = [],
): Fingerprint | null {
  const v1 = fingerprintEventV1(event);
  if (v1 === null) return null;
  const v2 = fingerprintEventV2(event, rules);
  return v2 === null ? { ...v1, earlierValue: null } : { ...v2, earlierValue: v1.value };
}

/** Fingerprint of the incident of a failing availability check. */
export function availabilityFingerprint(checkId: string): AvailabilityFingerprint {
  return { ...availabilityFingerprintV1(checkId), earlierValue: null };
}

/** The grouping key of a fingerprint. */
export function groupingKeyOf(fingerprint: Fingerprint): GroupingKey;
export function groupingKeyOf(fingerprint: AvailabilityFingerprint): AvailabilityKey;
export function groupingKeyOf(
  fingerprint: Fingerprint | AvailabilityFingerprint,
): GroupingKey | AvailabilityKey {
  const { version, value, earlierValue, kind, matchedFields, chain } = fingerprint;
  const hasFrames = chain.some(({ frames }) => frames.length > 0);
  return { version, value, earlierValue, kind, matchedFields, hasFrames };
}
