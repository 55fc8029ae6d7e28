import { newUuid, parseId } from '../../src/platform/ids.ts';
import type { Plan } from '../../src/workspace/billing/plan.ts';
import { createMemberToken } from '../../src/workspace/tokens/create-member-token.ts';
import type { TestCulprit, TestProject } from './culprit.ts';

/** Somebody with a member token who collaborates and owns nothing. */
export interface Collaborator {
  userId: string;
  email: string;
  memberToken: string;
}

/** Gives a person a place in a project, without the invite. */
export async function addMember(
  culprit: TestCulprit,
  project: Pick<TestProject, 'projectId'>,
  userId: string,
  role: 'admin' | 'member',
): Promise<void> {
  await culprit.database.query(
    {
      name: 'test-add-member',
      text: 'insert into project_members (project_id, user_id, role) values ($1, $2, $3)',
    },
    [parseId(['proj'], project.projectId) ?? '', userId, role],
  );
}

/** A new person with a verified address who collaborates in a project and owns no organization, as after an invite. */
export async function createCollaborator(
  culprit: TestCulprit,
  project: Pick<TestProject, 'projectId'>,
  role: 'admin' | 'member',
): Promise<Collaborator> {
  const userId = newUuid();
  const email = `${role}-${userId}@example.test`;
  await culprit.database.query(
    {
      name: 'test-person',
      text: 'insert into users (user_id, email, email_verified_at) values ($1, $2, culprit_now())',
    },
    [userId, email],
  );
  await addMember(culprit, project, userId, role);
  const memberToken = await culprit.database.transaction(async (transaction) => {
    const [row] = await transaction.query<{ organization_id: string }>(
      { name: 'test-organization', text: 'select organization_id from projects where project_id = $1' },
      [parseId(['proj'], project.projectId) ?? ''],
    );
    const organizationId = row?.organization_id ?? '';
    return (await createMemberToken(transaction, { userId, organizationId, label: 'test' })).plaintext;
  });
  return { userId, email, memberToken };
}

/** Puts the organization of a project on a plan. */
export async function setPlan(
  culprit: TestCulprit,
  project: Pick<TestProject, 'projectId'>,
  plan: Plan,
): Promise<void> {
  await culprit.database.query(
    {
      name: 'test-set-plan',
      text: `update organizations set plan = $2
        where organization_id = (select organization_id from projects where project_id = $1)`,
    },
    [parseId(['proj'], project.projectId) ?? '', plan],
  );
}
