import { openSealedText, sealText } from '../../platform/secrets/sealed-text.ts';
import type { Secret } from '../../platform/secrets/secret.ts';
import type { SlackChannelAddress } from './receiving-destinations.queries.ts';

/**
 * An address as the row of its channel keeps it; the bytes are worth nothing in any other row.
 * @param key `slackUrls` of the installation's keys
 */
export function sealSlackUrl(key: Secret<Buffer>, url: string, place: SlackChannelAddress): Buffer {
  return sealText(key.reveal(), url, rowOf(place));
}

/** The address again; null when the data key was changed since. */
export function openSlackUrl(key: Secret<Buffer>, sealed: Buffer, place: SlackChannelAddress): string | null {
  return openSealedText(key.reveal(), sealed, rowOf(place));
}

/** Bound to the channel and not to the id: connecting again does not know which id it had. */
function rowOf({ organizationId, slackTeamId, slackChannelId }: SlackChannelAddress): Buffer {
  return Buffer.from(JSON.stringify([organizationId, slackTeamId, slackChannelId]));
}
