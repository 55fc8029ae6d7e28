import { deriveKey } from '../platform/data-key.ts';
import { openSealedText, sealText } from '../platform/sealed-text.ts';
import { Secret } from '../platform/secret.ts';
import type { SlackPlace } from './receiving-destinations.queries.ts';

/** The key that the addresses of destinations are encrypted with. */
export function deriveSlackUrlKey(dataKey: Secret<Buffer>): Secret<Buffer> {
  return new Secret(deriveKey(dataKey, 'slack-urls'));
}

/** An address as the row of its channel keeps it; the bytes are worth nothing in any other row. */
export function sealSlackUrl(key: Secret<Buffer>, url: string, place: SlackPlace): Buffer {
  return sealText(key.reveal(), url, rowOf(place));
}

/** The address again; null when the data key was changed since. */
export function openSlackUrl(key: Secret<Buffer>, sealed: Buffer, place: SlackPlace): string | null {
  return openSealedText(key.reveal(), sealed, rowOf(place));
}

/** Bound to the channel and not to the id: connecting again does not know which id it had. */
function rowOf({ organizationId, slackTeamId, slackChannelId }: SlackPlace): Buffer {
  return Buffer.from(JSON.stringify([organizationId, slackTeamId, slackChannelId]));
}
