import type { Transaction } from '../../platform/db/database.ts';
import { newUuid } from '../../platform/ids.ts';
import type { Runtime } from '../../runtime.ts';
import { ensureOrganization } from './accounts.queries.ts';
import {
  findEmailStatus,
  findMemberships,
  insertUser,
  lockUserByEmail,
  markSignedIn,
} from './sign-in.queries.ts';
import { maySignUp } from './sign-in-settings.ts';

/** The way in which a person proved who they are. */
export type SignInMethod = 'email' | 'github' | 'oidc';

/** A person who signed in. Their row is locked by the transaction that made this. */
export interface SignedInPerson {
  userId: string;
  /** The owned organization; else that of the oldest membership; else that of the oldest open invite. */
  organizationId: string;
  /** True when this sign-in made the account. */
  isNewAccount: boolean;
  /** True when this sign-in made the organization. */
  isNewOrganization: boolean;
}

/** The settings that decide who gets an account, and with which plan. */
export type SignInRules = Pick<Runtime, 'signIn' | 'plans'>;

/**
 * Signs in the person with an address they have just proven to be theirs: finds the account, or creates it if sign-up
 * is open for the address (docs/contract/account.md 1.7, 2.2, 3.3 rules 2 and 3).
 * @param person.email from `normalizeEmail`
 * @param person.maySignUp replaces the settings of sign-up, for a way with separate settings
 * @returns null when there is no account and none may be created
 */
export async function findOrCreateAccount(
  transaction: Transaction,
  rules: SignInRules,
  person: { email: string; method: SignInMethod; maySignUp?: boolean },
): Promise<SignedInPerson | null> {
  const { email, method } = person;
  const known = await lockUserByEmail(transaction, email);
  if (known !== null) return await signInKnownPerson(transaction, rules, { userId: known, method });
  const { hasOpenInvite } = await findEmailStatus(transaction, email);
  if (!(person.maySignUp ?? maySignUp(rules.signIn, email, hasOpenInvite))) return null;
  const userId = newUuid();
  const isNewAccount = await insertUser(transaction, userId, email);
  // If another sign-in with the same proof came at the same moment, the row exists now.
  const ownerOfRow = isNewAccount ? userId : await lockUserByEmail(transaction, email);
  if (ownerOfRow === null) throw new Error('the user row was neither found nor made');
  const signedIn = await signInKnownPerson(transaction, rules, { userId: ownerOfRow, method });
  return { ...signedIn, isNewAccount };
}

/**
 * Signs in a person who is known otherwise, such as by a linked GitHub account (docs/contract/account.md 3.3 rule 1). A
 * person without memberships and invites gets a new organization (1.7).
 */
export async function signInKnownPerson(
  transaction: Transaction,
  rules: Pick<SignInRules, 'plans'>,
  person: { userId: string; method: SignInMethod },
): Promise<SignedInPerson> {
  const { userId, method } = person;
  await markSignedIn(transaction, userId, method);
  const memberships = await findMemberships(transaction, userId);
  if (memberships === null) throw new Error('the person who signs in has no row');
  const known = memberships.ownedId ?? memberships.joinedId ?? memberships.invitedId;
  if (known !== null) {
    return { userId, organizationId: known, isNewAccount: false, isNewOrganization: false };
  }
  const organizationId = await ensureOrganization(transaction, {
    organizationId: newUuid(),
    ownerUserId: userId,
    name: memberships.email,
    plan: rules.plans.defaultPlan,
  });
  return { userId, organizationId, isNewAccount: false, isNewOrganization: true };
}
