import { type PeoplePolicy, policyOf, type Verdict } from '@culprit/contract/capture/policy';
import {
  CREDENTIAL_PROBLEM,
  type Endpoint,
  isMutation,
  needsFullAccess,
} from '@culprit/contract/endpoints/endpoint';
import { managementClient } from '../support/management-client.ts';
import { type Answer, sendRequest } from '../support/send-events.ts';
import type { Stage } from './request-state.ts';
import { type Actor, type BrowserSession, openSession, type Tenant, usualSession } from './tenant.ts';

/** What stands on the stage besides: the credentials of callers that are the same for all requests. */
export interface CallerStage extends Stage {
  /** Whose people are strangers to the tenant. */
  foreign: Tenant;
  inviteToken: string;
  triggerToken: string;
}

type Role = keyof PeoplePolicy;

/** A kind of caller: what it presents, and what of that counts. */
export interface Caller {
  name: string;
  /** Headers, made anew for each request if it could end what they hold. */
  present(stage: CallerStage): Promise<Readonly<Record<string, string>>> | Readonly<Record<string, string>>;
  /** A project token that is in force. */
  isProject?: true;
  /** Whoever it is, if it is somebody; `session` tells a cookie, and what comes with it. */
  person?: { role: Role; session: 'none' | 'cookie' | 'cookie and token' };
  /** A member token that may only read. */
  isReading?: true;
}

/** The person a role stands for. */
function actorOf(stage: CallerStage, role: Role): Actor {
  return role === 'stranger' ? stage.foreign.owner : stage.tenant[role];
}

/**
 * Every kind of caller of docs/contract/account.md 12 and more: nobody, each credential, each role, and everything
 * that is none.
 */
export const callers: readonly Caller[] = [
  { name: 'nobody', present: () => ({}) },
  {
    name: 'a project token',
    isProject: true,
    present: ({ tenant }) => bearer(tenant.project.projectToken),
  },
  {
    name: 'the project token of another project',
    isProject: true,
    present: ({ foreign }) => bearer(foreign.project.projectToken),
  },
  { name: 'a revoked project token', present: oncePerStage(revokedProjectToken) },
  ...(['member', 'admin', 'owner', 'stranger'] as const).flatMap((role): Caller[] => [
    {
      name: `the ${role}`,
      person: { role, session: 'none' },
      present: (stage) => bearer(actorOf(stage, role).memberToken),
    },
    {
      name: `the ${role}'s cookie with CSRF token`,
      person: { role, session: 'cookie and token' },
      present: async (stage) => withToken(await usualSessionOf(stage, role)),
    },
    {
      name: `the ${role}'s cookie`,
      person: { role, session: 'cookie' },
      present: async (stage) => ({ cookie: (await usualSessionOf(stage, role)).cookie }),
    },
  ]),
  {
    name: "the owner's token that may only read",
    person: { role: 'owner', session: 'none' },
    isReading: true,
    present: readingToken,
  },
  { name: 'a revoked member token', present: oncePerStage(revokedMemberToken) },
  {
    name: 'a session that was not used for a day',
    present: oncePerStage((stage) => endedSession(stage, 'last_used_at')),
  },
  {
    name: 'a session of a week ago',
    present: oncePerStage((stage) => endedSession(stage, 'expires_at')),
  },
  { name: 'a session that was logged out', present: oncePerStage(loggedOutSession) },
  { name: 'an invite token', present: ({ inviteToken }) => bearer(inviteToken) },
  { name: 'a probe trigger token', present: ({ triggerToken }) => bearer(triggerToken) },
  { name: 'a GitHub token', present: ({ github }) => bearer(github.createToken(1)) },
  {
    name: 'a session cookie as bearer',
    present: oncePerStage(async (stage) =>
      bearer((await sessionOf(stage, 'owner')).cookie.replace('svc_session=', '')),
    ),
  },
  {
    name: 'a member token as cookie',
    present: ({ tenant }) => ({ cookie: `svc_session=${tenant.owner.memberToken}` }),
  },
  {
    name: 'a live session beside a wrong bearer token',
    present: oncePerStage(async (stage) => ({
      ...withToken(await sessionOf(stage, 'owner')),
      ...bearer('svc_mem_wrong'),
    })),
  },
];

/** What the contract says that a caller is answered (docs/contract/account.md 1.5, 2.6 and 12). */
export function verdictFor(endpoint: Endpoint, { isProject, person, isReading }: Caller): Verdict {
  const policy = policyOf(endpoint);
  if ('anybody' in policy) return policy.anybody;
  if ('projectToken' in policy) return isProject === true ? policy.projectToken : 'invalid_project_token';
  if (endpoint.auth === 'session') {
    if (person === undefined || person.session === 'none') return CREDENTIAL_PROBLEM.session;
  } else if (person === undefined) return CREDENTIAL_PROBLEM.member;
  if (isReading === true && needsFullAccess(endpoint)) return 'forbidden';
  return person.session === 'cookie' && isMutation(endpoint.method)
    ? 'invalid_csrf_token'
    : policy[person.role];
}

/** Whoever the request is made up for: the person who asks, the owner where nobody does. */
export function askingActor(stage: CallerStage, { person }: Caller): Actor {
  return actorOf(stage, person?.role ?? 'owner');
}

/** For what is refused everywhere, so that no request can end it. */
function oncePerStage<Headers>(make: (stage: CallerStage) => Promise<Headers>): typeof make {
  const made = new WeakMap<CallerStage, Promise<Headers>>();
  return (stage) => {
    const headers = made.get(stage) ?? make(stage);
    made.set(stage, headers);
    return headers;
  };
}

function bearer(token: string): { authorization: string } {
  return { authorization: `Bearer ${token}` };
}

function withToken({ cookie, csrfToken }: BrowserSession): { cookie: string; 'x-csrf-token': string } {
  return { cookie, 'x-csrf-token': csrfToken };
}

async function usualSessionOf(stage: CallerStage, role: Role): Promise<BrowserSession> {
  const tenant = role === 'stranger' ? stage.foreign : stage.tenant;
  return await usualSession(stage.culprit, actorOf(stage, role), tenant.organizationId);
}

async function sessionOf(stage: CallerStage, role: Role): Promise<BrowserSession> {
  const tenant = role === 'stranger' ? stage.foreign : stage.tenant;
  return await openSession(stage.culprit, actorOf(stage, role), tenant.organizationId);
}

async function endedSession(stage: CallerStage, column: 'last_used_at' | 'expires_at') {
  const session = await sessionOf(stage, 'owner');
  const age = column === 'last_used_at' ? '24 hours' : '0';
  await stage.culprit.database.query(
    {
      name: `test-end-${column}`,
      text: `update sessions set ${column} = culprit_now() - interval '${age}' where session_id = $1`,
    },
    [session.sessionId],
  );
  return withToken(session);
}

async function loggedOutSession(stage: CallerStage) {
  const headers = withToken(await sessionOf(stage, 'owner'));
  const { status } = await sendRequest(`${stage.culprit.url}/v1/auth/logout`, { headers });
  if (status !== 200) throw new Error(`logout answered ${status}`);
  return headers;
}

async function revokedProjectToken({ culprit, tenant }: CallerStage) {
  const owner = managementClient(culprit, tenant.owner.memberToken);
  const { projectId } = tenant.project;
  const { plaintext, token_id } = await owner.createProjectToken(projectId);
  return await revoked(owner.post(`/v1/projects/${projectId}/tokens/${token_id}/revoke`), plaintext);
}

/** One of each tenant, because a person has a limited number of tokens. */
const readingTokens = new WeakMap<Tenant, Promise<string>>();

async function readingToken({ culprit, tenant }: CallerStage) {
  const made =
    readingTokens.get(tenant) ??
    managementClient(culprit, tenant.owner.memberToken)
      .createMemberToken('reads', 'read')
      .then(({ plaintext }) => plaintext);
  readingTokens.set(tenant, made);
  return bearer(await made);
}

async function revokedMemberToken({ culprit, tenant }: CallerStage) {
  const owner = managementClient(culprit, tenant.owner.memberToken);
  const { plaintext, token_id } = await owner.createMemberToken();
  return await revoked(owner.post(`/v1/member/tokens/${token_id}/revoke`), plaintext);
}

async function revoked(revocation: Promise<Answer>, plaintext: string) {
  const { status } = await revocation;
  if (status !== 200) throw new Error(`revoking answered ${status}`);
  return bearer(plaintext);
}
