import { claimCliSignIn, pollCliSignIn, startCliSignIn } from '@culprit/contract/workspace/cli-sign-in';
import { authError, CliError } from '../../cli-error.ts';
import { EXIT } from '../../exit-codes.ts';
import { say } from '../../output/print.ts';
import { visibleLine } from '../../output/visible-text.ts';
import { sleep } from '../../sleep.ts';
import { openAtEnter } from './open-at-enter.ts';
import { type SignIn, type SignInPlace, signInOf } from './sign-in.ts';

const AGAIN = 'culprit login --browser';

/** Whatever the browser can sign in with: a signed-in person compares the code there and approves it. */
export async function signInByBrowser(place: SignInPlace): Promise<SignIn> {
  const { context, input, api, label } = place;
  const request = await api.call(startCliSignIn, { body: { label } });
  const { request_id, user_code: userCode, verification_uri: page } = request;
  context.terminal.err(`Open ${visibleLine(page)} and type the code ${visibleLine(userCode)}\n`);
  const mayOpen = !input.has('no-browser') && context.terminal.isInteractive;
  const stopListening = mayOpen
    ? openAtEnter(context, `${page}?code=${encodeURIComponent(userCode)}`)
    : () => {};
  try {
    await waitForApproval(place, request);
  } finally {
    stopListening();
  }
  const { token } = await api.call(claimCliSignIn, { body: { request_id } });
  if (token.access === 'read') say(context, 'This token can only read.');
  return signInOf(token, 'browser');
}

async function waitForApproval(
  { context, api }: SignInPlace,
  { request_id, interval_seconds }: { request_id: string; interval_seconds: number },
): Promise<void> {
  for (;;) {
    await sleep(interval_seconds * 1000, context.interrupted);
    if (context.interrupted.aborted) throw authError('The sign-in was interrupted; nothing is stored.');
    const { status, expires_at } = await api.call(pollCliSignIn, { body: { request_id } });
    if (status === 'approved') return;
    if (status === 'pending' && Date.parse(expires_at) >= Date.now()) continue;
    if (status === 'denied') {
      throw new CliError('The sign-in was refused in the browser.', {
        exit: EXIT.auth,
        code: 'access_denied',
        hint: AGAIN,
      });
    }
    if (status === 'claimed') throw authError('The sign-in was already used.', AGAIN);
    throw authError('The sign-in has expired.', AGAIN);
  }
}
