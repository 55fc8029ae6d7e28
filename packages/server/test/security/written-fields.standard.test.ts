// Proves 37.
import { api } from '@culprit/contract/endpoints/api';
import { type Endpoint, isMutation } from '@culprit/contract/endpoints/endpoint';
import { isJsonObject, type JsonObject, type JsonValue } from '@culprit/evidence/events/envelope/json';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { snapshotDatabase } from '../support/database-snapshot.ts';
import { holdClock } from '../support/move-clock.ts';
import type { CallerStage } from './callers.ts';
import { type OperationRequest, sendOperation } from './operation-request.ts';
import { EVERY_CONTROL, NESTED_RULE, named, type RoleClient, roleClient, valuesAt } from './role-client.ts';
import { openTheatre, type Theatre } from './stage.ts';

/** docs/contract/reliability.md test 37, second half: what nobody may write. */

let theatre: Theatre;
let stage: CallerStage;
let client: RoleClient;
beforeAll(async () => {
  theatre = await openTheatre();
  stage = await theatre.newStage();
  client = roleClient(stage);
});
afterAll(() => theatre?.stop());

const FILTERS: JsonObject = { environment: ['production'], severity_min: 'high' };

/** Bodies with an object wherever one can stand. */
const RICH_BODIES: Readonly<Record<string, JsonObject>> = {
  updateWebhook: { filters: FILTERS },
  updateCapturePolicy: EVERY_CONTROL,
  createCaptureRule: NESTED_RULE,
  updateCaptureRule: { matcher: NESTED_RULE.matcher ?? {} },
};

describe('what requests may write', () => {
  // Each event of a batch is judged on its own (docs/contract/ingestion.md 1.6).
  const writing = api.filter(
    ({ method, id, body }) => isMutation(method) && id !== 'postEvents' && body !== 'bytes',
  );
  const queried = api.filter(
    ({ auth, ignoresUnknownQuery, path }) =>
      auth !== 'project_token' && ignoresUnknownQuery !== true && path.startsWith('/v1/'),
  );
  /** Requests that would succeed. */
  const prepared = new Map<string, OperationRequest>();
  /** The database from the moment when everything is refused. */
  let before: Record<string, string>;

  function preparedFor({ id }: Endpoint): OperationRequest {
    const asked = prepared.get(id);
    if (asked === undefined) throw new Error(`no request of ${id}`);
    return asked;
  }

  beforeAll(async () => {
    // The request for a trial takes the plan back to Free, which others need more than; the one for capacity mends it.
    const last = ['startTrial', 'increaseCapacity'];
    const place = ({ id }: Endpoint) => last.indexOf(id);
    for (const { id } of [...writing, ...queried].toSorted((a, b) => place(a) - place(b))) {
      const asked = await client.request(id);
      const rich = RICH_BODIES[id];
      prepared.set(id, rich === undefined ? asked : { ...asked, body: rich });
    }
    // From here on everything is refused, so nothing moves: not even the times at which credentials were used last.
    await stage.culprit.drain();
    await stage.culprit.stopWorker();
    await holdClock(stage.culprit.database, Date.now());
    before = await snapshotDatabase(stage.culprit.database);
  });

  it.each(named(writing))(
    '%s takes no field that its schema does not name, at any depth',
    async (_name, endpoint) => {
      const asked = preparedFor(endpoint);
      const bodies = bodiesWithStrangeFields(endpoint, asked.body ?? {});
      expect(bodies.length).toBeGreaterThan(10);
      const presented = await client.presentedBy(endpoint, 'owner');
      const wrong: string[] = [];
      for (const { field, body } of bodies) {
        const answer = await sendOperation(stage.culprit.url, endpoint, { ...asked, body }, presented);
        if (answer.status !== 400 || answer.text !== '{"error":"invalid_payload"}') {
          wrong.push(`${field}: ${answer.status} ${answer.text}`);
        }
      }
      expect(wrong).toEqual([]);
      expect(await snapshotDatabase(stage.culprit.database)).toEqual(before);
    },
  );

  it.each(named(queried))('%s takes no query parameter that it does not name', async (_name, endpoint) => {
    const asked = preparedFor(endpoint);
    const presented = await client.presentedBy(endpoint, 'owner');
    for (const name of [
      'unknown',
      'user_id',
      'organization_id',
      'role',
      'as',
      'token',
      '__proto__',
      'limit[]',
    ]) {
      const query = { ...asked.query, [name]: 'x' };
      const answer = await sendOperation(stage.culprit.url, endpoint, { ...asked, query }, presented);
      expect([name, answer.status, answer.text]).toEqual([name, 400, '{"error":"invalid_query"}']);
    }
    expect(await snapshotDatabase(stage.culprit.database)).toEqual(before);
  });

  it('the author of a rule is the caller, whoever the request names', async () => {
    const { tenant, foreign } = stage;
    const body = { ...NESTED_RULE, created_by_user_id: foreign.owner.userId };
    const made = await client.call(
      'createCaptureRule',
      { params: { id: tenant.project.projectId }, body },
      'admin',
    );
    expect(valuesAt(made, 'rule.created_by_user_id')).toEqual([tenant.admin.userId]);
  });
});

/** Of the fields of an answer, the first of its record: schemas take no field that they do not name, whatever its name. */
const SHOWN_FIELDS_MAX = 20;

/** Fields somebody could hope to write along: of the record, of its owner, and of every object. */
const HOPED_FOR = [
  'id',
  'user_id',
  'owner_user_id',
  'organization_id',
  'organization_plan',
  'plan',
  'role',
  'effective_role',
  'is_admin',
  'email_verified_at',
  'email_verified',
  'created_at',
  'updated_at',
  'deleted_at',
  'revoked_at',
  'expires_at',
  'token_hash',
  'plaintext',
  'hit_count',
  'usage',
  'shared_access_suspended',
  'constructor',
  '__proto__',
  'toString',
];

/** The body with one field too many each: at its top in several types, and inside each of its objects. */
function bodiesWithStrangeFields(
  endpoint: Endpoint,
  sample: JsonObject,
): { field: string; body: JsonObject }[] {
  const schema: unknown = endpoint.body;
  const known = isJsonObject(schema) && isJsonObject(schema.properties) ? Object.keys(schema.properties) : [];
  const shown = Object.values(endpoint.responses).flatMap(namesIn).slice(0, SHOWN_FIELDS_MAX);
  const strange = [...new Set([...HOPED_FOR, ...shown])].filter((name) => !known.includes(name));
  const typed = [null, true, 0, {}, []].map((value) => ({
    field: `is_admin ${JSON.stringify(value)}`,
    body: withField(sample, 'is_admin', value),
  }));
  const inside = objectsIn(sample).map(({ path }) => {
    const body = structuredClone(sample);
    const place = objectsIn(body).find((each) => each.path === path);
    if (place !== undefined) place.object.unknown = 'x';
    return { field: `${path}.unknown`, body };
  });
  return [...strange.map((field) => ({ field, body: withField(sample, field, 'x') })), ...typed, ...inside];
}

/** Defines it, so that `__proto__` is a field like any other. */
function withField(body: JsonObject, name: string, value: JsonValue): JsonObject {
  return Object.fromEntries([...Object.entries(body), [name, value]]);
}

/** Objects inside a body. */
function objectsIn(value: JsonValue, path = ''): { path: string; object: JsonObject }[] {
  if (Array.isArray(value)) return value.flatMap((each, index) => objectsIn(each, `${path}[${index}]`));
  if (!isJsonObject(value)) return [];
  const inner = Object.entries(value).flatMap(([name, each]) => objectsIn(each, `${path}.${name}`));
  return path === '' ? inner : [{ path, object: value }, ...inner];
}

/** Names of the fields of a schema, its records' before those inside them. */
function namesIn(schema: unknown): string[] {
  if (Array.isArray(schema)) return schema.flatMap(namesIn);
  if (!isJsonObject(schema)) return [];
  const properties = isJsonObject(schema.properties) ? schema.properties : {};
  return [
    ...Object.keys(properties),
    ...Object.values(properties).flatMap(namesIn),
    ...namesIn(schema.items ?? null),
    ...namesIn(schema.anyOf ?? null),
  ];
}
