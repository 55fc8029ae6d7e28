import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isJsonObject } from '@culprit/evidence/events/envelope/json';
import type { MailFile } from '../../src/platform/mail/file-transport.ts';
import { eventually } from './eventually.ts';

/** Files of messages, which are written once; a long test has thousands and looks for each new one. */
const known = new Map<string, MailFile | null>();

/**
 * Every message the `file` transport wrote for an address, in the order in which they were queued.
 * @param subject a part of the subject
 */
export async function mailsTo(directory: string, email: string, subject = ''): Promise<MailFile[]> {
  const names = await readdir(directory).catch(() => []);
  const mails: MailFile[] = [];
  for (const name of names.filter((each) => each.endsWith('.json')).sort()) {
    const mail = await readMail(join(directory, name));
    if (mail !== null && mail.to === email && mail.subject.includes(subject)) mails.push(mail);
  }
  return mails;
}

async function readMail(path: string): Promise<MailFile | null> {
  const before = known.get(path);
  if (before !== undefined) return before;
  const content: unknown = JSON.parse(await readFile(path, 'utf8'));
  const mail = isMailFile(content) ? content : null;
  known.set(path, mail);
  return mail;
}

/** Waits for one more message than `seen` and returns the newest. */
export async function nextMail(directory: string, email: string, seen = 0, subject = ''): Promise<MailFile> {
  return await eventually(async () => {
    const mails = await mailsTo(directory, email, subject);
    const newest = mails.at(-1);
    if (newest === undefined || mails.length <= seen) throw new Error(`${mails.length} messages`);
    return newest;
  });
}

/** The code of a message, which stands on a line of its own. */
export function codeIn(mail: Pick<MailFile, 'text'>): string {
  const code = /^ *(\d{6})$/m.exec(mail.text)?.[1];
  if (code === undefined) throw new Error('the message has no code');
  return code;
}

function isMailFile(value: unknown): value is MailFile {
  const names = ['message_id', 'from', 'to', 'subject', 'text', 'html', 'written_at'];
  return isJsonObject(value) && names.every((name) => typeof value[name] === 'string');
}
