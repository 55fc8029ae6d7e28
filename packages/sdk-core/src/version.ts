/** The version of every client library: they are released together (docs/contract/clients.md 1.1). */
export const SDK_VERSION = '0.1.0';
