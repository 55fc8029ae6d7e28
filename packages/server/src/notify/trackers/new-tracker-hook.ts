import type { Runtime } from '../../runtime.ts';
import { generateSecret, tokenHash } from '../../workspace/tokens/token.ts';
import { sealTrackerSecret } from './tracker-secrets.ts';

/** An address that a tracker calls when a ticket changes, in the forms in which it is stored. */
interface TrackerHook {
  url: string;
  tokenHash: Buffer;
  /** The address, encrypted: generic trackers get it with each new ticket. */
  sealedCallback: Buffer;
}

/** The address of a webhook. */
export function hookUrl(baseUrl: string, token: string): string {
  return `${baseUrl}/v1/tracker-hooks/${token}`;
}

export function newTrackerHook(
  { keys, baseUrl }: Pick<Runtime, 'keys' | 'baseUrl'>,
  trackerId: string,
): TrackerHook {
  const token = generateSecret();
  const url = hookUrl(baseUrl, token);
  return {
    url,
    tokenHash: tokenHash(token),
    sealedCallback: sealTrackerSecret(keys, url, trackerId),
  };
}
