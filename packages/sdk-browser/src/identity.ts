export { SDK_VERSION } from '../../sdk-core/src/version.ts';

/** The library that sends these events: docs/contract/clients.md 1.1. */
export const SDK_NAME = '@culprit/browser';
