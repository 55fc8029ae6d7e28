import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import {
  claimDeviceRequest,
  exchangeGithubToken,
  GITHUB_TOKEN_LENGTH_MAX,
  pollDeviceRequest,
  startDeviceRequest,
} from '@culprit/contract/workspace/github';
import { PROBLEM_WORDS } from '@culprit/mcp/words/problem-words';
import type { Api } from '../../api/api.ts';
import { authError, CliError, usageError } from '../../cli-error.ts';
import type { Context } from '../../context.ts';
import { EXIT } from '../../exit-codes.ts';
import { askSecret, readStandardInput } from '../../output/ask.ts';
import { say } from '../../output/print.ts';
import { visibleLine } from '../../output/visible-text.ts';
import { sleep } from '../../sleep.ts';
import { openAtEnter } from './open-at-enter.ts';
import { requireTerms, type SignIn, type SignInPlace, signInOf, TRIES_MAX } from './sign-in.ts';

const GITHUB_CLI_TIMEOUT_MS = 10_000;
const REJECTED: Readonly<Record<string, { says: string; hint: string }>> = {
  github_email_missing: {
    says: PROBLEM_WORDS.github_email_missing.says,
    hint: 'add a verified address at GitHub, or sign in another way: culprit login --email ADDRESS',
  },
  signup_closed: {
    says: 'This server does not accept new accounts.',
    hint: 'ask its operator or a project owner for an invite',
  },
  github_identity_conflict: {
    says: 'Your address belongs to an account that is joined to another GitHub account.',
    hint: 'sign in another way: culprit login --email ADDRESS',
  },
};

/** The token of the GitHub command line, when it is installed and signed in. */
export async function tokenOfGithubCli(host: string | null): Promise<string | null> {
  try {
    const args = ['auth', 'token', ...(host === null ? [] : ['--hostname', host])];
    const { stdout } = await promisify(execFile)('gh', args, { timeout: GITHUB_CLI_TIMEOUT_MS });
    return stdout.trim() === '' ? null : stdout.trim();
  } catch {
    return null;
  }
}

/** Exchanges a token of GitHub, which is held in memory only. */
export async function signInByGithubToken(
  place: SignInPlace,
  way: 'github-cli' | 'github-token',
): Promise<SignIn> {
  const { context, input, api, label } = place;
  await requireTerms(place);
  // The token of gh would be the same again; a typed one may have been a typing error.
  const isTyped = way === 'github-token' && context.terminal.isInteractive;
  for (let tries = 1; ; tries += 1) {
    const token =
      way === 'github-cli' ? await tokenOfGithubCli(input.text('github-host')) : await readGithubToken(place);
    if (token === null) {
      throw authError(
        'gh is not installed, or not signed in.',
        'gh auth login, or culprit login --github-device',
      );
    }
    if (token === '' || token.length > GITHUB_TOKEN_LENGTH_MAX)
      throw usageError('That is not a GitHub token.');
    const answer = await api.attempt(exchangeGithubToken, {
      body: { github_access_token: token, label, accepted_terms: true },
    });
    if (answer.ok) {
      say(context, 'GitHub vouches for you.');
      return signInOf(answer.body.token, 'exchange');
    }
    if (answer.code !== 'invalid_github_token' || !isTyped || tries >= TRIES_MAX) throw answer.failure;
    say(context, answer.failure.message);
  }
}

async function readGithubToken({ context }: SignInPlace): Promise<string> {
  return context.terminal.isInTerminal
    ? await askSecret(context, 'GitHub token', () =>
        usageError('Which token?', 'culprit login --github-token < FILE'),
      )
    : (await readStandardInput()).trim();
}

/** Shows a code to type at GitHub, waits for the approval, and claims the token. */
export async function signInByDevice(place: SignInPlace): Promise<SignIn> {
  const { context, input, api, label } = place;
  await requireTerms(place);
  const request = await api.call(startDeviceRequest, { body: { accepted_terms: true } });
  context.terminal.err(
    `Open ${visibleLine(request.verification_uri)} and type the code ${visibleLine(request.user_code)}\n`,
  );
  const mayOpen = !input.has('no-browser') && context.terminal.isInteractive;
  const stopListening = mayOpen ? openAtEnter(context, request.verification_uri) : () => {};
  try {
    await waitForApproval(context, api, request);
  } finally {
    stopListening();
  }
  const { request_id } = request;
  const { token } = await api.call(claimDeviceRequest, { body: { request_id, label } });
  return signInOf(token, 'device');
}

async function waitForApproval(
  context: Context,
  api: Api,
  { request_id, interval_seconds }: { request_id: string; interval_seconds: number },
): Promise<void> {
  let intervalSeconds = interval_seconds;
  for (;;) {
    await sleep(intervalSeconds * 1000, context.interrupted);
    if (context.interrupted.aborted) throw authError('The sign-in was interrupted; nothing is stored.');
    const state = await api.call(pollDeviceRequest, { body: { request_id } });
    if (state.status === 'approved') return;
    if (state.status === 'pending') {
      intervalSeconds = state.interval_seconds;
      if (Date.parse(state.expires_at) < Date.now()) throw expired();
      continue;
    }
    if (state.status === 'rejected') {
      const words = REJECTED[state.reason] ?? { says: state.reason, hint: 'culprit login' };
      throw new CliError(words.says, { exit: EXIT.refused, code: state.reason, hint: words.hint });
    }
    if (state.status === 'denied')
      throw authError('The sign-in was refused at GitHub.', 'culprit login --github-device');
    if (state.status === 'claimed')
      throw authError('The sign-in was already used.', 'culprit login --github-device');
    throw expired();
  }
}

function expired(): CliError {
  return authError('The sign-in has expired.', 'culprit login --github-device');
}
