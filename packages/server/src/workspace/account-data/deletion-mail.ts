import type { Mail } from '../../platform/mail/mail.ts';
import { composeMailBody } from '../../platform/mail/mail-body.ts';
import { CODE_LIFETIME_MS } from '../accounts/mailed-code.ts';

/** The message with the code that deletes an account (docs/contract/account.md 5). */
export function deletionMail(options: { to: string; host: string; code: string }): Mail {
  const { to, host, code } = options;
  const subject = `Code to delete your account on ${host}`;
  const body = composeMailBody(subject, [
    {
      kind: 'text',
      text: `Enter this code to delete your account on ${host}, with its organization and all its projects:`,
    },
    { kind: 'code', text: code },
    {
      kind: 'text',
      text: `It works once, for ${CODE_LIFETIME_MS / 60_000} minutes, and a newer code replaces it. Deleted data cannot be restored.`,
    },
    {
      kind: 'text',
      text: 'If you did not request this, another person is signed in as you: sign out everywhere, and keep this code secret.',
    },
  ]);
  return { to, subject, ...body };
}
