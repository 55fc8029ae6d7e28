import { defineEndpoint } from '@culprit/contract/endpoints/endpoint';
import { PathId } from '@culprit/contract/schemas/identifiers';
import { Nullable } from '@culprit/contract/schemas/nullable';
import { pageQuery } from '@culprit/contract/schemas/page-schemas';
import { RequestTimestamp } from '@culprit/contract/schemas/timestamp-schemas';
import pino from 'pino';
import Type from 'typebox';
import { type Binder, createBinder } from '../../../src/platform/http/binding/bind-endpoint.ts';
import type { Callers } from '../../../src/platform/http/binding/callers.ts';
import { Problem } from '../../../src/platform/http/binding/problem.ts';
import { RawJson } from '../../../src/platform/http/binding/raw-json.ts';
import { bindHealthRoutes } from '../../../src/platform/http/server/health-routes.ts';
import {
  createHttpServer,
  type HttpServer,
  type HttpServerOptions,
} from '../../../src/platform/http/server/http-server.ts';

const closed = { additionalProperties: false };
const Widget = Type.Object(
  {
    name: Type.String(),
    size: Nullable(Type.Integer()),
    owner: Nullable(Type.Object({ id: Type.String() }, closed)),
  },
  { ...closed, title: 'Widget' },
);

export const listWidgets = defineEndpoint({
  id: 'listWidgets',
  method: 'GET',
  path: '/v1/widgets',
  summary: 'List widgets',
  auth: 'member',
  scope: { of: 'person' },
  query: Type.Object(
    {
      color: Type.Optional(Type.String()),
      after: Type.Optional(RequestTimestamp),
      is_new: Type.Optional(Type.Boolean()),
      ...pageQuery,
    },
    closed,
  ),
  responses: {
    200: Type.Object({ widgets: Type.Array(Widget), next_cursor: Nullable(Type.String()) }, closed),
  },
  errors: [],
});

export const changeWidget = defineEndpoint({
  id: 'changeWidget',
  method: 'PATCH',
  path: '/v1/widgets/:id',
  summary: 'Change a widget',
  auth: 'member',
  scope: { of: 'person' },
  params: Type.Object({ id: PathId('webhook') }, closed),
  query: Type.Object({ dry: Type.Optional(Type.Boolean()) }, closed),
  body: Type.Object(
    { name: Type.String({ minLength: 1, maxLength: 300_000 }), size: Type.Optional(Type.Integer()) },
    closed,
  ),
  responses: { 200: Type.Object({ widget: Widget }, closed) },
  errors: ['webhook_not_found', 'forbidden'],
});

const moveWidget = defineEndpoint({
  id: 'moveWidget',
  method: 'POST',
  path: '/v1/widgets/move',
  summary: 'Move a widget',
  auth: 'member',
  scope: { of: 'project', id: 'body.project_id' },
  role: 'admin',
  body: Type.Object({ project_id: Type.String(), to: Type.String({ minLength: 1 }) }, closed),
  responses: { 200: Type.Object({ moved_by: Type.String(), to: Type.String() }, closed) },
  errors: [],
});

export const pressWidget = defineEndpoint({
  id: 'pressWidget',
  method: 'POST',
  path: '/v1/widgets/:id/press',
  summary: 'Press a widget',
  auth: 'session',
  scope: { of: 'person' },
  params: Type.Object({ id: PathId('webhook') }, closed),
  body: 'none',
  responses: { 204: 'empty' },
  errors: [],
});

const readDocument = defineEndpoint({
  id: 'readDocument',
  method: 'GET',
  path: '/v1/documents/:id',
  summary: 'Read a stored document',
  auth: 'public',
  params: Type.Object({ id: PathId('incident') }, closed),
  responses: {
    200: Type.Union([
      Type.Object({ text: Type.String() }, closed),
      Type.Object({ status: Type.Literal('pending') }, closed),
    ]),
  },
  errors: [],
});

export const sendThings = defineEndpoint({
  id: 'sendThings',
  method: 'POST',
  path: '/v1/events',
  summary: 'Send things',
  auth: 'project_token',
  body: Type.Object({ events: Type.Array(Type.Unknown()) }, closed),
  responses: { 202: Type.Object({ received: Type.Integer() }, closed) },
  errors: [],
});

export const sampleApi = [listWidgets, changeWidget, moveWidget, pressWidget, readDocument, sendThings];

interface SampleCallers extends Callers {
  member: { name: string };
  session: { name: string };
  project_token: { project: string };
  access: Callers['access'] & { project: { projectOf: string } };
}

const unexpected = async () => {
  throw new Error('no endpoint of the sample is about this');
};
export const NO_AUTHORIZERS = {
  organization: unexpected,
  installation: unexpected,
  project: unexpected,
  projects: unexpected,
  record: unexpected,
  records: unexpected,
  project_record: unexpected,
};

export interface SampleServer {
  server: HttpServer;
  binder: Binder<SampleCallers>;
  address: string;
  port: number;
  /** What the checks, the authorizer and the operations were given, in this order. */
  seen: unknown[];
  logged: Record<string, unknown>[];
  close(): Promise<void>;
}

/** `member` and `session` are valid bearers; the cookie `svc_session=good` is a session too. */
export async function startSampleServer(
  options: Partial<HttpServerOptions> & { prepare?: (sample: SampleServer) => void } = {},
): Promise<SampleServer> {
  const { prepare, ...httpOptions } = options;
  const logged: Record<string, unknown>[] = [];
  const seen: unknown[] = [];
  const log = pino({ level: 'debug' }, { write: (line: string) => void logged.push(JSON.parse(line)) });
  const server = createHttpServer({ log, ...httpOptions });
  const binder = createBinder<SampleCallers>({
    server,
    authenticators: {
      member: async ({ authorization, cookie }) =>
        authorization === 'Bearer member' || (authorization === undefined && cookie === 'svc_session=good')
          ? { name: 'Alice' }
          : null,
      session: async ({ cookie }) => (cookie === 'svc_session=good' ? { name: 'Alice' } : null),
      project_token: async () => null,
    },
    authorizers: {
      ...NO_AUTHORIZERS,
      project: async ({ name }, scope, role, { body }) => {
        seen.push({ authorized: scope, role, body });
        if (JSON.stringify(body).includes('hidden')) throw new Problem('project_not_found');
        return { projectOf: name };
      },
    },
    mayAsk: () => true,
    repeatParts: ({ name }) => [name],
    checkCsrf: (_caller, headers) =>
      headers.authorization === undefined && headers['x-csrf-token'] !== 'csrf' ? 'invalid_csrf_token' : null,
    verifiesResponses: true,
  });
  const sample: SampleServer = {
    server,
    binder,
    address: '',
    port: 0,
    seen,
    logged,
    close: async () => {
      server.app.server.closeAllConnections();
      await server.app.close();
    },
  };
  bindSampleRoutes(sample);
  bindHealthRoutes(binder, server, { version: '1.2.3', checkReadiness: async () => null });
  prepare?.(sample);
  sample.address = await server.listen({ host: '127.0.0.1', port: 0 });
  sample.port = Number(new URL(sample.address).port);
  return sample;
}

function bindSampleRoutes({ binder, seen }: SampleServer): void {
  binder.bind(listWidgets).to(async ({ query, access }) => {
    seen.push(query);
    if (access !== null) throw new Error("what is the caller's alone needs no access");
    const widget = { name: 'w', size: null, owner: { id: 'o', secret: 'canary' }, password: 'canary' };
    return { status: 200, body: { widgets: [widget], next_cursor: null } };
  });
  binder.bind(changeWidget).to(async ({ params, body, caller }) => {
    seen.push({ params, body, caller });
    if (params.id === 'unknown') throw new Problem('webhook_not_found');
    if (params.id === 'busy') throw new Problem('rate_limited', { retryAfterSeconds: 7 });
    if (params.id === 'broken') throw new Error('secret detail');
    return { status: 200, body: { widget: { name: body.name, size: body.size ?? null, owner: null } } };
  });
  binder
    .bind(moveWidget)
    .checked(async ({ body }) => {
      seen.push({ checked: body });
      if (body.to === 'nowhere') throw new Problem('invalid_payload', { reason: 'the body: is refused' });
      return body.to.toUpperCase();
    })
    .to(async ({ access, checked }) => {
      seen.push({ access });
      return { status: 200, body: { moved_by: access.projectOf, to: checked } };
    });
  binder.bind(pressWidget).to(async () => ({ status: 204 }));
  binder.bind(readDocument, { rawResponse: true }).to(async ({ params }) => ({
    status: 200,
    body:
      params.id === 'pending' ? { status: 'pending' } : new RawJson(Buffer.from('{"text" : "as stored"}')),
  }));
  binder.bind(sendThings, { cors: 'events', budget: 'ingestion' }).toRaw(async (request) => {
    const { headers, clientKey } = request;
    const claim = request.openClaim(clientKey);
    try {
      const body = await request.readBody(claim);
      if (headers.authorization === undefined) throw new Problem('invalid_project_token');
      if (!body.ok) throw new Problem(body.problem, { reason: 'the body: is refused' });
      if (!claim.enter()) throw new Problem('service_unavailable');
      return { status: 202, body: { received: body.bytes.length } };
    } finally {
      claim.close();
    }
  });
}
