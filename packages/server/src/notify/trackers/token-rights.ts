import type { TrackerKind } from '@culprit/contract/alerts/tracker-words';
import type { TrackerRights } from '@culprit/contract/alerts/trackers';
import { isJsonObject, type JsonObject } from '@culprit/evidence/events/envelope/json';
import { request as githubRequest } from './github.ts';
import { isAppKey } from './github-app.ts';
import { request as gitlabRequest, projectPath } from './gitlab.ts';
import { isCloud, request as jiraRequest } from './jira.ts';
import { ask } from './linear.ts';
import { objectIn } from './tracker-answer.ts';
import type { Call, Connection, TrackerRequest } from './tracker-api.ts';
import { TrackerFailure } from './tracker-call.ts';

/** The rights of a token as the tracker reports them; null where it reports none. */
type ReadRights = (connection: Connection, call: Call, hookCall: Call) => Promise<TrackerRights>;

const UNKNOWN: TrackerRights = { create: null, comment: null, transition: null, hook: null };
const NONE: TrackerRights = { create: false, comment: false, transition: false, hook: false };

const READERS: Readonly<Record<TrackerKind, ReadRights>> = {
  github: readGithub,
  gitlab: readGitlab,
  jira: readJira,
  linear: readLinear,
  // Its service says nothing of rights, and gets our address with each ticket.
  generic: () => Promise.resolve({ ...UNKNOWN, hook: false }),
};

/**
 * Reads what a token may do, by at most three calls (docs/contract/team-workflow.md 7.1). A tracker that does not answer
 * has not said it.
 * @param hookCall calls with what a GitHub App may do to webhooks
 */
export async function readRights(
  kind: TrackerKind,
  connection: Connection,
  call: Call,
  hookCall: Call,
): Promise<TrackerRights> {
  try {
    return await READERS[kind](connection, call, hookCall);
  } catch (error) {
    if (error instanceof TrackerFailure) return UNKNOWN;
    throw error;
  }
}

/** GitHub names the scopes of a classic token, and of a fine-grained one only what it refuses. */
async function readGithub(connection: Connection, call: Call, hookCall: Call): Promise<TrackerRights> {
  const { target } = connection;
  const heard: { scopes: string[] | null } = { scopes: null };
  const onScopes = (text: string | null) => {
    heard.scopes = text?.split(',').map((each) => each.trim()) ?? null;
  };
  const repository = objectIn(
    await call({ ...githubRequest(connection, 'GET', `/repos/${target}`), onScopes }),
  );
  if (repository.archived === true) return NONE;
  const hasIssues = repository.has_issues !== false;
  const tickets = (isAllowed: boolean | null) => {
    const may = hasIssues ? isAllowed : false;
    return { create: may, comment: may, transition: may };
  };
  const { scopes } = heard;
  if (scopes !== null) {
    const isAdmin = objectIn(repository.permissions ?? {}).admin === true;
    const hasScope = (...wanted: string[]) => wanted.some((each) => scopes.includes(each));
    return {
      ...tickets(hasScope('repo') || (repository.private === false && hasScope('public_repo'))),
      hook: isAdmin && hasScope('repo', 'admin:repo_hook', 'write:repo_hook'),
    };
  }
  const mayReadHooks = await isAnswered(
    hookCall,
    githubRequest(connection, 'GET', `/repos/${target}/hooks?per_page=1`),
  );
  // The token of an App is created with the right to write, which is refused where the App does not have it.
  if (isAppKey(connection.token.reveal())) return { ...tickets(true), hook: mayReadHooks };
  const mayReadIssues = await isAnswered(
    call,
    githubRequest(connection, 'GET', `/repos/${target}/issues?per_page=1`),
  );
  return { ...tickets(mayReadIssues ? null : false), hook: mayReadHooks ? null : false };
}

/** Levels of access to a project. */
const GUEST = 10;
const PLANNER = 15;
const MAINTAINER = 40;

/** GitLab names the scopes of the token and the level of its account. */
async function readGitlab(connection: Connection, call: Call): Promise<TrackerRights> {
  const project = objectIn(await call(gitlabRequest(connection, 'GET', projectPath(connection))));
  if (project.archived === true) return NONE;
  const scopes = await call(gitlabRequest(connection, 'GET', '/personal_access_tokens/self')).then(
    (self) => {
      const found = objectIn(self).scopes;
      return Array.isArray(found) ? found : null;
    },
    // A token of OAuth is no token of a person.
    (error: unknown) => {
      if (error instanceof TrackerFailure && error.kind !== 'unavailable') return null;
      throw error;
    },
  );
  const { project_access: direct, group_access: ofGroup } = objectIn(project.permissions ?? {});
  const level = Math.max(levelOf(direct), levelOf(ofGroup));
  const mayAt = (least: number): boolean | null => {
    if (scopes !== null && !scopes.includes('api')) return false;
    // Access by an invited group is in neither.
    if (level === 0 || scopes === null) return null;
    return level >= least;
  };
  const hasIssues = project.issues_access_level !== 'disabled' && project.issues_enabled !== false;
  return {
    create: hasIssues ? mayAt(GUEST) : false,
    comment: hasIssues ? mayAt(GUEST) : false,
    transition: hasIssues ? mayAt(PLANNER) : false,
    hook: mayAt(MAINTAINER),
  };
}

function levelOf(access: unknown): number {
  return isJsonObject(access) && typeof access.access_level === 'number' ? access.access_level : 0;
}

/** Jira names the permissions of the account in the project. */
async function readJira(connection: Connection, call: Call): Promise<TrackerRights> {
  const names = 'CREATE_ISSUES,ADD_COMMENTS,TRANSITION_ISSUES,ADMINISTER';
  const path = `/mypermissions?projectKey=${connection.target}&permissions=${names}`;
  const permissions = objectIn(objectIn(await call(jiraRequest(connection, 'GET', path))).permissions);
  const has = (name: string) => havePermission(permissions[name]);
  return {
    create: has('CREATE_ISSUES'),
    comment: has('ADD_COMMENTS'),
    transition: has('TRANSITION_ISSUES'),
    // An own server takes no secret with a webhook.
    hook: isCloud(connection) ? has('ADMINISTER') : false,
  };
}

function havePermission(permission: unknown): boolean | null {
  const have = isJsonObject(permission) ? permission.havePermission : null;
  return typeof have === 'boolean' ? have : null;
}

/** Linear says nothing of what a key may do, but shows webhooks to those alone who may create them. */
async function readLinear(connection: Connection, call: Call): Promise<TrackerRights> {
  const answered: Promise<JsonObject> = ask(
    connection,
    call,
    'query { webhooks(first: 1) { nodes { id } } }',
    {},
  );
  const hook = await answered.then(
    () => true,
    (error: unknown) => isAllowedAfter(error),
  );
  return { ...UNKNOWN, hook };
}

async function isAnswered(call: Call, request: TrackerRequest): Promise<boolean> {
  return await call(request).then(
    () => true,
    (error: unknown) => isAllowedAfter(error),
  );
}

/** @returns false for a refusal. @throws any other error */
function isAllowedAfter(error: unknown): false {
  // GitHub hides what a token may not see.
  if (error instanceof TrackerFailure && (error.kind === 'refused' || error.kind === 'missing')) return false;
  throw error;
}
