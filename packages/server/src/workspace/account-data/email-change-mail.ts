import type { Mail } from '../../platform/mail/mail.ts';
import { composeMailBody } from '../../platform/mail/mail-body.ts';
import { CODE_LIFETIME_MS } from '../accounts/mailed-code.ts';

const LIFE = `It works once, for ${CODE_LIFETIME_MS / 60_000} minutes, and a newer code replaces it.`;

/** The message with the code that moves an account to the address it is sent to. */
export function changeCodeMail(options: { to: string; host: string; code: string }): Mail {
  const { to, host, code } = options;
  const subject = `Code for your new address on ${host}`;
  const body = composeMailBody(subject, [
    { kind: 'text', text: `Enter this code on ${host} to use this address for your account there:` },
    { kind: 'code', text: code },
    { kind: 'text', text: `${LIFE} Your current address gets another code, which you also need.` },
    { kind: 'text', text: 'If you did not ask for this, ignore this message and never pass the code on.' },
  ]);
  return { to, subject, ...body };
}

/** The message with the code that the owner of an account gets at its present address. */
export function currentCodeMail(options: { to: string; host: string; newEmail: string; code: string }): Mail {
  const { to, host, newEmail, code } = options;
  const subject = `Code to change your address on ${host}`;
  const body = composeMailBody(subject, [
    {
      kind: 'text',
      text: `Enter this code on ${host} to change the address of your account there to ${newEmail}:`,
    },
    { kind: 'code', text: code },
    { kind: 'text', text: `${LIFE} Without it the address does not change.` },
    {
      kind: 'text',
      text: 'If you did not ask for this, another person is signed in as you. Never pass the code on. Sign in, end the other sessions and revoke unknown member tokens in your settings.',
    },
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
      text: `A person tried to use this address for another account on ${host}. The address already has an account, so nothing was changed.`,
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
      text: 'If that was not you, another person is signed in as you and reads your mail: contact the operator of the server immediately.',
    },
  ]);
  return { to, subject, ...body };
}
