import { networkWords } from '@culprit/contract/workspace/network-words';
import type { Mail } from '../../platform/mail/mail.ts';
import { composeMailBody } from '../../platform/mail/mail-body.ts';
import { CODE_LIFETIME_MS } from './mailed-code.ts';

/**
 * The message with a sign-in code (docs/contract/account.md 2.2).
 * @param options.addressClass of the client that asked, from `addressClass`
 * @param options.browser of the same, from `browserName`
 */
export function signInMail(options: {
  to: string;
  host: string;
  code: string;
  addressClass: string;
  browser: string | null;
}): Mail {
  const { to, host, code } = options;
  const network = networkWords(options.addressClass);
  const from = options.browser === null ? network : `${network}, with ${options.browser}`;
  const subject = `Sign-in code for ${host}`;
  const body = composeMailBody(subject, [
    { kind: 'text', text: `Enter this code to sign in to ${host}:` },
    { kind: 'code', text: code },
    {
      kind: 'text',
      text: `It works once, for ${CODE_LIFETIME_MS / 60_000} minutes, only in the browser that requested it. A newer code replaces it.`,
    },
    {
      kind: 'text',
      text: `The request came from ${from}. If that was not you, ignore this message: without the code no one can sign in. Keep it secret.`,
    },
  ]);
  return { to, subject, ...body };
}
