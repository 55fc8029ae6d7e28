import { hash } from 'node:crypto';
import { deriveKeys } from '../../src/platform/secrets/keys.ts';
import { createSession } from '../../src/workspace/accounts/create-session.ts';
import { csrfToken } from '../../src/workspace/accounts/session-secrets.ts';
import { addMember, type Collaborator, createCollaborator } from '../support/collaborators.ts';
import { countRows } from '../support/count-rows.ts';
import type { TestCulprit, TestProject } from '../support/culprit.ts';
import { managementClient } from '../support/management-client.ts';
import { organizationOf } from '../support/organizations.ts';
import { buildImprovement } from './built-improvement.ts';
import { type BuiltIncident, buildIncident } from './built-incident.ts';

/** Somebody who uses the API. */
export type Actor = Collaborator;

/** An organization on Team with one project, and the people in it: one of each role. */
export interface Tenant {
  project: TestProject;
  /** Bare UUID. */
  organizationId: string;
  owner: Actor;
  admin: Actor;
  member: Actor;
  /** The project's incident, with everything that is made for one; made when it is first asked for. */
  incident(): Promise<BuiltIncident>;
  /** The id of the project's improvement, whose bundle is there; made when it is first asked for. */
  improvement(): Promise<string>;
}

/** A tenant. `name` begins its texts and addresses. */
export async function createTenant(culprit: TestCulprit, name: string): Promise<Tenant> {
  const email = `${name}-owner-${hash('sha1', `${name}${Math.random()}`).slice(0, 12)}@example.test`;
  const made = await culprit.createProject({ plan: 'team', name: `${name} project`, email });
  // Making more projects retires the token that came with the first.
  const { plaintext } = await managementClient(culprit, made.memberToken).createMemberToken('kept');
  const project = { ...made, memberToken: plaintext };
  const owner = { userId: project.userId, email, memberToken: plaintext };
  const [admin, member, organizationId] = await Promise.all([
    createCollaborator(culprit, project, 'admin'),
    createCollaborator(culprit, project, 'member'),
    organizationOf(culprit.database, owner.userId),
  ]);
  let built: Promise<BuiltIncident> | null = null;
  let improved: Promise<string> | null = null;
  return {
    project,
    organizationId,
    owner,
    admin,
    member,
    incident() {
      built ??= buildIncident(culprit, project, name);
      return built;
    },
    improvement() {
      improved ??= buildImprovement(culprit, project, name);
      return improved;
    },
  };
}

/** One more project of the tenant, in which its people have the same roles. */
export async function addProject(culprit: TestCulprit, tenant: Tenant): Promise<TestProject> {
  const name = `${tenant.project.name} ${crypto.randomUUID()}`;
  const project = await culprit.createProject({ plan: 'team', name, email: tenant.owner.email });
  await addMember(culprit, project, tenant.admin.userId, 'admin');
  await addMember(culprit, project, tenant.member.userId, 'member');
  return project;
}

/** A browser session: what its requests carry. */
export interface BrowserSession {
  /** Name and value. */
  cookie: string;
  csrfToken: string;
  /** Bare UUID. */
  sessionId: string;
}

/** Signs somebody in without the mail. */
export async function openSession(
  culprit: TestCulprit,
  actor: Pick<Actor, 'userId'>,
  organizationId: string,
): Promise<BrowserSession> {
  const { sessionId, secret } = await culprit.database.transaction((transaction) =>
    createSession(transaction, { userId: actor.userId, organizationId, presentedCookie: null }),
  );
  return {
    cookie: `svc_session=${secret.reveal()}`,
    csrfToken: csrfToken(deriveKeys(culprit.dataKey).csrf, sessionId),
    sessionId,
  };
}

const sessions = new WeakMap<TestCulprit, Map<string, BrowserSession>>();

/** The session in which somebody does everything while it lives: mailed codes work only in the one that asked. */
export async function usualSession(
  culprit: TestCulprit,
  actor: Pick<Actor, 'userId'>,
  organizationId: string,
): Promise<BrowserSession> {
  const known = sessions.get(culprit) ?? new Map<string, BrowserSession>();
  sessions.set(culprit, known);
  const before = known.get(actor.userId);
  const live = 'sessions where session_id = $1 and revoked_at is null';
  if (before !== undefined && (await countRows(culprit, live, [before.sessionId])) === 1) return before;
  const session = await openSession(culprit, actor, organizationId);
  known.set(actor.userId, session);
  return session;
}
