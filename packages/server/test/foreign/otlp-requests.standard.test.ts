import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  attributes,
  bodyOf,
  END,
  exceptionEvent,
  logsOf,
  RESOURCE,
  SPAN_ID,
  START,
  span as spanOf,
  TRACE_ID,
  tracesOf,
} from '../../../evidence/test/foreign/otlp/otlp-bodies.ts';
import type { TestCulprit } from '../support/culprit.ts';
import { connect, type IncidentClient } from '../support/incident-client.ts';
import { authOf, type SentryTarget, sentryTarget } from '../support/sentry-client.ts';
import { shareCulprit } from '../support/shared-culprit.ts';

const PROTOBUF = { 'content-type': 'application/x-protobuf' };
const JSON_FORM = { 'content-type': 'application/json' };
const STACK = 'Error: no such order\n    at findOrder (/app/src/orders.js:12:9)';
const EXCEPTION = {
  'exception.type': 'Error',
  'exception.message': 'no such order',
  'exception.stacktrace': STACK,
};
const FAILED = {
  'http.request.method': 'GET',
  'url.path': '/orders/17',
  'http.route': '/orders/:id',
  'http.response.status_code': 500,
  'http.request.header.authorization': ['Basic c2VjcmV0'],
  'user.id': 'user-17',
};

/** docs/contract/foreign-protocols.md 8. */
describe('requests of OpenTelemetry exporters', () => {
  let culprit: TestCulprit;
  let client: IncidentClient;
  let target: SentryTarget;
  /** Of now, so that nothing is out of its time. */
  const shift = BigInt(Date.now()) * 1_000_000n - BigInt(END);
  const now = {
    startTimeUnixNano: String(BigInt(START) + shift),
    endTimeUnixNano: String(BigInt(END) + shift),
  };
  const span: typeof spanOf = (own) => spanOf({ ...now, ...own });
  const failedSpan = (own: Parameters<typeof spanOf>[0] = {}) =>
    span({ values: FAILED, status: { code: 2 }, events: [exceptionEvent(EXCEPTION)], ...own });

  beforeAll(async () => {
    culprit = await shareCulprit();
  });
  async function freshProject(options?: Parameters<TestCulprit['createProject']>[0]): Promise<void> {
    client = await connect(culprit, options);
    target = await sentryTarget(culprit, client.project);
  }
  beforeAll(() => freshProject());

  async function post(path: string, body: Buffer, headers: Readonly<Record<string, string>>) {
    const response = await fetch(culprit.url + path, { method: 'POST', headers, body: new Uint8Array(body) });
    return {
      status: response.status,
      headers: response.headers,
      bytes: Buffer.from(await response.arrayBuffer()),
    };
  }
  const bearer = () => ({ authorization: `Bearer ${client.project.projectToken}` });
  const json = (answer: { bytes: Buffer }) => JSON.parse(answer.bytes.toString());

  // F-59 F-69
  it.each([
    [
      '/opentelemetry.proto.collector.trace.v1.TraceService/Export',
      'OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf',
    ],
    [
      '/opentelemetry.proto.collector.logs.v1.LogsService/Export',
      'OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf',
    ],
    ['/otlp/v1/traces', 'OTEL_EXPORTER_OTLP_ENDPOINT'],
    ['/v1/trace', 'OTEL_EXPORTER_OTLP_ENDPOINT'],
    ['/v1development/profiles', 'no profiles'],
  ])('refuses %s and names what to set', async (path, hint) => {
    const answer = await fetch(culprit.url + path, { method: 'POST', body: '' });
    expect([answer.status, await answer.text()]).toEqual([404, expect.stringContaining(hint)]);
  });

  it('take both forms, plain and packed, with each credential: one occurrence of one incident', async () => {
    await freshProject();
    const request = tracesOf([failedSpan()]);
    const [protobuf, text] = [bodyOf('protobuf', 'traces', request), bodyOf('json', 'traces', request)];
    const gzip = { 'content-encoding': 'gzip' };
    const own = `/api/${target.number}/integration/otlp/v1/traces`;
    const answers = [
      await post('/v1/traces', protobuf, { ...bearer(), ...PROTOBUF }),
      await post('/v1/traces/', gzipSync(protobuf), { ...bearer(), ...PROTOBUF, ...gzip }),
      await post('/v1/traces', text, { ...bearer(), ...JSON_FORM }),
      await post('/v1/traces', gzipSync(text), {
        ...bearer(),
        'content-type': 'application/json; charset=utf-8',
        ...gzip,
      }),
      await post('/v1/traces', text, {
        authorization: `Bearer%20${client.project.projectToken}`,
        ...JSON_FORM,
      }),
      await post('/v1/traces', protobuf, { ...authOf(target.key), ...PROTOBUF }),
      await post(`/v1/traces?sentry_key=${target.key}`, text, JSON_FORM),
      await post(own, protobuf, { ...authOf(target.key), ...PROTOBUF }),
      await post(`${own}/`, text, { ...authOf(target.key), ...JSON_FORM }),
    ];
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(answers.map(({ headers, bytes }) => `${headers.get('content-type')} ${bytes.toString()}`)).toEqual(
      ['p', 'p', 'j', 'j', 'j', 'p', 'j', 'p', 'j'].map((form) =>
        form === 'p' ? 'application/x-protobuf ' : 'application/json {}',
      ),
    );
    await client.processed();
    const incident = await client.only(1);
    const bundle = await client.bundle(incident.incident_id);
    expect(incident).toMatchObject({
      title: expect.stringContaining('no such order'),
      environment: 'staging',
    });
    const shown = JSON.stringify(bundle);
    expect(shown).toContain('/orders/:id');
    expect(shown).toContain('4.2.0');
    expect(shown).not.toContain('user-17');
    expect(shown).not.toContain('c2VjcmV0');
  });

  // F-60 F-61
  it('an exception that is logged as well, and its failed request, are one incident', async () => {
    await freshProject();
    const traces = tracesOf([failedSpan()]);
    const logs = logsOf([
      {
        timeUnixNano: now.endTimeUnixNano,
        severityNumber: 17,
        traceId: TRACE_ID,
        spanId: SPAN_ID,
        body: { stringValue: 'request failed' },
        attributes: attributes({ ...EXCEPTION, 'exception.type': 'Error' }),
      },
    ]);
    for (let times = 0; times < 2; times += 1) {
      await post('/v1/traces', bodyOf('protobuf', 'traces', traces), { ...bearer(), ...PROTOBUF });
      await post('/v1/logs', bodyOf('json', 'logs', logs), { ...bearer(), ...JSON_FORM });
    }
    await client.processed();
    await client.only(1);
  });

  // F-61
  it('a failed request without an exception is an incident, a failed call of a client is none', async () => {
    await freshProject();
    const values = { 'http.request.method': 'GET', 'url.path': '/stock', 'http.response.status_code': 503 };
    const request = tracesOf([
      span({ values, status: { code: 2 } }),
      span({ spanId: 'aaaaaaaaaaaaaaaa', kind: 3, values: { ...values, 'http.response.status_code': 500 } }),
    ]);
    await post('/v1/traces', bodyOf('protobuf', 'traces', request), { ...bearer(), ...PROTOBUF });
    await client.processed();
    expect((await client.only(1)).title).toContain('503');
  });

  // F-65
  it('tell what a sender can do something about, and not what a policy refuses', async () => {
    await freshProject({ preset: 'minimal' });
    const line = (severityNumber: number, text: string) => ({
      timeUnixNano: now.endTimeUnixNano,
      severityNumber,
      body: { stringValue: text },
    });
    const infos = logsOf(Array.from({ length: 20 }, (_, index) => line(9, `fine ${index}`)));
    const quiet = await post('/v1/logs', bodyOf('json', 'logs', infos), { ...bearer(), ...JSON_FORM });
    expect([quiet.status, json(quiet)]).toEqual([200, {}]);
    const many = logsOf(Array.from({ length: 1_004 }, (_, index) => line(17, `bad ${index}`)));
    const answer = await post('/v1/logs', bodyOf('json', 'logs', many), { ...bearer(), ...JSON_FORM });
    expect([answer.status, json(answer)]).toEqual([
      200,
      { partialSuccess: { rejectedLogRecords: '4', errorMessage: 'over_limit: 4' } },
    ]);
  });

  // F-66
  it('refuse metrics for good, and other media types', async () => {
    const body = Buffer.alloc(3);
    const metrics = await post('/v1/metrics', body, { ...bearer(), ...JSON_FORM });
    expect([metrics.status, json(metrics)]).toEqual([
      501,
      {
        code: 12,
        message: 'Culprit accepts traces and logs, but no metrics. Set OTEL_METRICS_EXPORTER=none',
      },
    ]);
    const packed = await post('/v1/metrics', body, { ...bearer(), ...PROTOBUF });
    expect(packed.headers.get('content-type')).toBe('application/x-protobuf');
    expect(packed.bytes.toString()).toContain('OTEL_METRICS_EXPORTER=none');
    for (const path of ['/v1/traces', '/v1/logs', '/v1/metrics']) {
      const grpc = await post(path, body, { ...bearer(), 'content-type': 'application/grpc' });
      expect([grpc.status, json(grpc).code]).toEqual([415, 3]);
      expect(json(grpc).message).toContain('http/protobuf');
    }
  });

  it('refuse who may not send, in the form of the question', async () => {
    const body = bodyOf('json', 'traces', tracesOf([failedSpan()]));
    const refused = async (path: string, headers: Readonly<Record<string, string>>) => {
      const answer = await post(path, body, { ...JSON_FORM, ...headers });
      return [answer.status, json(answer).code];
    };
    const own = `/api/${target.number}/integration/otlp/v1/traces`;
    expect(await refused('/v1/traces', {})).toEqual([401, 16]);
    expect(await refused('/v1/traces', { authorization: `Bearer ${client.project.memberToken}` })).toEqual([
      401, 16,
    ]);
    expect(await refused('/v1/traces', { authorization: `Bearer ${target.key}` })).toEqual([401, 16]);
    expect(await refused('/v1/traces', { authorization: `Bearer svc_proj_${'x'.repeat(43)}` })).toEqual([
      401, 16,
    ]);
    expect(await refused('/v1/traces', authOf('0'.repeat(32)))).toEqual([401, 16]);
    expect(await refused(own, bearer())).toEqual([401, 16]);
    const { projectToken } = client.project;
    expect(await refused('/v1/traces', authOf(projectToken))).toEqual([401, 16]);
    expect(await refused(`/v1/traces?sentry_key=${projectToken}`, {})).toEqual([401, 16]);
    expect(await refused('/api/77/integration/otlp/v1/traces/', authOf(target.key))).toEqual([403, 7]);
    const bound = await culprit.createProjectToken(client.project.projectId, ['https://shop.example']);
    const fromPage = (origin: string) => refused('/v1/traces', { authorization: `Bearer ${bound}`, origin });
    expect(await fromPage('https://evil.example')).toEqual([403, 7]);
    const allowed = await post('/v1/traces', body, {
      ...JSON_FORM,
      authorization: `Bearer ${bound}`,
      origin: 'https://shop.example',
    });
    expect([allowed.status, allowed.headers.get('access-control-allow-origin')]).toEqual([
      200,
      'https://shop.example',
    ]);
    const preflight = await fetch(`${culprit.url}/v1/traces`, {
      method: 'OPTIONS',
      headers: { origin: 'https://shop.example', 'access-control-request-method': 'POST' },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-headers')).toContain('authorization');
    const get = await fetch(`${culprit.url}/v1/traces`);
    expect([get.status, get.headers.get('allow')]).toEqual([405, 'POST, OPTIONS']);
  });

  // F-67
  it('refuse what cannot be read, and what is too large', async () => {
    const status = async (body: Buffer, headers: Readonly<Record<string, string>>) => {
      const answer = await post('/v1/traces', body, { ...bearer(), ...headers });
      return [answer.status, answer.headers.get('content-type')];
    };
    const protobuf = bodyOf('protobuf', 'traces', tracesOf([failedSpan()]));
    expect(await status(protobuf.subarray(0, 90), PROTOBUF)).toEqual([400, 'application/x-protobuf']);
    expect(await status(Buffer.from('{'), JSON_FORM)).toEqual([400, 'application/json']);
    expect(await status(Buffer.alloc(5 * 1024 * 1024), PROTOBUF)).toEqual([413, 'application/x-protobuf']);
    const bomb = gzipSync(Buffer.alloc(3 * 1024 * 1024, 0x20));
    expect(await status(bomb, { ...JSON_FORM, 'content-encoding': 'gzip' })).toEqual([
      413,
      'application/json',
    ]);
    const snappy = { ...PROTOBUF, 'content-encoding': 'snappy' };
    expect(await status(protobuf, snappy)).toEqual([400, 'application/x-protobuf']);
  });

  // F-62
  it('events of a resource without a name belong to the service of the key', async () => {
    await freshProject();
    const named = await target.owner.patch(`${target.keysPath}/${target.record.token_id}`, {
      service_name: 'by-key',
    });
    expect(named.status).toBe(200);
    const request = tracesOf([failedSpan()], { ...RESOURCE, 'service.name': 'unknown_service:node' });
    await post('/v1/traces', bodyOf('protobuf', 'traces', request), { ...authOf(target.key), ...PROTOBUF });
    expect((await client.only(1)).service_name).toBe('by-key');
  });

  // F-74
  it('count what came by kind', async () => {
    await freshProject();
    const request = tracesOf([failedSpan(), span({ kind: 1 }), span({ kind: 1 })]);
    await post('/v1/traces', bodyOf('protobuf', 'traces', request), { ...bearer(), ...PROTOBUF });
    await client.processed();
    const kinds = async () => {
      const answer = await client.get(`/v1/projects/${client.project.projectId}/event-fates`);
      return (answer.body as { by_kind: { kind: string; taken: number; not_taken: number }[] }).by_kind;
    };
    await expect.poll(async () => (await kinds()).length, { timeout: 10_000 }).toBe(3);
    const rows = await kinds();
    expect(rows.map(({ kind, taken, not_taken }) => [kind, taken, not_taken]).sort()).toEqual([
      ['exception', 1, 0],
      ['request', 1, 0],
      ['span', 0, 2],
    ]);
  });
});
