import { isLaterRelease, type OrderedRelease } from '@culprit/evidence/incidents/release-order';
import type { Resolution } from './resolutions.queries.ts';

/** Time for which a named release that the project has not met is waited for. */
export const RELEASE_AWAITED_MS = 30 * 86_400_000;

/**
 * Returns true if a release is known to be before the one in which an incident is resolved
 * (docs/contract/source-maps.md 10.4). An unknown order must not hide a failure.
 */
export function isKnownOlder(
  { kind, afterVersion, version, setAtMs }: Omit<Resolution, 'incidentId' | 'oldReleases'>,
  of: OrderedRelease,
  receivedAtMs: number,
  recordOf: (version: string) => OrderedRelease,
): boolean {
  if (kind === 'next_release') {
    return afterVersion !== null && isLaterRelease(of, recordOf(afterVersion)) === false;
  }
  if (version === null || of.version === version) return false;
  const target = recordOf(version);
  const isLater = isLaterRelease(of, target);
  // A release that the project has not met yet comes after those that it has. One that never appears, because it was
  // abandoned, mistyped or deleted, must not hide failures for ever.
  if (isLater === null) {
    const isAwaited = receivedAtMs - setAtMs < RELEASE_AWAITED_MS;
    return target.firstAtMs === null && of.firstAtMs !== null && isAwaited;
  }
  return !isLater;
}
