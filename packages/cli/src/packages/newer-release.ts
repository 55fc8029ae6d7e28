import { tarballAddress } from '@culprit/contract/setup/install-lines';
import type { Environment } from '../config/folders.ts';
import { readState, stateKey, writeState } from '../state/state-file.ts';
import { VERSION } from '../version.ts';

/** On every answer to this program, the release of the packages that a server hands out. */
export const PACKAGES_HEADER = 'x-service-packages';
const RELEASE = /^(\d{1,9})\.(\d{1,9})\.(\d{1,9})$/;

/**
 * Returns the message about a newer release of this program on a server, once for each release; null when there is
 * none.
 */
export function newerReleaseWords(
  environment: Environment,
  origin: string,
  version: string | null,
): string | null {
  if (version === null || !isNewer(version, VERSION)) return null;
  const name = `newer-${stateKey(origin)}`;
  if (readState(environment, name)?.version === version) return null;
  writeState(environment, name, { version });
  const address = tarballAddress({ baseUrl: origin, version }, 'cli');
  return `The server has culprit ${version}; this is ${VERSION}. To update: npm install -g ${address}`;
}

function isNewer(version: string, than: string): boolean {
  const [left, right] = [RELEASE.exec(version), RELEASE.exec(than)];
  if (left === null || right === null) return false;
  for (let at = 1; at <= 3; at += 1) {
    const difference = Number(left[at]) - Number(right[at]);
    if (difference !== 0) return difference > 0;
  }
  return false;
}
