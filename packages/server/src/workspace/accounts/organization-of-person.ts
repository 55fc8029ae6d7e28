import type { Transaction } from '../../platform/db/database.ts';
import { Problem } from '../../platform/http/binding/problem.ts';
import { newUuid } from '../../platform/ids.ts';
import type { PlanSettings } from '../billing/plan.ts';
import { lockPerson } from './account-deletion.queries.ts';
import { ensureOrganization } from './accounts.queries.ts';
import { findMemberships } from './sign-in.queries.ts';

/**
 * Returns the organization a person owns; it is created for a person who came by invite and has none
 * (docs/contract/account.md 1.7). Their row stays locked until the transaction ends.
 * @throws Problem `invalid_member_token` when the person is gone
 */
export async function ensureOwnOrganization(
  transaction: Transaction,
  plans: PlanSettings,
  userId: string,
): Promise<string> {
  // An account that is being deleted would take the new organization with it.
  const isThere = await lockPerson(transaction, userId);
  const memberships = isThere ? await findMemberships(transaction, userId) : null;
  if (memberships === null) throw new Problem('invalid_member_token');
  return await ensureOrganization(transaction, {
    organizationId: newUuid(),
    ownerUserId: userId,
    name: memberships.email,
    plan: plans.defaultPlan,
  });
}

/**
 * Returns the organization that a person's records name (docs/contract/account.md 1.7): the owned one, else that of the
 * oldest membership. A person without any membership gets a new organization.
 * @throws Problem `invalid_member_token` when the person is gone
 */
export async function organizationOfPerson(
  transaction: Transaction,
  plans: PlanSettings,
  userId: string,
): Promise<string> {
  const memberships = await findMemberships(transaction, userId);
  return (
    memberships?.ownedId ?? memberships?.joinedId ?? (await ensureOwnOrganization(transaction, plans, userId))
  );
}
