export type FingerprintVersion = 'v1' | 'v2';

/** The versions of the grouping algorithm whose fingerprints are compared. */
export const FINGERPRINT_VERSIONS: readonly string[] = ['v1', 'v2'] satisfies FingerprintVersion[];

/** The key of an event by the version that new incidents have, and its key by version 1 where that is another. */
export interface VersionedKey {
  version: FingerprintVersion;
  value: string;
  earlierValue: string | null;
}

/** Every key of an event with its version, as one text: what exact rules compare (docs/contract/ingestion.md 5.2). */
export function fingerprintKeys({ version, value, earlierValue }: VersionedKey): string {
  return earlierValue === null ? `${version}:${value}` : `${version}:${value} v1:${earlierValue}`;
}

/** Whether `fingerprintKeys` names a value of a version. */
export function namesFingerprint(keys: string | null, version: string, value: string): boolean {
  return keys?.split(' ').includes(`${version}:${value}`) ?? false;
}
