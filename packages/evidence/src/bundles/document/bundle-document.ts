import type { DebugBundle } from '@culprit/contract/incidents/bundle';

/** The document of one incident. The contract defines its layout; this name is the server's word for it. */
export type BundleDocument = DebugBundle;

/**
 * Bumped whenever the output for equal inputs changes (docs/contract/incidents.md 3.1, `metadata.generator_version`).
 */
export const GENERATOR_VERSION = 'bundle-1.8.0';
