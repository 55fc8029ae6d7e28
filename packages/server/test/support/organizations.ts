import type { Database } from '../../src/platform/db/database.ts';
import { newUuid } from '../../src/platform/ids.ts';
import type { Plan, PlanSettings } from '../../src/workspace/billing/plan.ts';
import { setPlan } from '../../src/workspace/billing/set-plan.ts';
import { HOSTED } from './culprit.ts';

/** An organization without projects, with an owner of its own. Its plan is as if it had been made with it. */
export async function createOrganization(
  database: Database,
  plan: Plan = 'free',
): Promise<{ organizationId: string; ownerUserId: string }> {
  const [organizationId, ownerUserId] = [newUuid(), newUuid()];
  await database.query({ name: 'test-owner', text: 'insert into users (user_id, email) values ($1, $2)' }, [
    ownerUserId,
    `owner-${ownerUserId}@example.test`,
  ]);
  await database.query(
    {
      name: 'test-organization',
      text: 'insert into organizations (organization_id, owner_user_id, name, plan) values ($1, $2, $3, $4)',
    },
    [organizationId, ownerUserId, 'test', plan],
  );
  return { organizationId, ownerUserId };
}

/** What the operator does with `admin plan set`, for the organization a person owns. */
export async function setPlanOf(
  database: Database,
  userId: string,
  plan: Plan,
  additionalUnits: number | null = null,
  plans: PlanSettings = HOSTED,
): Promise<void> {
  const organizationId = await organizationOf(database, userId);
  await database.transaction((transaction) =>
    setPlan(transaction, plans, organizationId, { plan, additionalUnits }),
  );
}

/** The organization a person owns. */
export async function organizationOf(database: Database, userId: string): Promise<string> {
  const [row] = await database.query<{ organization_id: string }>(
    {
      name: 'test-organization-of',
      text: 'select organization_id from organizations where owner_user_id = $1',
    },
    [userId],
  );
  if (row === undefined) throw new Error('the person owns no organization');
  return row.organization_id;
}
