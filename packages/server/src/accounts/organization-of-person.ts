import type { PlanSettings } from '../billing/plan.ts';
import type { Queryable } from '../platform/db/database.ts';
import { Problem } from '../platform/http/problem.ts';
import { newUuid } from '../platform/ids.ts';
import { lockPerson } from './account-deletion.queries.ts';
import { ensureOrganization } from './accounts.queries.ts';
import { findBelonging } from './sign-in.queries.ts';

/**
 * The organization a person owns, made on the spot for somebody who came by invite and has none (account.md 1.7).
 * Their row stays locked until the transaction ends.
 * @throws Problem `invalid_member_token` when the person is gone
 */
export async function ensureOwnOrganization(
  transaction: Queryable,
  plans: PlanSettings,
  userId: string,
): Promise<string> {
  // An account that is being deleted would take the new organization with it.
  const isThere = await lockPerson(transaction, userId);
  const belonging = isThere ? await findBelonging(transaction, userId) : null;
  if (belonging === null) throw new Problem('invalid_member_token');
  return await ensureOrganization(transaction, {
    organizationId: newUuid(),
    ownerUserId: userId,
    name: belonging.email,
    plan: plans.defaultPlan,
  });
}

/**
 * The organization that a person's records name (account.md 1.7): the owned one, else that of the oldest membership.
 * Whoever belongs nowhere any more gets their own.
 * @throws Problem `invalid_member_token` when the person is gone
 */
export async function organizationOfPerson(
  transaction: Queryable,
  plans: PlanSettings,
  userId: string,
): Promise<string> {
  const belonging = await findBelonging(transaction, userId);
  return (
    belonging?.ownedId ?? belonging?.joinedId ?? (await ensureOwnOrganization(transaction, plans, userId))
  );
}
