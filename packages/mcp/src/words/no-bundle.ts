import type { BundleFailureReason } from '@culprit/contract/incidents/incident-bundle';

/** The answer where there is no document. */
export type NoBundle = { status: 'pending' } | { status: 'failed'; reason: BundleFailureReason };

const FAILED: Readonly<Record<BundleFailureReason, string>> = {
  generation_error: 'its generation failed; the server tries again with the next occurrence',
  artifact_unreadable: 'its document cannot be read from storage; ask the operator of the server',
  evidence_expired: 'its evidence is older than the server keeps',
  monthly_quota_exceeded: 'the quota of bundles of this month is used up',
  bundle_rotated: 'it was removed to make room for newer ones',
};

/** Why there is no bundle, as a sentence without its end. */
export function noBundleWords(document: NoBundle): string {
  return document.status === 'pending'
    ? 'The bundle is still being made'
    : `There is no bundle: ${FAILED[document.reason] ?? document.reason}`;
}
