import { readFileSync } from 'node:fs';

/** Set by the build; the sources read the manifest. */
declare const CULPRIT_VERSION: string | undefined;

/** The release of this program, which is that of the repository. */
export const VERSION: string = typeof CULPRIT_VERSION === 'string' ? CULPRIT_VERSION : readVersion();

function readVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const version =
    typeof manifest === 'object' && manifest !== null && 'version' in manifest ? manifest.version : '';
  return String(version);
}
