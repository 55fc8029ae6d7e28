import type { CaptureRule } from '@culprit/contract/capture/capture';
import { isJsonObject } from '@culprit/evidence/events/envelope/json';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parseId } from '../../src/platform/ids.ts';
import { type Collaborator, createCollaborator } from '../support/collaborators.ts';
import { countRows } from '../support/count-rows.ts';
import { HOSTED, startCulprit, type TestCulprit, type TestProject } from '../support/culprit.ts';
import { type ManagementClient, managementClient } from '../support/management-client.ts';
import { holdClock, moveClock } from '../support/move-clock.ts';
import { audited, DROP, listed, ruleIn, SAMPLE, version } from './capture-answers.ts';

/** Capture rules over HTTP (docs/contract/ingestion.md 5.4), beside the acceptance checklist. */

let culprit: TestCulprit;
let project: TestProject;
let owner: ManagementClient;
let admin: ManagementClient;
let adminPerson: Collaborator;
let rulesPath: string;

beforeAll(async () => {
  culprit = await startCulprit({ plans: HOSTED, hasWorker: false });
});
afterAll(() => culprit.stop());
beforeEach(async () => {
  await moveClock(culprit.database, 0);
  project = await culprit.createProject({ plan: 'team' });
  owner = managementClient(culprit, project.memberToken);
  adminPerson = await createCollaborator(culprit, project, 'admin');
  admin = managementClient(culprit, adminPerson.memberToken);
  rulesPath = `/v1/projects/${project.projectId}/capture-rules`;
});

async function create(body: object = DROP): Promise<CaptureRule> {
  return ruleIn(await owner.post(rulesPath, body), 201);
}

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
      runtime: ['browser', 'unknown'],
      fingerprint: { version: 'v2', value: 'f'.repeat(256) },
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

  it('takes one runtime as a list of it', async () => {
    const runtime = ['python'];
    const created = await create({ name: 'r', action: 'drop', matcher: { runtime: 'python' } });
    expect(created.matcher).toEqual({ runtime });
    const path = `${rulesPath}/${created.id}`;
    const changed = await owner.patch(path, { matcher: { runtime: 'go', services: ['a'] } });
    expect(changed).toMatchObject({
      status: 200,
      body: { rule: { matcher: { runtime: ['go'], services: ['a'] } } },
    });
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
    ['an unknown runtime in a list', { matcher: { runtime: ['node', 'nodejs'] } }],
    ['no runtime', { matcher: { runtime: [] } }],
    ['an unknown type', { matcher: { services: ['a'], event_types: ['exception'] } }],
    ['an empty list', { matcher: { services: ['a'], status_codes: [] } }],
    ['an empty text', { matcher: { error_name: '' } }],
    ['a status beyond 599', { matcher: { status_codes: [600] } }],
    ['a range without end', { matcher: { status_ranges: [{ start: 400 }] } }],
    ['an unknown key of a URL matcher', { matcher: { request_url: { host: 'a', port: 80 } } }],
    [
      'an unknown key of a fingerprint',
      { matcher: { fingerprint: { version: 'v2', value: 'f', kind: 'x' } } },
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
    expect(await version(culprit, project)).toBe(3);
    expect(await audited(culprit, project)).toMatchObject([
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
    expect(await version(culprit, project)).toBe(1);
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
