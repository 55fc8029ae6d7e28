import type { exchangeGithubToken as endpoint } from '@culprit/contract/workspace/github';
import type { CreatedMemberToken } from '@culprit/contract/workspace/tokens';
import { Problem } from '../../../platform/http/binding/problem.ts';
import { ProviderUnavailableError } from '../../../platform/outbound/provider-request.ts';
import { Secret } from '../../../platform/secrets/secret.ts';
import type { ApiRequest } from '../../access/api-callers.ts';
import { createMemberToken, type NewMemberToken } from '../../tokens/create-member-token.ts';
import { auditFailedSignIn, auditSignIn } from '../audit-sign-in.ts';
import { auditSignInToken } from '../audit-sign-in-token.ts';
import type { SignedInPerson } from '../sign-in-person.ts';
import { limitSignInRequests } from '../sign-in-rate.ts';
import type { GithubRuntime } from './github-runtime.ts';
import type { GithubSettings } from './github-settings.ts';
import { logGithubFailure } from './log-github-failure.ts';
import {
  type GithubIdentity,
  IdentityRefusedError,
  readIdentity,
  signInGithubPerson,
} from './sign-in-github-person.ts';

/** Visible ASCII: the form of every bearer token, and all that a header can carry unchanged. */
const SENDABLE = /^[!-~]+$/;

/**
 * Makes a member token for the person a GitHub token belongs to (docs/contract/account.md 3.5). The GitHub token is
 * used here and forgotten.
 * @throws Problem `rate_limited`, `github_unavailable`, `invalid_github_token`, `github_email_missing`,
 * `github_identity_not_allowed`, `resource_limit_reached`
 */
export async function exchangeGithubToken(
  runtime: GithubRuntime,
  request: ApiRequest<typeof endpoint, string>,
): Promise<CreatedMemberToken> {
  const { body, checked: label } = request;
  await limitSignInRequests(runtime, 'sign_in', request.clientAddress);
  try {
    const identity = await judgeToken(runtime, new Secret(body.github_access_token));
    const { person, token } = await signInForToken(runtime, identity, label);
    await auditSignIn(runtime.database, request, { person, method: 'github', session: null });
    await auditSignInToken(runtime.database, request, token.record, 'exchange');
    return { ...token.record, plaintext: token.plaintext };
  } catch (error) {
    const problem = problemOf(error);
    if (problem === null) throw error;
    if (error instanceof ProviderUnavailableError) logGithubFailure(request.log, error);
    const reason = error instanceof IdentityRefusedError ? error.reason : problem.code;
    await auditFailedSignIn(runtime.database, request, { method: 'github', reason });
    throw problem;
  }
}

/** Returns the owner of the token if it may be used here. Addresses are read only then. */
async function judgeToken(runtime: GithubRuntime, accessToken: Secret): Promise<GithubIdentity> {
  const user = SENDABLE.test(accessToken.reveal()) ? await runtime.githubApi.readUser(accessToken) : null;
  if (user === null) throw new Problem('invalid_github_token');
  if (!isExchangeable(accessToken, user.issuingClientId, runtime.github)) {
    throw new Problem('github_identity_not_allowed');
  }
  return await readIdentity(runtime.githubApi, user, accessToken);
}

async function signInForToken(
  runtime: GithubRuntime,
  identity: GithubIdentity,
  label: string,
): Promise<{ person: SignedInPerson; token: NewMemberToken }> {
  return await runtime.database.transaction(async (transaction) => {
    const person = await signInGithubPerson(transaction, runtime, identity);
    const { userId, organizationId } = person;
    return { person, token: await createMemberToken(transaction, { userId, organizationId, label }) };
  });
}

/** Returns the answer to an expected failure; null for any other. */
function problemOf(error: unknown): Problem | null {
  if (error instanceof Problem) return error;
  if (error instanceof ProviderUnavailableError) return new Problem('github_unavailable');
  if (!(error instanceof IdentityRefusedError)) return null;
  const isMissing = error.reason === 'github_email_missing';
  return new Problem(isMissing ? 'github_email_missing' : 'github_identity_not_allowed');
}

/** The application behind `gh`, GitHub's own command line; the same for GitHub Enterprise servers. */
const GITHUB_CLI_CLIENT_ID = '178c6fc778ccc68e1d6a';

/** The beginning of tokens of applications; those that a person created by hand begin with `ghp_` or `github_pat_`. */
const APPLICATION_TOKEN = /^gh[ours]_/;

/**
 * Returns true if a GitHub token may be exchanged (docs/contract/account.md 3.5): one created by hand, or one of an
 * application we know. Any other application's token is refused, for every application a person ever authorized has
 * one.
 * @param issuingClientId as GitHub names it; a token of an application for which it names none is not known to be ours
 */
function isExchangeable(
  accessToken: Secret,
  issuingClientId: string | null,
  github: Pick<GithubSettings, 'clientId' | 'exchangeClients'>,
): boolean {
  if (issuingClientId === null) return !APPLICATION_TOKEN.test(accessToken.reveal());
  return [github.clientId, GITHUB_CLI_CLIENT_ID, ...github.exchangeClients].includes(issuingClientId);
}
