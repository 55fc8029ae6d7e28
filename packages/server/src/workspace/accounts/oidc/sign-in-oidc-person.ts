import type { OidcSignInFailure } from '@culprit/contract/workspace/oidc';
import type { Transaction } from '../../../platform/db/database.ts';
import { findEmailStatus } from '../sign-in.queries.ts';
import { findOrCreateAccount, type SignedInPerson, signInKnownPerson } from '../sign-in-person.ts';
import { isSignupDomain, maySignUp } from '../sign-in-settings.ts';
import { findUserBySubject, linkSubject, lockOidcPerson } from './oidc.queries.ts';
import type { OidcIdentity } from './oidc-identity.ts';
import type { OidcRuntime } from './oidc-runtime.ts';

/** The provider vouches for the person, and they may not sign in here all the same. */
export class OidcRefusedError extends Error {
  override readonly name = 'OidcRefusedError';
  readonly reason: OidcSignInFailure;

  constructor(reason: OidcSignInFailure) {
    super(reason);
    this.reason = reason;
  }
}

/**
 * Signs in the account of a person of the provider by the rules of docs/contract/team-workflow.md 9.3, in their order:
 * the linked account, else the one with the verified address, which is linked now, else a new one where sign-up allows it.
 * @throws OidcRefusedError which must end the transaction: an account may have been made or marked before
 */
export async function signInOidcPerson(
  transaction: Transaction,
  rules: Pick<OidcRuntime, 'oidc' | 'signIn' | 'plans'>,
  identity: OidcIdentity,
): Promise<SignedInPerson> {
  const { email } = identity;
  const { allowedGroups } = rules.oidc;
  const isAllowed =
    allowedGroups.length === 0 || allowedGroups.some((group) => identity.groups?.includes(group) === true);
  if (!isAllowed) throw new OidcRefusedError('oidc_group_required');
  await lockOidcPerson(transaction, identity);
  const linked = await findUserBySubject(transaction, identity);
  if (linked !== null) {
    return await signInKnownPerson(transaction, rules, { userId: linked, method: 'oidc' });
  }
  if (email === null) throw new OidcRefusedError('oidc_email_missing');
  const person = await findOrCreateAccount(transaction, rules, {
    email,
    method: 'oidc',
    maySignUp: await mayCreate(transaction, rules, email),
  });
  if (person === null) throw new OidcRefusedError('signup_closed');
  // Silent relinking would be a way to take an account over, and so would an address that is not proven here.
  if (!(await linkSubject(transaction, person.userId, identity))) {
    throw new OidcRefusedError('oidc_identity_conflict');
  }
  return person;
}

async function mayCreate(
  transaction: Transaction,
  { oidc, signIn }: Pick<OidcRuntime, 'oidc' | 'signIn'>,
  email: string,
): Promise<boolean> {
  if (oidc.isSignupOn) return isSignupDomain(signIn, email);
  return maySignUp(signIn, email, (await findEmailStatus(transaction, email)).hasOpenInvite);
}
