/** The version of the grouping algorithm: another one makes other fingerprints of the same events. */
export const FINGERPRINT_VERSION = 'v2';
