import type { CaptureRule } from '@culprit/contract/capture';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { isJsonObject, type JsonObject } from '../../src/events/json.ts';
import { parseId } from '../../src/platform/ids.ts';
import { type Collaborator, createCollaborator } from '../support/collaborators.ts';
import { countRows, readNumber } from '../support/count-rows.ts';
import { HOSTED, startCulprit, type TestCulprit, type TestProject } from '../support/culprit.ts';
import { type ManagementClient, managementClient } from '../support/management-client.ts';
import { holdClock, moveClock } from '../support/move-clock.ts';
import type { Answer } from '../support/send-events.ts';

/** Capture policy and rules over HTTP (ingestion.md 4.5, 4.6, 5.4), beside the acceptance checklist. */

let culprit: TestCulprit;
let project: TestProject;
let owner: ManagementClient;
let admin: ManagementClient;
let member: ManagementClient;
let adminPerson: Collaborator;
let outsider: ManagementClient;
let rulesPath: string;
let policyPath: string;

beforeAll(async () => {
  culprit = await startCulprit({ plans: HOSTED, hasWorker: false });
  outsider = managementClient(culprit, (await culprit.createProject()).memberToken);
});
afterAll(() => culprit.stop());
beforeEach(async () => {
  await moveClock(culprit.database, 0);
  project = await culprit.createProject({ plan: 'team' });
  owner = managementClient(culprit, project.memberToken);
  adminPerson = await createCollaborator(culprit, project, 'admin');
  admin = managementClient(culprit, adminPerson.memberToken);
  member = managementClient(culprit, (await createCollaborator(culprit, project, 'member')).memberToken);
  rulesPath = `/v1/projects/${project.projectId}/capture-rules`;
  policyPath = `/v1/projects/${project.projectId}/capture-policy`;
});

const DROP = { name: 'r', action: 'drop', matcher: { services: ['api-server'] } };
const SAMPLE = { ...DROP, action: 'sample', sample_rate: 0.5, sample_event_class: 'preserve' };

async function create(body: object = DROP): Promise<CaptureRule> {
  return ruleIn(await owner.post(rulesPath, body), 201);
}

function ruleIn(answer: Answer, status: number): CaptureRule {
  expect(answer).toMatchObject({ status });
  const rule = isJsonObject(answer.body) ? answer.body.rule : null;
  if (!isRecord(rule)) throw new Error('no rule came back');
  return rule;
}

function isRecord(value: unknown): value is CaptureRule {
  return typeof value === 'object' && value !== null && 'id' in value && 'updated_at' in value;
}

function listed(answer: Answer): CaptureRule[] {
  const { body } = answer;
  if (answer.status !== 200 || !isJsonObject(body) || !Array.isArray(body.capture_rules)) {
    throw new Error(`answered ${answer.status} ${JSON.stringify(answer.body)}`);
  }
  return body.capture_rules.filter(isRecord);
}

async function version(): Promise<number> {
  return await readNumber(culprit, 'capture_version', 'projects where project_id = $1', [
    parseId(['proj'], project.projectId),
  ]);
}

async function audited(): Promise<{ action: string; actor_user_id: string; data: JsonObject }[]> {
  return await culprit.database.query(
    {
      name: 'test-capture-audit',
      text: `select action, actor_user_id, data from audit_log
        where project_id = $1 and action like 'capture_%' order by audit_id`,
    },
    [parseId(['proj'], project.projectId)],
  );
}

describe('who may do what', () => {
  it('is checked in the order of the contract: ids, body, visibility of project and rule, role', async () => {
    const { id } = await create();
    const unknownProject = '/v1/projects/proj_00000000-0000-0000-0000-000000000000';
    const lines: [Promise<Answer>, number, string][] = [
      [outsider.get(policyPath), 404, 'project_not_found'],
      [outsider.get(rulesPath), 404, 'project_not_found'],
      [outsider.post(rulesPath, DROP), 404, 'project_not_found'],
      [outsider.patch(`${rulesPath}/${id}`, {}), 404, 'project_not_found'],
      [outsider.delete(`${rulesPath}/${id}`), 404, 'project_not_found'],
      [owner.get(`${unknownProject}/capture-policy`), 404, 'project_not_found'],
      [owner.get('/v1/projects/a.b/capture-rules'), 400, 'invalid_project_id'],
      [owner.patch(`${rulesPath}/a.b`, {}), 400, 'invalid_capture_rule_id'],
      [owner.patch(`${rulesPath}/unknown`, {}), 404, 'rule_not_found'],
      [owner.delete(`${rulesPath}/${crypto.randomUUID()}`), 404, 'rule_not_found'],
      [member.patch(policyPath, {}), 403, 'forbidden'],
      [member.post(rulesPath, DROP), 403, 'forbidden'],
      [member.patch(`${rulesPath}/${id}`, { name: 'x' }), 403, 'forbidden'],
      [member.patch(`${rulesPath}/unknown`, { name: 'x' }), 404, 'rule_not_found'],
      [member.delete(`${rulesPath}/${id}`), 403, 'forbidden'],
      // A bad body is bad whoever sends it.
      [outsider.post(rulesPath, { ...DROP, matcher: {} }), 400, 'invalid_payload'],
      [outsider.post(rulesPath, { ...DROP, expires_at: '2020-01-01T00:00:00Z' }), 400, 'invalid_payload'],
      [member.patch(policyPath, { preset: 'loud' }), 400, 'invalid_payload'],
      [owner.get(`${rulesPath}?limit=0`), 400, 'invalid_query'],
      [outsider.get(`${rulesPath}?cursor=x`), 400, 'invalid_query'],
    ];
    for (const [sent, status, error] of lines) {
      expect(await sent).toMatchObject({ status, body: { error } });
    }
    expect(listed(await owner.get(rulesPath))).toHaveLength(1);
  });

  it('a rule is found only in its own project', async () => {
    const { id } = await create();
    const other = await culprit.createProject({ plan: 'team' });
    const stranger = managementClient(culprit, other.memberToken);
    const path = `/v1/projects/${other.projectId}/capture-rules/${id}`;
    expect(await stranger.patch(path, { name: 'mine' })).toMatchObject({
      status: 404,
      body: { error: 'rule_not_found' },
    });
    expect(await stranger.delete(path)).toMatchObject({ status: 404, body: { error: 'rule_not_found' } });
    expect(listed(await owner.get(rulesPath))).toMatchObject([{ id, name: 'r' }]);
  });

  it('a plain member sees what a rule does, not who made it from what', async () => {
    await create({
      ...SAMPLE,
      description: 'why',
      created_from_incident_id: 'inc_1',
      created_from_event_id: 'evt_1',
    });
    const [whole] = listed(await admin.get(rulesPath));
    expect(whole).toMatchObject({
      created_by_user_id: project.userId,
      created_from_incident_id: 'inc_1',
      created_from_event_id: 'evt_1',
    });
    const answer = await member.get(rulesPath);
    expect(answer.body).toMatchObject({ access_mode: 'preview' });
    expect(listed(answer)).toEqual([
      {
        ...whole,
        created_by_user_id: null,
        created_from_incident_id: null,
        created_from_event_id: null,
      },
    ]);
  });

  it('authorship is the caller’s, whatever the body claims', async () => {
    const answer = await admin.post(rulesPath, { ...DROP, created_by_user_id: project.userId });
    expect(ruleIn(answer, 201).created_by_user_id).toBe(adminPerson.userId);
  });
});

describe('a capture policy', () => {
  it('changes nothing for an empty body, and nothing for what it already is', async () => {
    await owner.patch(policyPath, { capture_logs: 'info', immediate_client_error_statuses: [404] });
    const before = await version();
    const saved = await owner.get(policyPath);
    for (const body of [{}, { capture_logs: 'info' }, { immediate_client_error_statuses: [404, 404] }]) {
      expect(await owner.patch(policyPath, body)).toMatchObject({ status: 200, body: saved.body });
    }
    expect(await version()).toBe(before);
    expect(await audited()).toMatchObject([
      { action: 'capture_policy.updated', data: { fields: 'capture_logs immediate_client_error_statuses' } },
    ]);
  });

  it('keeps its overrides when the preset changes, and loses each with null', async () => {
    await owner.patch(policyPath, { capture_logs: 'off', capture_breadcrumbs: 'standalone' });
    const changed = await admin.patch(policyPath, { preset: 'minimal', capture_logs: null });
    expect(changed.body).toMatchObject({
      access_mode: 'manage',
      policy: { preset: 'minimal', capture_logs: 'error', capture_breadcrumbs: 'standalone' },
      overrides: { capture_logs: null, capture_breadcrumbs: 'standalone' },
    });
    expect((await owner.get(policyPath)).body).toEqual(changed.body);
  });

  it('completes path rules and keeps them as they are', async () => {
    const rules = [
      { status_code: 404, path_pattern: '/a*' },
      { status_code: 499, path_pattern: '/', methods: ['GET', 'GET', 'POST'] },
    ];
    const answer = await owner.patch(policyPath, { immediate_client_error_path_rules: rules });
    const complete = [
      { status_code: 404, path_pattern: '/a*', methods: [] },
      { status_code: 499, path_pattern: '/', methods: ['GET', 'POST'] },
    ];
    expect(answer.body).toMatchObject({
      policy: { immediate_client_error_path_rules: complete },
      overrides: { immediate_client_error_path_rules: complete },
    });
  });

  it.each<[string, object]>([
    ['thirteen statuses', { immediate_client_error_statuses: Array.from({ length: 13 }, (_, n) => 400 + n) }],
    ['a status that is no client error', { immediate_client_error_statuses: [399] }],
    ['a fraction', { immediate_client_error_statuses: [400.5] }],
    ['text for a status', { immediate_client_error_statuses: ['404'] }],
    [
      '26 path rules',
      {
        immediate_client_error_path_rules: Array.from({ length: 26 }, () => ({
          status_code: 404,
          path_pattern: '/a',
        })),
      },
    ],
    [
      'an unknown key in a path rule',
      { immediate_client_error_path_rules: [{ status_code: 404, path_pattern: '/a', x: 1 }] },
    ],
    [
      'a path of 257 characters',
      { immediate_client_error_path_rules: [{ status_code: 404, path_pattern: `/${'a'.repeat(256)}` }] },
    ],
    [
      'a pattern with two asterisks',
      { immediate_client_error_path_rules: [{ status_code: 404, path_pattern: '/a**' }] },
    ],
    ['a fragment', { immediate_client_error_path_rules: [{ status_code: 404, path_pattern: '/a#b' }] }],
    [
      'an unknown method',
      { immediate_client_error_path_rules: [{ status_code: 404, path_pattern: '/a', methods: ['get'] }] },
    ],
    ['an unknown word', { capture_logs: 'debug' }],
    ['a list for a body', []],
  ])('refuses %s', async (_name, body) => {
    expect(await owner.patch(policyPath, body)).toMatchObject({
      status: 400,
      body: { error: 'invalid_payload' },
    });
  });

  it('takes the most of everything', async () => {
    const body = {
      immediate_client_error_statuses: Array.from({ length: 12 }, (_, n) => 499 - n),
      immediate_client_error_path_rules: Array.from({ length: 25 }, () => ({
        status_code: 404,
        path_pattern: `/${'a'.repeat(254)}*`,
        methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'],
      })),
    };
    const answer = await owner.patch(policyPath, body);
    expect(answer).toMatchObject({
      status: 200,
      body: {
        policy: { immediate_client_error_statuses: body.immediate_client_error_statuses.toReversed() },
      },
    });
  });

  it('loses no control when several change it at once', async () => {
    const changes = [
      { capture_logs: 'off' },
      { capture_request_events: 'all' },
      { capture_breadcrumbs: 'standalone' },
      { capture_probe_events: 'buffer_only' },
      { immediate_client_error_statuses: [404] },
      { preset: 'minimal' },
    ];
    const answers = await Promise.all(changes.map((change) => owner.patch(policyPath, change)));
    expect(answers.map(({ status }) => status)).toEqual(changes.map(() => 200));
    const { body } = await owner.get(policyPath);
    expect(body).toMatchObject({ policy: Object.assign({}, ...changes) });
    expect(await version()).toBe(changes.length);
  });
});

describe('a new rule', () => {
  it('is listed first, and pages go on where the last one ended', async () => {
    const made: string[] = [];
    for (let n = 0; n < 5; n += 1) made.unshift((await create({ ...DROP, name: `r${n}` })).id);
    const seen: string[] = [];
    let cursor = '';
    do {
      const answer = await owner.get(`${rulesPath}?limit=2${cursor}`);
      seen.push(...listed(answer).map(({ id }) => id));
      const next = isJsonObject(answer.body) ? answer.body.next_cursor : null;
      cursor = typeof next === 'string' ? `&cursor=${encodeURIComponent(next)}` : '';
    } while (cursor !== '');
    expect(seen).toEqual(made);
  });

  it('keeps everything it was given', async () => {
    const matcher = {
      event_types: ['frontend_exception'],
      services: ['a'],
      environments: ['b'],
      runtime: 'browser',
      fingerprint: { version: 'v1', value: 'f'.repeat(256) },
      error_name: 'E',
      message_equals: 'm',
      message_contains: 'ü',
      browser_event_kind: 'resource_error',
      browser_event_opaque: false,
      resource_url: { host: 'A.example', host_suffix: '.example', path_equals: '/a', path_prefix: '/' },
      request_url: { path_prefix: '/' },
      status_codes: [100, 599],
      status_ranges: [{ start: 400, end: 400 }],
      first_party: true,
      client_kind: 'bot',
      bot_family: 'Googlebot',
    };
    const body = {
      name: 'n'.repeat(120),
      description: 'd'.repeat(500),
      enabled: false,
      action: 'sample',
      matcher,
      sample_rate: 0.25,
      sample_event_class: 'context',
      created_from_incident_id: 'i'.repeat(120),
      created_from_event_id: 'e'.repeat(120),
      expires_at: '2100-01-01T01:00:00+01:00',
    };
    const rule = await create(body);
    expect(rule).toMatchObject({ ...body, expires_at: '2100-01-01T00:00:00.000Z' });
    expect(rule.matcher).toEqual(matcher);
    expect(listed(await owner.get(rulesPath))).toEqual([rule]);
  });

  it.each<[string, object]>([
    ['an empty name', { name: '' }],
    ['a name of 121 characters', { name: 'n'.repeat(121) }],
    ['a description of 501 characters', { description: 'd'.repeat(501) }],
    ['a date alone', { expires_at: '2100-01-01' }],
    ['a rate beyond 1', { ...SAMPLE, sample_rate: 1.01 }],
    ['a rate as text', { ...SAMPLE, sample_rate: '0.5' }],
    ['a sample without class', { ...SAMPLE, sample_event_class: null }],
    ['an unknown class', { ...SAMPLE, sample_event_class: 'drop' }],
    ['a demotion with a rate', { action: 'demote', sample_rate: 0.5 }],
    ['an unknown runtime', { matcher: { runtime: 'nodejs' } }],
    ['an unknown type', { matcher: { services: ['a'], event_types: ['exception'] } }],
    ['an empty list', { matcher: { services: ['a'], status_codes: [] } }],
    ['an empty text', { matcher: { error_name: '' } }],
    ['a status beyond 599', { matcher: { status_codes: [600] } }],
    ['a range without end', { matcher: { status_ranges: [{ start: 400 }] } }],
    ['an unknown key of a URL matcher', { matcher: { request_url: { host: 'a', port: 80 } } }],
    [
      'an unknown key of a fingerprint',
      { matcher: { fingerprint: { version: 'v1', value: 'f', kind: 'x' } } },
    ],
    ['a fingerprint without version', { matcher: { fingerprint: { value: 'f' } } }],
    ['a resource without place', { matcher: { browser_event_kind: 'resource_error', services: ['a'] } }],
    ['NUL in a text', { matcher: { error_name: 'a\0b' } }],
    ['no matcher', { matcher: undefined }],
  ])('is refused with %s', async (_name, changes) => {
    const answer = await owner.post(rulesPath, { ...DROP, ...changes });
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_payload' } });
    expect(listed(await owner.get(rulesPath))).toEqual([]);
  });

  it('must end later than now, by the clock of the database', async () => {
    const nowMs = Date.parse('2026-03-24T10:30:00.000Z');
    await holdClock(culprit.database, nowMs);
    const endingAt = (timeMs: number) => ({ ...DROP, expires_at: new Date(timeMs).toISOString() });
    expect((await owner.post(rulesPath, endingAt(nowMs))).status).toBe(400);
    expect((await owner.post(rulesPath, endingAt(nowMs + 1))).status).toBe(201);
  });

  it('finds room for exactly 200 in a project, however many come at once', async () => {
    await fillWithRules(195);
    const answers = await Promise.all(Array.from({ length: 12 }, () => owner.post(rulesPath, DROP)));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array(5).fill(201), ...Array(7).fill(409)]);
    expect(answers.find(({ status }) => status === 409)?.body).toEqual({
      error: 'capture_rule_limit_reached',
    });
    const id = parseId(['proj'], project.projectId);
    expect(await countRows(culprit, 'capture_rules where project_id = $1', [id])).toBe(200);

    const [last] = listed(await owner.get(`${rulesPath}?limit=1`));
    const deletions = await Promise.all([1, 2, 3].map(() => owner.delete(`${rulesPath}/${last?.id}`)));
    expect(deletions.map(({ status }) => status).sort()).toEqual([200, 404, 404]);
    expect((await owner.post(rulesPath, DROP)).status).toBe(201);
    expect((await owner.post(rulesPath, DROP)).status).toBe(409);
  });

  it('and each change of it make a new version and leave a trace', async () => {
    const { id } = await create();
    await admin.patch(`${rulesPath}/${id}`, { name: 'x', enabled: false });
    await owner.patch(`${rulesPath}/${id}`, {});
    await owner.patch(`${rulesPath}/${id}`, { matcher: {} });
    await owner.delete(`${rulesPath}/${id}`);
    expect(await version()).toBe(3);
    expect(await audited()).toMatchObject([
      { action: 'capture_rule.created', actor_user_id: project.userId, data: { action: 'drop' } },
      { action: 'capture_rule.updated', actor_user_id: adminPerson.userId, data: { fields: 'name enabled' } },
      { action: 'capture_rule.deleted', actor_user_id: project.userId },
    ]);
  });
});

/** Rules up to a number, without one request for each. */
async function fillWithRules(count: number): Promise<void> {
  await culprit.database.query(
    {
      name: 'test-fill-rules',
      text: `
        with counted as (update projects set capture_rule_count = $2 where project_id = $1)
        insert into capture_rules (rule_id, project_id, name, is_enabled, action, matcher, created_at, updated_at)
        select gen_random_uuid(), $1, 'r', true, 'drop', '{"services":["none"]}', culprit_now(), culprit_now()
        from generate_series(1, $2::integer)`,
    },
    [parseId(['proj'], project.projectId), count],
  );
}

describe('a change of a rule', () => {
  it.each<[string, object, object, Partial<CaptureRule>]>([
    ['replaces named fields', DROP, { name: 'x' }, { name: 'x', action: 'drop' }],
    [
      'clears with null',
      { ...DROP, description: 'd', expires_at: '2100-01-01T00:00:00Z' },
      { description: null, expires_at: null },
      { description: null, expires_at: null },
    ],
    [
      'replaces the matcher as a whole',
      { ...DROP, matcher: { services: ['a'], error_name: 'E' } },
      { matcher: { error_name: 'F' } },
      { matcher: { error_name: 'F' } },
    ],
    [
      'makes a sample with both fields',
      DROP,
      { action: 'sample', sample_rate: 0, sample_event_class: 'context' },
      { action: 'sample', sample_rate: 0, sample_event_class: 'context' },
    ],
    ['clears the sample fields', SAMPLE, { action: 'drop' }, { sample_rate: null, sample_event_class: null }],
    [
      'clears the one that is not named',
      SAMPLE,
      { action: 'drop', sample_rate: null },
      { sample_rate: null, sample_event_class: null },
    ],
    [
      'changes one sample field',
      SAMPLE,
      { sample_rate: 1 },
      { sample_rate: 1, sample_event_class: 'preserve' },
    ],
    [
      'may end the rule',
      DROP,
      { expires_at: '2020-01-01T00:00:00Z' },
      { expires_at: '2020-01-01T00:00:00.000Z' },
    ],
  ])('%s', async (_name, body, patch, expected) => {
    const before = await create(body);
    const after = ruleIn(await owner.patch(`${rulesPath}/${before.id}`, patch), 200);
    expect(after).toMatchObject(expected);
    expect(after.matcher).toEqual(expected.matcher ?? before.matcher);
    expect(after.updated_at > before.updated_at).toBe(true);
    expect(after.created_at).toBe(before.created_at);
    expect(listed(await owner.get(rulesPath))).toEqual([after]);
  });

  it.each<[string, object, object]>([
    ['a sample field on another action', DROP, { sample_rate: 0.5 }],
    ['one of two sample fields', DROP, { action: 'sample', sample_rate: 0.5 }],
    ['a sample without its rate', SAMPLE, { sample_rate: null }],
    ['a sample field that stays', SAMPLE, { action: 'drop', sample_rate: 0.5 }],
    ['a matcher that narrows nothing', DROP, { matcher: { event_types: ['log_event'] } }],
    ['null for the name', DROP, { name: null }],
    ['null for the matcher', DROP, { matcher: null }],
    ['null for enabled', DROP, { enabled: null }],
    ['a field that cannot be changed', DROP, { created_by_user_id: 'x' }],
    ['the counter', DROP, { hit_count: 0 }],
  ])('is refused with %s and changes nothing', async (_name, body, patch) => {
    const before = await create(body);
    expect(await owner.patch(`${rulesPath}/${before.id}`, patch)).toMatchObject({
      status: 400,
      body: { error: 'invalid_payload' },
    });
    expect(listed(await owner.get(rulesPath))).toEqual([before]);
    expect(await version()).toBe(1);
  });

  it('of nothing is none', async () => {
    const before = await create();
    expect(ruleIn(await owner.patch(`${rulesPath}/${before.id}`, {}), 200)).toEqual(before);
  });

  it('is always the latest of the project, also within one moment', async () => {
    await holdClock(culprit.database, Date.parse('2026-03-24T10:30:00.000Z'));
    const first = await create();
    const second = await create();
    const again = ruleIn(await owner.patch(`${rulesPath}/${first.id}`, { enabled: true }), 200);
    expect(first.updated_at < second.updated_at).toBe(true);
    expect(second.updated_at < again.updated_at).toBe(true);
  });

  it('loses none of several that come at once', async () => {
    const { id } = await create();
    const patches = [
      { name: 'x' },
      { description: 'd' },
      { enabled: false },
      { matcher: { error_name: 'E' } },
    ];
    await Promise.all(patches.map((patch) => owner.patch(`${rulesPath}/${id}`, patch)));
    expect(listed(await owner.get(rulesPath))).toMatchObject([Object.assign({}, ...patches)]);
  });
});
