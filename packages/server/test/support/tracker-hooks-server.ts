import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, type JsonObject } from '@culprit/evidence/events/envelope/json';
import type { TargetRequest } from './http-target.ts';

/** A webhook of the stand-in for trackers. */
export interface StoredHook {
  id: number;
  url: string;
  secret: string;
}

/** What the stand-in says that its token may do. */
export interface StoredRights {
  /** GitHub: the scopes of a classic token; null: a fine-grained one. */
  scopes: string | null;
  /** GitLab: the level of the account. Elsewhere webhooks need an administrator, whose level is 40. */
  level: number;
  /** GitLab: the scopes of the token. */
  tokenScopes: readonly string[];
  /** GitHub, GitLab: the project takes issues, and is not archived. */
  hasIssues: boolean;
  isArchived: boolean;
  /** Jira: permissions that the account lacks. */
  lacks: readonly string[];
}

export function fullRights(): StoredRights {
  return {
    ...{ scopes: 'repo, gist', level: 40, tokenScopes: ['api'] },
    ...{ hasIssues: true, isArchived: false, lacks: [] },
  };
}

interface Answer {
  status: number;
  body?: unknown;
  headers?: Readonly<Record<string, string>>;
}

const OK = (body: unknown, status = 200): Answer => ({ status, body });
const REFUSED: Answer = { status: 403, body: {} };
const WRONG: Answer = { status: 422, body: {} };

/** What the webhooks and rights of products are asked by, after the token was checked; null: it is another request. */
export function answerHooks(
  { hooks, rights }: { hooks: StoredHook[]; rights: StoredRights },
  request: TargetRequest,
  path: string,
  body: JsonObject,
): Answer | null {
  return (
    ofGithub(hooks, rights, request, path, body) ??
    ofGitlab(hooks, rights, request, path, body) ??
    ofJira(hooks, rights, request, path, body) ??
    ofLinear(hooks, rights, path, body)
  );
}

/** Stores a webhook whose fields are as documented; null: the one to change is not there. */
function store(hooks: StoredHook[], id: number | null, { url, secret }: { url: unknown; secret: unknown }) {
  const made = { id: id ?? hooks.length + 1, url: String(url), secret: String(secret) };
  const index = hooks.findIndex((each) => each.id === id);
  if (id !== null && index === -1) return null;
  if (id === null) hooks.push(made);
  else hooks[index] = made;
  return made;
}

function ofGithub(
  hooks: StoredHook[],
  rights: StoredRights,
  { method, url }: TargetRequest,
  path: string,
  body: JsonObject,
): Answer | null {
  const { scopes } = rights;
  if (path === '/repos/acme/shop') {
    const repository = {
      ...{ full_name: 'acme/shop', private: true, archived: rights.isArchived, has_issues: rights.hasIssues },
      permissions: { admin: rights.level === 40, push: true, pull: true },
    };
    return { ...OK(repository), headers: scopes === null ? {} : { 'x-oauth-scopes': scopes } };
  }
  const [, id] = /^\/repos\/acme\/shop\/hooks(?:\/(\d+))?$/.exec(path) ?? [];
  if (!path.startsWith('/repos/acme/shop/hooks')) return null;
  if (rights.level < 40) return REFUSED;
  if (method === 'GET' && /\?per_page=\d+$/.test(url)) {
    return OK(hooks.map((each) => ({ id: each.id, config: { url: each.url, secret: '********' } })));
  }
  const { name, config, ...rest } = body;
  const { url: address, secret, ...form } = isJsonObject(config) ? config : {};
  const isRight =
    name === (method === 'POST' ? 'web' : undefined) &&
    isDeepStrictEqual(rest, { active: true, events: ['issues', 'issue_comment'] }) &&
    isDeepStrictEqual(form, { content_type: 'json', insecure_ssl: '0' });
  if (!isRight || (method === 'POST') !== (id === undefined)) return WRONG;
  const made = store(hooks, id === undefined ? null : Number(id), { url: address, secret });
  return made === null ? { status: 404, body: {} } : OK({ id: made.id }, id === undefined ? 201 : 200);
}

function ofGitlab(
  hooks: StoredHook[],
  rights: StoredRights,
  { method }: TargetRequest,
  path: string,
  body: JsonObject,
): Answer | null {
  if (path === '/api/v4/personal_access_tokens/self') return OK({ scopes: rights.tokenScopes });
  if (path === '/api/v4/projects/acme%2Fshop') {
    return OK({
      ...{
        id: 1,
        archived: rights.isArchived,
        issues_access_level: rights.hasIssues ? 'enabled' : 'disabled',
      },
      permissions: { project_access: null, group_access: { access_level: rights.level } },
    });
  }
  const [, id] = /^\/api\/v4\/projects\/acme%2Fshop\/hooks(?:\/(\d+))?$/.exec(path) ?? [];
  if (!path.startsWith('/api/v4/projects/acme%2Fshop/hooks')) return null;
  if (rights.level < 40) return REFUSED;
  if (method === 'GET') return OK(hooks.map((each) => ({ id: each.id, url: each.url })));
  const { url, token: secret, ...rest } = body;
  const isRight = isDeepStrictEqual(rest, {
    ...{ enable_ssl_verification: true, push_events: false },
    ...{ issues_events: true, confidential_issues_events: true, note_events: true },
  });
  if (!isRight || method !== (id === undefined ? 'POST' : 'PUT')) return WRONG;
  const made = store(hooks, id === undefined ? null : Number(id), { url, secret });
  return made === null ? { status: 404, body: {} } : OK({ id: made.id }, id === undefined ? 201 : 200);
}

function ofJira(
  hooks: StoredHook[],
  rights: StoredRights,
  { method, url: asked }: TargetRequest,
  path: string,
  body: JsonObject,
): Answer | null {
  if (/^\/rest\/api\/[23]\/mypermissions$/.test(path)) {
    const query = new URL(asked, 'http://tracker.test').searchParams;
    if (query.get('projectKey') !== 'ENG') return { status: 400, body: {} };
    const names = (query.get('permissions') ?? '').split(',');
    const has = (name: string) => !rights.lacks.includes(name);
    const permissions = names.map((name) => [name, { key: name, havePermission: has(name) }]);
    return OK({ permissions: Object.fromEntries(permissions) });
  }
  const [, id] = /^\/rest\/webhooks\/1\.0\/webhook(?:\/(\d+))?$/.exec(path) ?? [];
  if (!path.startsWith('/rest/webhooks/1.0/webhook')) return null;
  if (rights.lacks.includes('ADMINISTER')) return REFUSED;
  const shown = (each: StoredHook) => ({
    ...{ self: `https://jira.example/rest/webhooks/1.0/webhook/${each.id}`, url: each.url, isSigned: true },
  });
  if (method === 'GET') return OK(hooks.map(shown));
  const { url, secret, ...rest } = body;
  const isRight = isDeepStrictEqual(rest, {
    ...{ name: 'Culprit: ENG', excludeBody: false },
    events: ['jira:issue_updated', 'jira:issue_deleted', 'comment_created'],
    filters: { 'issue-related-events-section': 'project = "ENG"' },
  });
  if (!isRight || method !== (id === undefined ? 'POST' : 'PUT')) return { status: 400, body: {} };
  const made = store(hooks, id === undefined ? null : Number(id), { url, secret });
  return made === null ? { status: 404, body: {} } : OK(shown(made), id === undefined ? 201 : 200);
}

function ofLinear(hooks: StoredHook[], rights: StoredRights, path: string, body: JsonObject): Answer | null {
  const text = String(body.query);
  const given = isJsonObject(body.variables) ? body.variables : {};
  if (path !== '/graphql' || !/webhooks\(|webhookCreate|webhookUpdate/.test(text)) return null;
  const fault = (code: string) => OK({ errors: [{ message: 'no', extensions: { code } }] }, 400);
  if (rights.level < 40) return fault('FORBIDDEN');
  if (text.includes('webhooks(')) {
    return OK({ data: { webhooks: { nodes: hooks.map(({ id, url }) => ({ id: `hook-${id}`, url })) } } });
  }
  const isNew = text.includes('webhookCreate');
  const { url, secret, ...rest } = isJsonObject(given.input) ? given.input : {};
  const place = isNew ? { teamId: 'team', label: 'Culprit' } : {};
  if (!isDeepStrictEqual(rest, { enabled: true, resourceTypes: ['Issue', 'Comment'], ...place })) {
    return fault('INVALID_INPUT');
  }
  const id = isNew ? null : Number(String(given.id).replace('hook-', ''));
  if (store(hooks, id, { url, secret }) === null) return fault('ENTITY_NOT_FOUND');
  return OK({ data: { [isNew ? 'webhookCreate' : 'webhookUpdate']: { success: true } } });
}
