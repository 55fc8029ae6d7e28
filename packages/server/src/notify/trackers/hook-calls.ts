import type { TrackerKind } from '@culprit/contract/alerts/tracker-words';
import type { JsonObject } from '@culprit/evidence/events/envelope/json';
import { request as githubRequest } from './github.ts';
import { request as gitlabRequest, projectPath } from './gitlab.ts';
import { isCloud, request as jiraRequest } from './jira.ts';
import { ask, teamOf } from './linear.ts';
import { idIn, objectIn, objectsIn } from './tracker-answer.ts';
import type { Call, Connection } from './tracker-api.ts';
import { TrackerFailure } from './tracker-call.ts';

/** Webhooks of one answer, which is more than a target has. */
const HOOKS = 100;
const LABEL = 'Culprit';

/** A webhook as its tracker has it. */
interface RemoteHook {
  id: string;
  url: string;
}

/** The address that a webhook calls, and the secret with which it signs. */
interface HookTarget {
  url: string;
  secret: string;
}

/** The calls for the webhooks of a target. Each throws `TrackerFailure`. */
export interface HookCalls {
  list(connection: Connection, call: Call): Promise<RemoteHook[]>;
  create(connection: Connection, call: Call, hook: HookTarget): Promise<void>;
  /** Makes a webhook what `create` makes. */
  update(connection: Connection, call: Call, id: string, hook: HookTarget): Promise<void>;
}

/** Webhooks of a repository, by version 2022-11-28 of GitHub's REST interface. */
const GITHUB: HookCalls = {
  async list(connection, call) {
    const path = `/repos/${connection.target}/hooks?per_page=${HOOKS}`;
    const found = objectsIn(await call(githubRequest(connection, 'GET', path)));
    return found.map((each) => hookOf(each.id, Object(each.config).url));
  },
  async create(connection, call, hook) {
    const body = { name: 'web', ...githubHook(hook) };
    await call(githubRequest(connection, 'POST', `/repos/${connection.target}/hooks`, body));
  },
  async update(connection, call, id, hook) {
    const path = `/repos/${connection.target}/hooks/${id}`;
    await call(githubRequest(connection, 'PATCH', path, githubHook(hook)));
  },
};

function githubHook({ url, secret }: HookTarget): object {
  return {
    active: true,
    events: ['issues', 'issue_comment'],
    config: { url, content_type: 'json', secret, insecure_ssl: '0' },
  };
}

/** Webhooks of a project, by version 4 of GitLab's REST interface. */
const GITLAB: HookCalls = {
  async list(connection, call) {
    const path = `${projectPath(connection)}/hooks?per_page=${HOOKS}`;
    const found = objectsIn(await call(gitlabRequest(connection, 'GET', path)));
    return found.map(({ id, url }) => hookOf(id, url));
  },
  async create(connection, call, hook) {
    await call(gitlabRequest(connection, 'POST', `${projectPath(connection)}/hooks`, gitlabHook(hook)));
  },
  async update(connection, call, id, hook) {
    await call(gitlabRequest(connection, 'PUT', `${projectPath(connection)}/hooks/${id}`, gitlabHook(hook)));
  },
};

function gitlabHook({ url, secret }: HookTarget): object {
  return {
    ...{ url, token: secret, enable_ssl_verification: true },
    ...{ issues_events: true, confidential_issues_events: true, note_events: true, push_events: false },
  };
}

/** Webhooks that an administrator registers. In the cloud they sign with a secret. */
const JIRA: HookCalls = {
  async list(connection, call) {
    const found = objectsIn(await call(jiraHookRequest(connection, 'GET', '')));
    // The address of a webhook ends with its id.
    return found.map(({ self, url }) => hookOf(String(self).split('/').at(-1), url));
  },
  async create(connection, call, hook) {
    await call(jiraHookRequest(connection, 'POST', '', jiraHook(connection, hook)));
  },
  async update(connection, call, id, hook) {
    await call(jiraHookRequest(connection, 'PUT', `/${id}`, jiraHook(connection, hook)));
  },
};

function jiraHookRequest(
  connection: Connection,
  method: 'GET' | 'POST' | 'PUT',
  path: string,
  body?: object,
) {
  return { ...jiraRequest(connection, method, '', body), path: `/rest/webhooks/1.0/webhook${path}` };
}

function jiraHook({ target }: Connection, { url, secret }: HookTarget): object {
  return {
    ...{ name: `${LABEL}: ${target}`, url, secret, excludeBody: false },
    events: ['jira:issue_updated', 'jira:issue_deleted', 'comment_created'],
    filters: { 'issue-related-events-section': `project = "${target}"` },
  };
}

/** Webhooks of a team, by Linear's GraphQL interface. */
const LINEAR: HookCalls = {
  async list(connection, call) {
    const query = `query { webhooks(first: ${HOOKS}) { nodes { id url } } }`;
    const { webhooks } = await ask(connection, call, query, {});
    return objectsIn(objectIn(webhooks).nodes).map(({ id, url }) => hookOf(id, url));
  },
  async create(connection, call, hook) {
    const team: JsonObject = await teamOf(connection, call);
    const input = { ...linearHook(hook), teamId: idIn(team.id), label: LABEL };
    const mutation = 'mutation($input: WebhookCreateInput!) { webhookCreate(input: $input) { success } }';
    await ask(connection, call, mutation, { input });
  },
  async update(connection, call, id, hook) {
    const mutation =
      'mutation($id: String!, $input: WebhookUpdateInput!) { webhookUpdate(id: $id, input: $input) { success } }';
    await ask(connection, call, mutation, { id, input: linearHook(hook) });
  },
};

function linearHook({ url, secret }: HookTarget): object {
  return { url, secret, enabled: true, resourceTypes: ['Issue', 'Comment'] };
}

/** @throws TrackerFailure */
function hookOf(id: unknown, url: unknown): RemoteHook {
  if (typeof url !== 'string') throw new TrackerFailure('unavailable', 'unexpected_answer');
  return { id: idIn(id), url };
}

/**
 * The calls for the webhooks of a connection; null: its people create the webhook by hand. Jira on an own server takes no
 * secret by its interface, and the service in front of a generic tracker gets the address with each ticket.
 */
export function hookCallsOf(kind: TrackerKind, connection: Connection): HookCalls | null {
  if (kind === 'github') return GITHUB;
  if (kind === 'gitlab') return GITLAB;
  if (kind === 'linear') return LINEAR;
  return kind === 'jira' && isCloud(connection) ? JIRA : null;
}
