import { api } from '@culprit/contract/endpoints/api';
import type { Endpoint } from '@culprit/contract/endpoints/endpoint';
import { isJsonObject, type JsonObject, type JsonValue } from '@culprit/evidence/events/envelope/json';
import type { CallerStage } from './callers.ts';
import { type OperationRequest, type RawAnswer, sendOperation } from './operation-request.ts';
import { operationRequests } from './operation-requests.ts';
import { usualSession } from './tenant.ts';

export type ProjectRole = 'owner' | 'admin' | 'member';

/** What the people of a tenant ask for, each by the credential that an operation takes. */
export interface RoleClient {
  /** A request that succeeds for the owner. */
  request(id: string, role?: ProjectRole): Promise<OperationRequest>;
  presentedBy(endpoint: Endpoint, role: ProjectRole): Promise<Record<string, string>>;
  send(endpoint: Endpoint, asked: OperationRequest, role: ProjectRole): Promise<RawAnswer>;
  /** The body of the answer; throws unless it is a success. */
  call(id: string, asked: OperationRequest, role?: ProjectRole): Promise<JsonValue>;
}

export function roleClient(stage: CallerStage): RoleClient {
  async function presentedBy(endpoint: Endpoint, role: ProjectRole): Promise<Record<string, string>> {
    const { culprit, tenant } = stage;
    if (endpoint.auth === 'public') return {};
    if (endpoint.auth === 'project_token') return { authorization: `Bearer ${tenant.project.projectToken}` };
    if (endpoint.auth === 'member') return { authorization: `Bearer ${tenant[role].memberToken}` };
    const { cookie, csrfToken } = await usualSession(culprit, tenant[role], tenant.organizationId);
    return { cookie, 'x-csrf-token': csrfToken };
  }

  async function send(endpoint: Endpoint, asked: OperationRequest, role: ProjectRole): Promise<RawAnswer> {
    return await sendOperation(stage.culprit.url, endpoint, asked, await presentedBy(endpoint, role));
  }

  return {
    async request(id, role = 'owner') {
      const make = operationRequests[id];
      if (make === undefined) throw new Error(`no request is made up for ${id}`);
      return await make(stage, stage.tenant[role]);
    },
    presentedBy,
    send,
    async call(id, asked, role = 'owner') {
      const answer = await send(endpointOf(id), asked, role);
      if (answer.status >= 400) throw new Error(`${id} answered ${answer.status} ${answer.text}`);
      return jsonOf(answer);
    },
  };
}

/** The endpoint of an id; throws where there is none. */
function endpointOf(id: string): Endpoint {
  const endpoint = api.find((each) => each.id === id);
  if (endpoint === undefined) throw new Error(`no endpoint ${id}`);
  return endpoint;
}

/** The JSON of an answer; null without a body. */
export function jsonOf({ text }: RawAnswer): JsonValue {
  return text === '' ? null : JSON.parse(text);
}

/** Endpoints as rows of `it.each`, named by method and path. */
export function named(endpoints: readonly Endpoint[]): [string, Endpoint][] {
  return endpoints.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint]);
}

/** Every control saved, so that each has a value that the preset does not give. */
export const EVERY_CONTROL: JsonObject = {
  capture_logs: 'info',
  capture_messages: 'error',
  capture_request_events: 'all',
  capture_breadcrumbs: 'standalone',
  capture_probe_events: 'buffer_only',
  immediate_client_error_statuses: [409, 422],
  immediate_client_error_path_rules: [{ status_code: 404, path_pattern: '/api/*', methods: ['GET'] }],
};

/** A rule with an object in every place where one can stand. */
export const NESTED_RULE: JsonObject = {
  name: 'nested',
  action: 'demote',
  matcher: {
    event_types: ['frontend_exception'],
    fingerprint: { version: 'v2', value: 'f'.repeat(64) },
    resource_url: { host: 'cdn.example.net' },
    request_url: { path_prefix: '/api' },
    status_ranges: [{ start: 400, end: 499 }],
  },
};

/** Every value in an answer, by path. */
export function valuesAt(value: JsonValue, path: string): JsonValue[] {
  const [key = '', ...rest] = path.split('.');
  if (path === '') return [value];
  const name = key.replace('[]', '');
  const found = isJsonObject(value) ? (value[name] ?? null) : null;
  const inner = key.endsWith('[]') && Array.isArray(found) ? found : [found];
  return inner.flatMap((each) => valuesAt(each, rest.join('.')));
}
