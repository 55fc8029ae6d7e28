import type { CreatedMemberToken } from '@culprit/contract/tokens';
import { Problem } from '../../platform/http/problem.ts';
import { ProviderUnavailableError } from '../../platform/provider-request.ts';
import type { Secret } from '../../platform/secret.ts';
import { createMemberToken, type NewMemberToken } from '../../tokens/create-member-token.ts';
import { readTokenLabel } from '../../tokens/label.ts';
import { type AuditContext, auditFailedSignIn, auditSignIn } from '../audit-sign-in.ts';
import type { SignedInPerson } from '../sign-in-person.ts';
import { takeSignInTurn } from '../sign-in-rate.ts';
import { auditGithubToken } from './audit-github-token.ts';
import { isExchangeable } from './exchangeable-token.ts';
import type { GithubRoom } from './github-room.ts';
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
 * Makes a member token for the person a GitHub token belongs to (account.md 3.5). The GitHub token is used here and
 * forgotten.
 * @throws Problem `invalid_payload` for the label, `auth_not_configured`, `rate_limited`, `github_unavailable`,
 *   `invalid_github_token`, `github_email_missing`, `github_identity_not_allowed`, `resource_limit_reached`
 */
export async function exchangeGithubToken(
  room: GithubRoom,
  request: { githubAccessToken: Secret; label: string },
  context: AuditContext,
): Promise<CreatedMemberToken> {
  const label = readTokenLabel(request.label);
  await takeSignInTurn(room.database, room.settings, 'sign_in', context.clientAddress);
  try {
    const identity = await judgeToken(room, request.githubAccessToken);
    const { person, token } = await signInForToken(room, identity, label);
    await auditSignIn(room.database, context, { person, method: 'github', session: null });
    await auditGithubToken(room.database, context, token.record, 'exchange');
    return { ...token.record, plaintext: token.plaintext };
  } catch (error) {
    const problem = problemOf(error);
    if (problem === null) throw error;
    if (error instanceof ProviderUnavailableError) logGithubFailure(context.log, error);
    const reason = error instanceof IdentityRefusedError ? error.reason : problem.code;
    await auditFailedSignIn(room.database, context, { method: 'github', reason });
    throw problem;
  }
}

/** Whose token it is, as far as it may be used here at all. Addresses are read only then. */
async function judgeToken(room: GithubRoom, accessToken: Secret): Promise<GithubIdentity> {
  const user = SENDABLE.test(accessToken.reveal()) ? await room.api.readUser(accessToken) : null;
  if (user === null) throw new Problem('invalid_github_token');
  if (!isExchangeable(accessToken, user.issuingClientId, room.github)) {
    throw new Problem('github_identity_not_allowed');
  }
  return await readIdentity(room.api, user, accessToken);
}

async function signInForToken(
  room: GithubRoom,
  identity: GithubIdentity,
  label: string,
): Promise<{ person: SignedInPerson; token: NewMemberToken }> {
  return await room.database.transaction(async (transaction) => {
    const person = await signInGithubPerson(transaction, room, identity);
    const { userId, organizationId } = person;
    return { person, token: await createMemberToken(transaction, { userId, organizationId, label }) };
  });
}

/** The answer to a failure that is to be expected; null for any other. */
function problemOf(error: unknown): Problem | null {
  if (error instanceof Problem) return error;
  if (error instanceof ProviderUnavailableError) return new Problem('github_unavailable');
  if (!(error instanceof IdentityRefusedError)) return null;
  const isMissing = error.reason === 'github_email_missing';
  return new Problem(isMissing ? 'github_email_missing' : 'github_identity_not_allowed');
}
