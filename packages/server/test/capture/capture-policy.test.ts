import type { CaptureRule } from '@culprit/contract/capture/capture';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Collaborator, createCollaborator } from '../support/collaborators.ts';
import { HOSTED, startCulprit, type TestCulprit, type TestProject } from '../support/culprit.ts';
import { type ManagementClient, managementClient } from '../support/management-client.ts';
import { moveClock } from '../support/move-clock.ts';
import type { Answer } from '../support/send-events.ts';
import { audited, DROP, listed, ruleIn, SAMPLE, version } from './capture-answers.ts';

/** Who may do what, and the policy, over HTTP (docs/contract/ingestion.md 4.5, 4.6), beside the acceptance checklist. */

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

async function create(body: object = DROP): Promise<CaptureRule> {
  return ruleIn(await owner.post(rulesPath, body), 201);
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
    const before = await version(culprit, project);
    const saved = await owner.get(policyPath);
    for (const body of [{}, { capture_logs: 'info' }, { immediate_client_error_statuses: [404, 404] }]) {
      expect(await owner.patch(policyPath, body)).toMatchObject({ status: 200, body: saved.body });
    }
    expect(await version(culprit, project)).toBe(before);
    expect(await audited(culprit, project)).toMatchObject([
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
    expect(await version(culprit, project)).toBe(changes.length);
  });
});
