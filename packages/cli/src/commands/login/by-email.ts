import { readFileSync } from 'node:fs';
import {
  CSRF_HEADER,
  logOut,
  requestSignInCode,
  verifySignInCode,
} from '@culprit/contract/workspace/sign-in';
import { createMemberToken } from '@culprit/contract/workspace/tokens';
import type { HttpAnswer } from '../../api/http-send.ts';
import { openApi } from '../../api/open-api.ts';
import { authError, usageError } from '../../cli-error.ts';
import { askText, readStandardInput } from '../../output/ask.ts';
import { say } from '../../output/print.ts';
import { requireTerms, type SignIn, type SignInPlace, TRIES_MAX, tokenRecord } from './sign-in.ts';

/**
 * Signs in by mail: a code opens a session, with which the token is created; the session ends immediately and is stored
 * nowhere.
 */
export async function signInByEmail(place: SignInPlace): Promise<SignIn> {
  const session = await openSession(place);
  try {
    const { token } = await session.api.call(createMemberToken, { body: { label: place.label } });
    return {
      token: token.plaintext,
      madeBy: 'email',
      label: token.label,
      email: session.email,
      userId: token.user_id,
      record: tokenRecord(token),
      projectId: null,
      projectToken: null,
    };
  } finally {
    await session.api.attempt(logOut).catch(() => null);
  }
}

/** Opens a session of the person with the address, with a mailed code. The caller ends it. */
export async function openSession(place: SignInPlace) {
  const { context, input, origin } = place;
  await requireTerms(place);
  const email =
    input.text('email') ??
    (await askText(context, 'Your address', () => usageError('Which address?', '--email ADDRESS')));
  // The code works only with the cookie of its request.
  const cookies = new Map<string, string>();
  const keepCookies = {
    onAnswer({ headers }: HttpAnswer) {
      for (const line of headers.getSetCookie()) {
        const [pair = ''] = line.split(';');
        cookies.set(pair.slice(0, pair.indexOf('=')), pair);
      }
    },
  };
  const asking = openApi(context, origin, null, NOBODY, keepCookies);
  await asking.call(requestSignInCode, { body: { email, accepted_terms: true } });
  if (!input.has('code-file')) say(context, `A code was sent to ${email}.`);
  const signing = openApi(context, origin, null, NOBODY, {
    ...keepCookies,
    headers: { cookie: [...cookies.values()].join('; ') },
  });
  for (let tries = 1; ; tries += 1) {
    const code = await readCode(place);
    if (!/^[0-9]{6}$/.test(code)) {
      // A text that cannot be a code is a typing error: it does not count as a try of the server.
      if (!context.terminal.isInteractive || input.has('code-file') || tries >= TRIES_MAX)
        throw authError('A code has six digits.', 'culprit login --email ADDRESS');
      say(context, 'A code has six digits.');
      continue;
    }
    const answer = await signing.attempt(verifySignInCode, { body: { email, code } });
    if (answer.ok) {
      const { csrf_token } = answer.body.session;
      const cookie = [...cookies.values()].join('; ');
      const headers = { cookie, [CSRF_HEADER.toLowerCase()]: csrf_token };
      return { email, api: openApi(context, origin, null, NOBODY, { headers }) };
    }
    const isAgain =
      answer.code === 'invalid_code' && context.terminal.isInteractive && !input.has('code-file');
    if (!isAgain || tries >= TRIES_MAX) throw answer.failure;
    say(context, 'That code is wrong or expired.');
  }
}

const NOBODY = { credential: 'no token', profileName: null, isFromEnvironment: false };

async function readCode({ context, input }: SignInPlace): Promise<string> {
  const file = input.text('code-file');
  const text =
    file === null
      ? await askText(context, 'Code (6 digits)', () =>
          usageError('The code cannot be entered here.', 'add --code-file FILE, or - for standard input'),
        )
      : file === '-'
        ? await readStandardInput()
        : readFileSync(file, 'utf8');
  // People type what the mail shows in groups.
  return text.replace(/\s/g, '');
}
