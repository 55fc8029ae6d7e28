/** First generations run before refreshes: a worker claims the first lane first (docs/contract/incidents.md 3.9). */
export const BUNDLES_LANE = 'bundles';
export const REFRESHES_LANE = 'refreshes';

export const BUILD_BUNDLE = 'bundles.build';
export const BUNDLE_ATTEMPTS_MAX = 5;

/**
 * The reason for a bundle request. `signal` is a counted signal that found or left its incident active, `backlog` one
 * that left it resolved; `release` joins these when the latest signal is of another release; `grouping` is a merge or a
 * split, which the document explains; `context` is everything else that may change the document. `offer` joins one of
 * these when the document may show something for the first time (see `offers.ts`). `read` is a reader of a document that
 * is behind its incident, or missing only because an allowance was used up.
 */
export type BundleTrigger =
  | 'created'
  | 'regressed'
  | 'severity'
  | 'deploy'
  | 'signal'
  | 'backlog'
  | 'release'
  | 'grouping'
  | 'context'
  | 'offer'
  | 'read';

/** Triggers that make a refresh worth telling (`bundle.updated`), whatever it shows. */
export const NOTABLE_TRIGGERS: readonly BundleTrigger[] = ['regressed', 'severity', 'deploy', 'grouping'];

/** Triggers of a refresh that do not wait for its interval. */
export const BYPASS_TRIGGERS: readonly BundleTrigger[] = [...NOTABLE_TRIGGERS, 'offer'];

/** Triggers that raise the count of the incident, which shows that its document is behind: a reader has it built (3.9). */
export const COUNTED_TRIGGERS: readonly BundleTrigger[] = ['signal', 'backlog'];

/** Triggers that make a document anew where the plan left none; others only change one that is there (3.9). */
export const RENEWING_TRIGGERS: readonly BundleTrigger[] = [
  'created',
  'regressed',
  'severity',
  'signal',
  'backlog',
  'read',
];
