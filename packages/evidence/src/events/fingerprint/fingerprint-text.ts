/** A fingerprint with its version, as exact rules compare it (docs/contract/ingestion.md 5.2). */
export function fingerprintText({ version, value }: { version: string; value: string }): string {
  return `${version}:${value}`;
}
