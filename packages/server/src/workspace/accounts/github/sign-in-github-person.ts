import { normalizeEmail } from '@culprit/contract/workspace/email-address';
import type { Transaction } from '../../../platform/db/database.ts';
import type { Secret } from '../../../platform/secrets/secret.ts';
import {
  findOrCreateAccount,
  type SignedInPerson,
  type SignInRules,
  signInKnownPerson,
} from '../sign-in-person.ts';
import type { IdentityRefusal } from './device-request.ts';
import { findUserByGithubId, linkGithubId, lockGithubPerson } from './github.queries.ts';
import type { GithubApi, GithubUser } from './github-api.ts';

/** GitHub vouches for the person, and they may not sign in here all the same. */
export class IdentityRefusedError extends Error {
  override readonly name = 'IdentityRefusedError';
  readonly reason: IdentityRefusal;

  constructor(reason: IdentityRefusal) {
    super(reason);
    this.reason = reason;
  }
}

/** The person according to GitHub. */
export interface GithubIdentity {
  githubId: number;
  /** The primary, verified address in our form; null where there is none to see. */
  email: string | null;
}

/** Adds the address to a person whose token was accepted. @throws ProviderUnavailableError */
export async function readIdentity(
  api: GithubApi,
  user: GithubUser,
  accessToken: Secret,
): Promise<GithubIdentity> {
  const address = await api.readVerifiedAddress(accessToken);
  return { githubId: user.githubId, email: address === null ? null : normalizeEmail(address) };
}

/**
 * Signs in the account of a GitHub person by the rules of docs/contract/account.md 3.3, in their order: the linked
 * account, else the one with the verified address, which is linked now, else a new one where sign-up is open.
 * @throws IdentityRefusedError which must end the transaction: an account may have been made or marked before
 */
export async function signInGithubPerson(
  transaction: Transaction,
  rules: SignInRules,
  { githubId, email }: GithubIdentity,
): Promise<SignedInPerson> {
  await lockGithubPerson(transaction, githubId);
  const linked = await findUserByGithubId(transaction, githubId);
  if (linked !== null) {
    return await signInKnownPerson(transaction, rules, { userId: linked, method: 'github' });
  }
  if (email === null) throw new IdentityRefusedError('github_email_missing');
  const person = await findOrCreateAccount(transaction, rules, { email, method: 'github' });
  if (person === null) throw new IdentityRefusedError('signup_closed');
  // Silent relinking would be a way to take an account over, and so would an unproven address.
  const isLinked = await linkGithubId(transaction, person.userId, githubId);
  if (!isLinked) throw new IdentityRefusedError('github_identity_conflict');
  return person;
}
