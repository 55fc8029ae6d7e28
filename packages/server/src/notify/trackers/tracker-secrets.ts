import type { Keys } from '../../platform/secrets/keys.ts';
import { openSealedText, sealText } from '../../platform/secrets/sealed-text.ts';

/** A secret of a tracker as its row keeps it, worthless in any other row. */
export function sealTrackerSecret({ trackerSecrets }: Keys, secret: string, trackerId: string): Buffer {
  return sealText(trackerSecrets.reveal(), secret, Buffer.from(trackerId));
}

/** The secret again; null when the data key was changed since. */
export function openTrackerSecret(
  { trackerSecrets }: Keys,
  sealed: Buffer,
  trackerId: string,
): string | null {
  return openSealedText(trackerSecrets.reveal(), sealed, Buffer.from(trackerId));
}
