import type { PersonalSettings } from '@culprit/contract/alerts/personal-messages';
import { invalidPayload } from '../../platform/http/binding/payload-fault.ts';
import type { OutboundPolicy } from '../../platform/outbound/outbound-policy.ts';
import { requireTarget } from '../../platform/outbound/require-target.ts';
import { openConfig, sealConfig } from '../../platform/secrets/sealed-address.ts';
import type { Secret } from '../../platform/secrets/secret.ts';
import { ntfyTopic } from '../alerts/channels/ntfy.ts';

/** The topic that notifies a person in addition to mail, as stored: sealed to the person. */
export interface StoredNtfy {
  target_url: string;
  token?: string;
}

type Given = NonNullable<PersonalSettings['ntfy']>;

const MASK = '***';

/**
 * Checks the topic that a person entered, and returns its stored form.
 * @throws Problem `invalid_payload`, `blocked_target`
 */
export function checkNtfy(outbound: OutboundPolicy, { url, token }: Given): StoredNtfy {
  const target = requireTarget(outbound, url, '/ntfy/url');
  if (ntfyTopic(target) === null)
    throw invalidPayload('/ntfy/url', 'must end with the topic, as https://ntfy.sh/my-topic does');
  if (token?.startsWith(MASK) === true)
    throw invalidPayload('/ntfy/token', 'is masked: send the whole token');
  return { target_url: target, ...(token === undefined ? {} : { token }) };
}

export function sealNtfy(key: Secret<Buffer>, ntfy: StoredNtfy, userId: string): StoredNtfy {
  return sealConfig(key, ntfy, userId);
}

/** Null when there is none, or when the data key was changed since. */
export function openNtfy(key: Secret<Buffer>, stored: StoredNtfy | null, userId: string): StoredNtfy | null {
  return stored === null ? null : openConfig(key, stored, userId);
}

/** Returns the topic as the person sees it: a token is worth more than its topic, so only its end is shown. */
export function shownNtfy(ntfy: StoredNtfy | null): PersonalSettings['ntfy'] {
  if (ntfy === null) return null;
  const { target_url: url, token } = ntfy;
  return { url, ...(token === undefined ? {} : { token: `${MASK}${token.slice(-4)}` }) };
}
