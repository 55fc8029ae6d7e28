import type { Mail } from '../../platform/mail/mail.ts';
import { composeMailBody } from '../../platform/mail/mail-body.ts';
import { CODE_LIFETIME_MS } from '../accounts/mailed-code.ts';

/** The message with the code that moves an account to the address it is sent to. */
export function changeCodeMail(options: { to: string; host: string; code: string }): Mail {
  const { to, host, code } = options;
  const subject = `Code for your new address on ${host}`;
  const body = composeMailBody(subject, [
    { kind: 'text', text: `Enter this code on ${host} to use this address for your account there:` },
    { kind: 'code', text: code },
    {
      kind: 'text',
      text: `It works once, for ${CODE_LIFETIME_MS / 60_000} minutes, and a newer code replaces it.`,
    },
    { kind: 'text', text: 'If you did not ask for this, ignore this message and never pass the code on.' },
  ]);
  return { to, subject, ...body };
}

/** The message to an address that an account has already, in place of the code. */
export function takenAddressMail(options: { to: string; host: string }): Mail {
  const { to, host } = options;
  const subject = `Your address on ${host}`;
  const body = composeMailBody(subject, [
    {
      kind: 'text',
      text: `Somebody wanted to use this address for another account on ${host}. It has an account there already, so nothing was changed.`,
    },
    {
      kind: 'text',
      text: 'If that was you: delete this account first, or keep both. Otherwise there is nothing to do.',
    },
  ]);
  return { to, subject, ...body };
}

/** The message to the address that an account had before. */
export function changedAddressMail(options: { to: string; host: string; newEmail: string }): Mail {
  const { to, host, newEmail } = options;
  const subject = `Your address on ${host} was changed`;
  const body = composeMailBody(subject, [
    {
      kind: 'text',
      text: `Your account on ${host} now has the address ${newEmail}. This one no longer signs in.`,
    },
    {
      kind: 'text',
      text: 'If that was not you, somebody was signed in as you: write to whoever operates the server at once.',
    },
  ]);
  return { to, subject, ...body };
}
