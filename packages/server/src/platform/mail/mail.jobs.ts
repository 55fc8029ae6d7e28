import { openSealedText, sealText } from '../secrets/sealed-text.ts';
import type { Mail, OutgoingMail } from './mail.ts';

/** The lane of mail. It runs in the main thread of the worker process, which waits for mail servers. */
export const MAIL_LANE = 'mail';

/** Job kind of one message to one person. */
export const SEND_MAIL = 'mail.send';

/**
 * The recipient and content of a message. It is never logged, and sealed while it waits, because it can contain a code
 * or a token.
 */
export interface QueuedMail extends OutgoingMail {
  /** Milliseconds since the epoch by the database clock; later than this it is not sent. */
  expiresAtMs: number | null;
  /** Not to be sent at all: queued so that a request looks the same from outside. */
  isDecoy: boolean;
  /** An earlier attempt ended without an answer of the server after it had the whole message. */
  isRepeat: boolean;
}

/** The message as a job's row may hold it: readable with the key, in the job of this message id only. */
export function sealMail(key: Buffer, { messageId, ...mail }: OutgoingMail): string {
  return sealText(key, JSON.stringify(mail), Buffer.from(messageId)).toString('base64');
}

/**
 * Reads a payload back from its row; null when it was sealed with another key, as after a change of the data key.
 * @throws Error for a row that was not written by this program
 */
export function readMailJob(key: Buffer, payload: Record<string, unknown>): QueuedMail | null {
  const { sealed, messageId, expiresAtMs, isDecoy, isRepeat } = payload;
  if (typeof sealed !== 'string' || typeof messageId !== 'string') throw new Error('unreadable mail job');
  const opened = openSealedText(key, Buffer.from(sealed, 'base64'), Buffer.from(messageId));
  if (opened === null) return null;
  const mail: unknown = JSON.parse(opened);
  if (!isMail(mail)) throw new Error('unreadable mail job');
  return {
    ...mail,
    messageId,
    expiresAtMs: typeof expiresAtMs === 'number' ? expiresAtMs : null,
    isDecoy: isDecoy === true,
    isRepeat: isRepeat === true,
  };
}

const MAIL_FIELDS = ['to', 'subject', 'text', 'html'] as const satisfies readonly (keyof Mail)[];

function isMail(value: unknown): value is Mail {
  if (typeof value !== 'object' || value === null) return false;
  const fields = new Map<string, unknown>(Object.entries(value));
  return MAIL_FIELDS.every((field) => typeof fields.get(field) === 'string');
}
