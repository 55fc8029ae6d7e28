import { createHmac } from 'node:crypto';
import { prefixedId } from '../platform/ids.ts';

/**
 * The content of a trigger token: the five fields of docs/contract/ingestion.md 6.4, in the order in which they are
 * signed.
 */
interface TriggerPayload {
  /** Bare UUID: published libraries validate it as one. */
  activation_id: string;
  label_pattern: string;
  service: string;
  environment: string;
  /** UTC, whole seconds. */
  trigger_expires_at: string;
}

/** The prefix is not signed, so one signature serves both names. */
const PREFIX = 'svc_probe_';
const COMPAT_PREFIX = 'dbundle_probe_';

/**
 * The key with which trigger tokens of a project are signed and checked, as 64 hexadecimal digits. Clients get it with
 * their configuration, so it must never open anything else.
 * @param serverSecret the same in all processes of an installation
 * @param projectId bare UUID
 */
export function triggerTokenKey(serverSecret: Buffer, projectId: string): string {
  return createHmac('sha256', serverSecret).update(prefixedId('proj', projectId)).digest('hex');
}

/** A trigger token under both of its names (docs/contract/ingestion.md 6.4). */
export function signTriggerToken(
  key: string,
  payload: TriggerPayload,
): { trigger_token: string; compat_trigger_token: string } {
  const { activation_id, label_pattern, service, environment, trigger_expires_at } = payload;
  const segment = Buffer.from(
    JSON.stringify({ activation_id, label_pattern, service, environment, trigger_expires_at }),
  ).toString('base64url');
  const signed = `${segment}.${triggerSignature(key, segment)}`;
  return { trigger_token: PREFIX + signed, compat_trigger_token: COMPAT_PREFIX + signed };
}

/** The signature segment over the text of a payload segment; the key is taken as text, not as the bytes it spells. */
export function triggerSignature(key: string, payloadSegment: string): string {
  return createHmac('sha256', Buffer.from(key, 'utf8')).update(payloadSegment, 'utf8').digest('base64url');
}
