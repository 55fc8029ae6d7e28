import { HOSTED, startCulprit, type TestCulprit, type TestProject } from '../support/culprit.ts';
import { join, newAddress, type Person, signInAs } from '../support/people.ts';

/** An owner, an admin, a member and a stranger of a project on the plan Team. */
interface PeopleOfProject {
  culprit: TestCulprit;
  project: TestProject;
  owner: Person;
  admin: Person;
  member: Person;
  stranger: Person;
}

export async function startWithPeople(): Promise<PeopleOfProject> {
  const culprit = await startCulprit({ duties: [], plans: HOSTED });
  const email = newAddress('owner');
  const project = await culprit.createProject({ plan: 'team', email, name: 'shop' });
  const owner = await signInAs(culprit, email);
  const admin = await join(culprit, owner, project.projectId, 'admin');
  const member = await join(culprit, owner, project.projectId, 'member');
  const stranger = await signInAs(culprit, newAddress('stranger'));
  return { culprit, project, owner, admin, member, stranger };
}

/** A project of its own for tests that count its people. */
export async function newProject(culprit: TestCulprit, owner: Person): Promise<string> {
  const { projectId } = await culprit.createProject({
    plan: 'team',
    email: owner.email,
    name: newAddress('p'),
  });
  return projectId;
}

/** Actions the audit log has of a subject, in order. */
export async function audited(
  culprit: TestCulprit,
  subject: string,
): Promise<{ action: string; actor: string | null; data: unknown }[]> {
  return await culprit.database.query(
    {
      name: 'test-audited',
      text: `select action, actor_user_id as actor, data from audit_log where subject = $1 order by audit_id`,
    },
    [subject],
  );
}
