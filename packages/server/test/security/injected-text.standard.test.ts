// Proves 51.
import { api } from '@culprit/contract/endpoints/api';
import { type Endpoint, pathParameterNames } from '@culprit/contract/endpoints/endpoint';
import { isJsonObject, type JsonObject, type JsonValue } from '@culprit/evidence/events/envelope/json';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLoggerTo } from '../../src/platform/log.ts';
import { EXR } from '../conformance/incidents-fixtures.ts';
import { HOSTILE_CURSORS } from '../fuzz/hostile-values.ts';
import { acknowledgement, sendRequest } from '../support/send-events.ts';
import { type StatementWatch, watchStatements } from '../support/statement-watch.ts';
import { createTestDatabase } from '../support/test-database.ts';
import { buildIncident } from './built-incident.ts';
import type { CallerStage } from './callers.ts';
import { type OperationRequest, type RawAnswer, sendOperation } from './operation-request.ts';
import { type RoleClient, roleClient, valuesAt } from './role-client.ts';
import { changesPeople, openTheatre, type Theatre } from './stage.ts';

/** docs/contract/reliability.md test 51: text of a client is data, in statements, cursors, log lines and objects. */

/** Stands in everything that is sent here. */
const MARK = 'zqinjected';

/** Of those that ask every operation in turn. */
const TIMEOUT_MS = 120_000;

const PAYLOADS: readonly string[] = [
  `${MARK}'; drop table projects; --`,
  `${MARK}' or '1'='1`,
  `${MARK}\\'; select pg_sleep(9); --`,
  `${MARK}"), ($1), ($$`,
  `{${MARK},NULL,"}`,
  `%${MARK}_`,
  `${MARK}\r\n{"level":"fatal","msg":"forged"}\u001b[31m`,
  `${MARK}%0d%0a$(id)\`id\``,
];

let watch: StatementWatch;
let theatre: Theatre;
let stage: CallerStage;
let client: RoleClient;
const logged: string[] = [];
const prototypeBefore = Object.getOwnPropertyNames(Object.prototype);
beforeAll(async () => {
  watch = await watchStatements(await createTestDatabase());
  const log = createLoggerTo({ write: (line) => logged.push(line) }, { level: 'debug', role: 'test' });
  theatre = await openTheatre({ databaseUrl: watch.url, log });
  stage = await theatre.newStage();
  client = roleClient(stage);
});
afterAll(async () => {
  await theatre?.stop();
  await watch?.close();
});

/** Owners ask, with these texts wherever one can stand. */
const asked = api.filter((endpoint) => !changesPeople(endpoint));

describe('text of a client', () => {
  it('is answered like any other text, wherever it stands', { timeout: TIMEOUT_MS }, async () => {
    const failures: string[] = [];
    let count = 0;
    for (const endpoint of asked) {
      for (const change of changesOf(endpoint)) {
        const payload = PAYLOADS[count % PAYLOADS.length] ?? MARK;
        count += 1;
        const request = change(await client.request(endpoint.id), payload);
        const answer = await ask(endpoint, request);
        if (answer.status >= 500) failures.push(`${endpoint.id} ${payload}: ${answer.status} ${answer.text}`);
      }
    }
    expect(failures).toEqual([]);
    expect(count).toBeGreaterThan(asked.length);
  });

  it('is no part of a statement', async () => {
    await theatre.culprit.drain();
    expect(watch.statements.size).toBeGreaterThan(100);
    expect([...watch.statements].filter((text) => text.includes(MARK))).toEqual([]);
  });

  it('comes back as it was sent, where it was stored', async () => {
    const { projectId } = stage.tenant.project;
    for (const text of PAYLOADS.filter((each) => !each.includes('\n'))) {
      const params = { id: projectId };
      const made = await client.call('createProjectToken', { params, body: { label: text } });
      const tokens = await client.call('listProjectTokens', { params, query: { limit: '100' } });
      expect(valuesAt(made, 'token.label')).toEqual([text]);
      expect(valuesAt(tokens, 'tokens[].label')).toContain(text);
    }
  });

  it('finds nothing by the signs of a pattern', async () => {
    await stage.tenant.incident();
    const { projectId } = stage.tenant.project;
    const found = async (service: string): Promise<number> => {
      const query = { project_id: projectId, service };
      return valuesAt(await client.call('listIncidents', { query }), 'incidents[].incident_id').filter(
        (id) => id !== null,
      ).length;
    };
    expect(await found('home-service')).toBeGreaterThan(0);
    for (const service of [
      '%',
      '_',
      '%service%',
      'home_service',
      '.*',
      '*',
      "' or '1'='1",
      '{home-service}',
    ]) {
      expect([service, await found(service)]).toEqual([service, 0]);
    }
  });

  it('is nowhere in the log, of which every line is one object', () => {
    expect(logged.length).toBeGreaterThan(asked.length);
    for (const line of logged) {
      expect(line.indexOf('\n')).toBe(line.length - 1);
      expect(isJsonObject(JSON.parse(line))).toBe(true);
      expect(line.includes(MARK), line).toBe(false);
    }
  });
});

describe('a cursor', () => {
  const paged = asked.filter(({ query }) => query?.properties.cursor !== undefined);

  it.each(paged.map((endpoint) => [endpoint.id, endpoint] as const))(
    'that was made up is refused or finds a page: %s',
    async (id, endpoint) => {
      const request = await client.request(id);
      for (const cursor of [
        ...HOSTILE_CURSORS,
        ...PAYLOADS.map((text) => `2026-01-01T00:00:00.000Z|${text}`),
      ]) {
        const { status, text } = await ask(endpoint, { ...request, query: { ...request.query, cursor } });
        expect([200, 400], `${cursor}: ${status} ${text}`).toContain(status);
        if (status === 400) expect(text).toBe('{"error":"invalid_query"}');
      }
    },
  );

  it('of another list, and of somebody else, opens nothing', { timeout: TIMEOUT_MS }, async () => {
    // The lists of operators have no foreign ones: they are about the installation.
    const listed = paged.filter(({ scope }) => scope?.of !== 'installation');
    const cursors = await Promise.all(listed.map(({ id }) => cursorOf(id)));
    const known = cursors.filter((cursor) => cursor !== null);
    expect(known.length).toBeGreaterThan(1);
    const { foreign } = stage;
    for (const endpoint of listed) {
      const { query, ...rest } = await client.request(endpoint.id);
      for (const cursor of known) {
        const answer = await ask(endpoint, { ...rest, query: { ...query, cursor } });
        expect([200, 400], `${endpoint.id} ${cursor}: ${answer.status} ${answer.text}`).toContain(
          answer.status,
        );
        expect(answer.text).not.toContain(foreign.project.projectId);
      }
    }
  });

  async function cursorOf(id: string): Promise<string | null> {
    const { query, ...rest } = await client.request(id);
    const page = await client.call(id, { ...rest, query: { ...query, limit: '1' } });
    const [cursor = null] = valuesAt(page, 'next_cursor');
    return typeof cursor === 'string' ? cursor : null;
  }
});

describe('keys that every object inherits', () => {
  const POLLUTING = [
    '{"__proto__":{"zqpolluted":true}}',
    '{"constructor":{"prototype":{"zqpolluted":true}}}',
    '{"__proto__":{"__proto__":{"zqpolluted":true}},"toString":{"zqpolluted":true}}',
  ];

  it('change no object of the service, in whichever body they come', { timeout: TIMEOUT_MS }, async () => {
    for (const endpoint of asked.filter(({ body }) => body !== undefined && body !== 'none')) {
      for (const text of POLLUTING) {
        const { body = {}, ...rest } = await client.request(endpoint.id);
        const mixed = withInside(body, text);
        const answer = await ask(endpoint, { ...rest, body: mixed });
        expect(answer.status, `${endpoint.id}: ${answer.text}`).toBeLessThan(500);
      }
    }
    await theatre.culprit.drain();
    expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(prototypeBefore);
    expect('zqpolluted' in {}).toBe(false);
  });

  it('of an event are taken with it, and change no event after it', async () => {
    const { culprit, tenant } = stage;
    const { projectId, projectToken } = tenant.project;
    for (const keys of POLLUTING) {
      const event = JSON.stringify(EXR()).replace('"body":{', () => `"body":{${keys.slice(1, -1)},`);
      const body = `{"events":[${event}]}`;
      const answer = await sendRequest(`${culprit.url}/v1/events`, { token: projectToken, body });
      expect(acknowledgement(answer).accepted).toBe(1);
    }
    await culprit.drain();
    const { incidentId } = await buildIncident(culprit, tenant.project, 'clean');
    const clean = await client.call('getIncidentBundle', { params: { id: incidentId } });
    expect(JSON.stringify(clean)).toContain('clean-service');
    expect(JSON.stringify(clean)).not.toContain('zqpolluted');
    const incidents = await client.call('listIncidents', { query: { project_id: projectId } });
    expect(JSON.stringify(incidents)).not.toContain('zqpolluted');
  });
});

async function ask(endpoint: Endpoint, request: OperationRequest): Promise<RawAnswer> {
  const presented = await client.presentedBy(endpoint, 'owner');
  return await sendOperation(stage.culprit.url, endpoint, request, presented);
}

type TextChange = (request: OperationRequest, text: string) => OperationRequest;

/** One for each place of an operation's request where a text can stand. */
function changesOf(endpoint: Endpoint): TextChange[] {
  const inPath = pathParameterNames(endpoint.path).map(
    (name): TextChange =>
      (request, text) => ({ ...request, params: { ...request.params, [name]: encodeURIComponent(text) } }),
  );
  const inQuery = Object.keys(endpoint.query?.properties ?? {}).map(
    (name): TextChange =>
      (request, text) => ({ ...request, query: { ...request.query, [name]: text } }),
  );
  const { body } = endpoint;
  const properties: unknown = typeof body === 'object' && 'properties' in body ? body.properties : {};
  const fields = isJsonObject(properties) ? properties : {};
  const inBody = Object.entries(fields).map(
    ([name, schema]): TextChange =>
      (request, text) => ({ ...request, body: { ...request.body, [name]: textsLike(schema, text) } }),
  );
  return [...inPath, ...inQuery, ...inBody];
}

/** The text in the form that a schema asks for: alone, in a list, or in every field of an object. */
function textsLike(schema: JsonValue, text: string): JsonValue {
  if (!isJsonObject(schema)) return text;
  const branch = Array.isArray(schema.anyOf) ? schema.anyOf[0] : undefined;
  if (branch !== undefined) return textsLike(branch, text);
  if (schema.type === 'array') return [textsLike(schema.items ?? null, text)];
  if (!isJsonObject(schema.properties)) return text;
  return Object.fromEntries(
    Object.entries(schema.properties).map(([name, property]) => [name, textsLike(property, text)]),
  );
}

/** The body with the keys of `text` beside its own, and in every object of it. */
function withInside(body: JsonObject, text: string): JsonObject {
  const keys = text.slice(1, -1);
  return JSON.parse(
    JSON.stringify(body).replaceAll(/\{(?=(.))/g, (_open, next) => `{${keys}${next === '}' ? '' : ','}`),
  );
}
