/**
 * The reasons for which a client library did not send an event (docs/contract/clients.md 7.1): those that it may report
 * in `context.capture_loss`, and `other` for those that are not among them.
 */
export const LOSS_REASONS = [
  'duplicate',
  'policy',
  'internal',
  'filtered',
  'noise',
  'rule',
  'sampled',
  'suppressed',
  'overflow',
  'too_large',
  'rejected',
  'stale',
  'unload',
  'other',
] as const;

export type LossReason = (typeof LOSS_REASONS)[number];
