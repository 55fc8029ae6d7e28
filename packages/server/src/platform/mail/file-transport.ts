import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeDirectories } from '../make-directories.ts';
import type { MailTransport } from './mail.ts';
import { MailError } from './mail-error.ts';

/** The content of a file of the `file` transport. */
export interface MailFile {
  message_id: string;
  from: string;
  to: string;
  subject: string;
  text: string;
  html: string;
  unsubscribe_url?: string;
  thread_id?: string;
  /** By the clock of the machine. */
  written_at: string;
}

/**
 * Writes one JSON file per message, readable by this user only: for development and tests. A repeated message replaces
 * its own file, and no reader ever sees half of one. Names sort by the time the message was queued.
 */
export function fileTransport(from: string, directory: string): MailTransport {
  return {
    async send({ messageId, to, subject, text, html, unsubscribeUrl, threadId }) {
      const file: MailFile = {
        message_id: messageId,
        from,
        to,
        subject,
        text,
        html,
        ...(unsubscribeUrl === undefined ? {} : { unsubscribe_url: unsubscribeUrl }),
        ...(threadId === undefined ? {} : { thread_id: threadId }),
        written_at: new Date().toISOString(),
      };
      const path = join(directory, `${messageId}.json`);
      try {
        await makeDirectories(directory, 0o700);
        await writeFile(`${path}.part`, `${JSON.stringify(file, null, 2)}\n`, { mode: 0o600 });
        await rename(`${path}.part`, path);
      } catch (error) {
        throw new MailError('unavailable', error instanceof Error ? error.message : String(error));
      }
    },
  };
}
