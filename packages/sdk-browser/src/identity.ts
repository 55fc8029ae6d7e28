export { SDK_VERSION } from '../../sdk-core/src/version.ts';

/** Whose events these are: docs/contract/clients.md 1.1. */
export const SDK_NAME = '@culprit/browser';
