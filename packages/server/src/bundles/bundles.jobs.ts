/** First generations run before refreshes: a worker claims the first lane first (incidents.md 3.9). */
export const BUNDLES_LANE = 'bundles';
export const REFRESHES_LANE = 'refreshes';

export const BUILD_BUNDLE = 'bundles.build';

/** Waits between the attempts of one generation; after the last attempt it is given up (incidents.md 3.9). */
export const BUNDLE_LADDER_MS = [1_000, 5_000, 30_000, 120_000] as const;
export const BUNDLE_ATTEMPTS_MAX = 5;

/**
 * Why a bundle is asked for. `signal` is a counted signal that found or left its incident active; `context` is
 * everything else that may change the document.
 */
export type BundleTrigger = 'created' | 'regressed' | 'severity' | 'deploy' | 'signal' | 'context';

/** Triggers of a refresh that do not wait for its interval and make it worth telling (`bundle.updated`). */
export const BYPASS_TRIGGERS: readonly BundleTrigger[] = ['regressed', 'severity', 'deploy'];
