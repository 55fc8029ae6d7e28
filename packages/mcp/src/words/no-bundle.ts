import type { BundleFailureReason } from '@culprit/contract/incidents/incident-bundle';

/** The answer where there is no document. */
export type NoBundle = { status: 'pending' } | { status: 'failed'; reason: BundleFailureReason };

const FAILED: Readonly<Record<BundleFailureReason, string>> = {
  generation_error: 'its generation failed; the server retries with the next occurrence',
  artifact_unreadable: 'its document cannot be read from storage; ask the operator of the server',
  evidence_expired: 'the retention of its evidence has ended',
  monthly_quota_exceeded: "this month's bundle quota is used up",
  bundle_rotated: 'it was removed to make room for newer ones',
};

/** Why there is no bundle, as a sentence without its end. */
export function noBundleWords(document: NoBundle): string {
  return document.status === 'pending'
    ? 'The bundle is still being built'
    : `There is no bundle: ${FAILED[document.reason] ?? document.reason}`;
}
