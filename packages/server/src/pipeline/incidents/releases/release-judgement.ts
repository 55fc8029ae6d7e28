import { isLaterRelease, type OrderedRelease } from '@culprit/evidence/incidents/release-order';
import type { Resolution } from './resolutions.queries.ts';

/**
 * Whether a release is known to be before the one in which an incident is resolved (docs/contract/source-maps.md 10.4).
 * What is not known must not hide a failure.
 */
export function isKnownOlder(
  { kind, afterVersion, version }: Pick<Resolution, 'kind' | 'afterVersion' | 'version'>,
  of: OrderedRelease,
  recordOf: (version: string) => OrderedRelease,
): boolean {
  if (kind === 'next_release') {
    return afterVersion !== null && isLaterRelease(of, recordOf(afterVersion)) === false;
  }
  if (version === null || of.version === version) return false;
  const target = recordOf(version);
  const isLater = isLaterRelease(of, target);
  // A release that the project has not met yet comes after those that it has.
  if (isLater === null) return target.firstAtMs === null && of.firstAtMs !== null;
  return !isLater;
}
