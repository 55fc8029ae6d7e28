import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { newUuid } from '../../src/platform/ids.ts';
import { PROJECTS_MAX } from '../../src/workspace/projects/add-project.ts';
import { addMember, createCollaborator } from '../support/collaborators.ts';
import { countRows } from '../support/count-rows.ts';
import { HOSTED, SELF_HOSTED, startCulprit, type TestCulprit, type TestProject } from '../support/culprit.ts';
import { expectProblem } from '../support/expect-problem.ts';
import { clientOf } from '../support/incident-client.ts';
import { type ManagementClient, managementClient } from '../support/management-client.ts';
import { moveClock } from '../support/move-clock.ts';
import { pageOf, readPages } from '../support/read-pages.ts';
import { named } from './incidents-fixtures.ts';

/** docs/contract/incidents.md 7.2 to 7.4. */

let culprit: TestCulprit;
beforeAll(async () => {
  culprit = await startCulprit();
});
afterAll(() => culprit.stop());
afterEach(() => moveClock(culprit.database, 0));

async function newOwner(): Promise<{ project: TestProject; owner: ManagementClient }> {
  const project = await culprit.createProject();
  return { project, owner: managementClient(culprit, project.memberToken) };
}

async function collaborator(project: TestProject, role: 'admin' | 'member'): Promise<ManagementClient> {
  return managementClient(culprit, (await createCollaborator(culprit, project, role)).memberToken);
}

const NO_METRICS = {
  open_incidents: 0,
  regressed_incidents: 0,
  attention_incidents_today: 0,
  opened_incidents_today: 0,
  opened_incidents_month: 0,
  monthly_bundle_requests: 0,
  monthly_raw_ingested_events: 0,
  retained_bundles: 0,
  monthly_alert_deliveries: 0,
};

describe('creating a project', () => {
  //
  it('gives the record of an owned, private project with its counts', async () => {
    const { project, owner } = await newOwner();
    const answer = await owner.post('/v1/projects', { name: 'Backend API', slug: 'backend-api' });
    const own = await owner.readProject(project.projectId);
    expect([answer.status, answer.body]).toEqual([
      201,
      {
        project: {
          project_id: expect.stringMatching(/^proj_[0-9a-f-]{36}$/),
          organization_id: own.organization_id,
          owner_user_id: project.userId,
          owner_email: own.owner_email,
          relationship: 'owned',
          sharing_state: 'private',
          effective_role: 'owner',
          shared_access_suspended: false,
          name: 'Backend API',
          slug: 'backend-api',
          incident_key: expect.stringMatching(/^BACKEND\w*$/),
          environment_default: 'production',
          stack_rules: [],
          learns_slots: true,
          shows_source: true,
          resolves_after_days: null,
          heartbeats_from_clients: true,
          repositories: [],
          organization_plan: 'team',
          metrics: NO_METRICS,
          created_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
          updated_at: expect.any(String),
        },
      },
    ]);
    expectProblem(
      await owner.post('/v1/projects', { name: 'x', slug: 'backend-api' }),
      409,
      'project_slug_taken',
    );
  });

  it.each([
    ['Caf\u00e9 No. 1', 'cafe-no-1'],
    ['  Ünïcode -- & Co.  ', 'unicode-co'],
    ['日本', 'project'],
    ['x'.repeat(100), 'x'.repeat(80)],
    [`${'x'.repeat(79)} y`, 'x'.repeat(79)],
  ])('A-53 the name %j alone gives the slug %j', async (name, slug) => {
    const { owner } = await newOwner();
    expect(await owner.createProject({ name })).toMatchObject({ name: name.trim(), slug });
  });

  it('a name used again gets a numbered slug, also when many come at once', async () => {
    const { owner } = await newOwner();
    const made = await Promise.all(Array.from({ length: 6 }, () => owner.createProject({ name: 'Same' })));
    expect(made.map(({ slug }) => slug).sort()).toEqual([
      'same',
      'same-2',
      'same-3',
      'same-4',
      'same-5',
      'same-6',
    ]);
  });

  it('one of several that give the same slug at once gets it', async () => {
    const { owner } = await newOwner();
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => owner.post('/v1/projects', { name: 'x', slug: 'mine' })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
  });

  it.each([
    { name: 'x', slug: 'Bad_Slug' },
    { name: 'x', slug: '-x' },
    { name: 'x', slug: 'x--y' },
    { name: 'x', slug: '' },
    { name: 'x', slug: 'x'.repeat(81) },
    { name: 'x', color: 'red' },
    {},
    { name: '' },
    { name: ' \t' },
    { name: 'x'.repeat(121) },
    { name: 7 },
    { name: null },
    { name: 'x', environment_default: '' },
    { name: 'x', environment_default: 'x'.repeat(51) },
    { name: 'x', weekly_report_timezone: 'Mars/Olympus' },
    { name: 'x', weekly_report_timezone: '+01:00' },
    { name: 'x', color_tag: 7 },
    [],
    'x',
  ])('A-53 the body %j is refused', async (body) => {
    const { owner } = await newOwner();
    expectProblem(await owner.post('/v1/projects', body), 400, 'invalid_payload');
  });

  it('takes time zone, environment and color tag, and shows what belongs to the record', async () => {
    const { owner } = await newOwner();
    const answer = await owner.post('/v1/projects', {
      name: ' Shop ',
      environment_default: ' staging ',
      weekly_report_timezone: 'Europe/Berlin',
      color_tag: 'teal',
    });
    expect(answer).toMatchObject({
      status: 201,
      body: { project: { name: 'Shop', environment_default: 'staging' } },
    });
    expect(JSON.stringify(answer.body)).not.toMatch(/teal|Berlin/);
    expect(
      await countRows(culprit, `projects where name = 'Shop' and weekly_report_timezone = 'Europe/Berlin'`),
    ).toBe(1);
  });

  it('keeps the repositories of its services, and refuses addresses that lead nowhere safe', async () => {
    const { owner } = await newOwner();
    const { project_id: id } = await owner.createProject();
    const change = (repositories: unknown) => owner.patch(`/v1/projects/${id}`, { repositories });
    const [github, other] = [
      { kind: 'github', url: 'https://github.com/acme/shop' },
      { kind: 'template', url: 'https://git.example/{path}?at={commit}', service: 'pay*', folder: 'a/b' },
    ];
    const kept = [
      { ...github, service: null, strip_prefix: null, folder: null },
      { ...other, strip_prefix: null },
    ];
    expect(await change([github, other])).toMatchObject({
      status: 200,
      body: { project: { repositories: kept } },
    });
    for (const wrong of [
      { ...github, url: 'http://github.com/acme/shop' },
      { ...github, url: 'javascript:alert(1)' },
      { ...github, kind: 'svn' },
      { ...other, url: 'https://{path}.example/{commit}' },
      { ...github, folder: '../x' },
      { ...github, token: 'x' },
    ]) {
      expectProblem(await change([wrong]), 400, 'invalid_payload');
    }
    expectProblem(await change(Array(21).fill(github)), 400, 'invalid_payload');
    expect(await owner.get(`/v1/projects/${id}`)).toMatchObject({
      body: { project: { repositories: kept } },
    });
    expect(await change([])).toMatchObject({ body: { project: { repositories: [] } } });
  });

  it("somebody who came by invite gets an organization of their own, and keeps the other's project", async () => {
    const { project } = await newOwner();
    const person = await createCollaborator(culprit, project, 'member');
    const client = managementClient(culprit, person.memberToken);
    const own = await Promise.all([client.createProject(), client.createProject()]);
    const [shared] = pageOf(await client.get('/v1/projects?limit=100'), 'projects').items.filter(
      ({ relationship }) => relationship === 'shared',
    );
    expect(own[0].organization_id).toBe(own[1].organization_id);
    expect(own[0].organization_id).not.toBe(shared?.organization_id);
    expect(own[0]).toMatchObject({ owner_user_id: person.userId, owner_email: person.email });
    expect(shared).toMatchObject({ project_id: project.projectId, sharing_state: 'shared_with_you' });
  });

  it('an organization holds 1,000 projects and no more', async () => {
    const { project, owner } = await newOwner();
    const { organization_id } = await owner.readProject(project.projectId);
    await culprit.database.query(
      {
        name: 'test-many-projects',
        text: `insert into projects (project_id, organization_id, name, slug, capture_preset, user_key)
          select gen_random_uuid(), $1, 'x', 'many-' || n, 'balanced', '' from generate_series(1, $2) n`,
      },
      [organization_id, PROJECTS_MAX - 2],
    );
    const answers = await Promise.all(
      Array.from({ length: 3 }, () => owner.post('/v1/projects', { name: 'x' })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    expect(answers.filter(({ status }) => status === 409).map(({ body }) => body)).toEqual(
      Array.from({ length: 2 }, () => ({ error: 'resource_limit_reached' })),
    );
  });

  it('leaves a row that tells who did it', async () => {
    const { project, owner } = await newOwner();
    const { project_id } = await owner.createProject();
    await owner.patch(`/v1/projects/${project_id}`, { name: 'y', slug: 'y' });
    await owner.delete(`/v1/projects/${project_id}`);
    const rows = await culprit.database.query(
      {
        name: 'test-audit-project',
        text: 'select action, actor_user_id, data from audit_log where project_id = $1 order by audit_id',
      },
      [project_id.replace('proj_', '')],
    );
    expect(rows).toEqual([
      { action: 'project.created', actor_user_id: project.userId, data: {} },
      { action: 'project.updated', actor_user_id: project.userId, data: { fields: 'name slug' } },
      { action: 'project.deleted', actor_user_id: project.userId, data: {} },
    ]);
  });
});

describe('reading projects', () => {
  it('a project is read by everybody in it, with their own place, and by nobody else', async () => {
    const { project, owner } = await newOwner();
    for (const role of ['admin', 'member'] as const) {
      const client = await collaborator(project, role);
      expect(await client.readProject(project.projectId.replace('proj_', ''))).toMatchObject({
        project_id: project.projectId,
        relationship: 'shared',
        sharing_state: 'shared_with_you',
        effective_role: role,
        owner_user_id: project.userId,
        shared_access_suspended: false,
      });
    }
    expect(await owner.readProject(project.projectId)).toMatchObject({
      relationship: 'owned',
      sharing_state: 'shared_by_you',
      effective_role: 'owner',
    });
    const { owner: stranger } = await newOwner();
    for (const id of [project.projectId, newUuid(), `proj_${newUuid()}`, 'x', `tok_${newUuid()}`]) {
      expectProblem(await stranger.get(`/v1/projects/${id}`), 404, 'project_not_found');
    }
    expectProblem(await stranger.get('/v1/projects/a.b'), 400, 'invalid_project_id');
    expectProblem(await owner.get(`/v1/projects/${project.projectId}?x=1`), 400, 'invalid_query');
  });

  it('the list holds own and shared projects, newest first, and is paged to the end', async () => {
    const { project, owner } = await newOwner();
    const { project: other } = await newOwner();
    for (let i = 0; i < 4; i += 1) await owner.createProject();
    await addMember(culprit, other, project.userId, 'member');
    const whole = pageOf(await owner.get('/v1/projects?limit=100'), 'projects').items;
    expect(whole).toHaveLength(6);
    const order = whole.map(({ created_at, project_id }) => `${created_at} ${project_id}`);
    expect(order).toEqual([...order].sort().reverse());
    expect(await readPages(owner, '/v1/projects', 'projects', 4)).toEqual(whole);
  });

  it.each(['limit=0', 'limit=101', 'limit=x', 'cursor=x', 'project_id=x'])(
    'the list refuses the query %s',
    async (query) => {
      const { owner } = await newOwner();
      expectProblem(await owner.get(`/v1/projects?${query}`), 400, 'invalid_query');
    },
  );

  it('counts tell what happened today, this month and in all', async () => {
    const { project, owner } = await newOwner();
    const client = clientOf(culprit, project);
    // The middle of a month, so that the days before are of the same one and the month before is not.
    const now = new Date();
    const middle = Date.UTC(now.getUTCFullYear() + 1, now.getUTCMonth(), 15, 12);
    await moveClock(culprit.database, middle - Date.now());
    const at = (ms: number) => ({ timestamp: new Date(middle + ms).toISOString() });
    const day = 86_400_000;
    await client.send(named('Today', at(0)), named('Yesterday', at(-day)), named('LastMonth', at(-20 * day)));
    await client.processed();
    const incidents = await client.counted(1, 1, 1);
    for (const { incident_id } of incidents) await client.bundle(incident_id);
    expect((await owner.readProject(project.projectId)).metrics).toEqual({
      ...NO_METRICS,
      open_incidents: 3,
      opened_incidents_today: 1,
      opened_incidents_month: 2,
      attention_incidents_today: 1,
      monthly_bundle_requests: 3,
      monthly_raw_ingested_events: 3,
      retained_bundles: 3,
    });
    const yesterday = incidents.find(({ title }) => title.startsWith('Yesterday'));
    await client.resolve(yesterday?.incident_id ?? '');
    expect((await owner.readProject(project.projectId)).metrics).toMatchObject({
      open_incidents: 2,
      regressed_incidents: 0,
    });
    await client.send(named('Yesterday', at(0)));
    await client.counted(1, 1, 2);
    const listed = pageOf(await owner.get('/v1/projects'), 'projects').items;
    expect(listed).toEqual([
      expect.objectContaining({
        metrics: {
          ...NO_METRICS,
          open_incidents: 2,
          regressed_incidents: 1,
          opened_incidents_today: 1,
          opened_incidents_month: 2,
          attention_incidents_today: 2,
          monthly_bundle_requests: 3,
          monthly_raw_ingested_events: 4,
          retained_bundles: 3,
        },
      }),
    ]);
    await moveClock(culprit.database, middle - Date.now() + 31 * day);
    expect((await owner.readProject(project.projectId)).metrics).toEqual({
      ...NO_METRICS,
      open_incidents: 2,
      regressed_incidents: 1,
      retained_bundles: 3,
    });
  });
});

describe('the capture policy of a new project', () => {
  it.each([
    ['free', HOSTED, 'minimal'],
    ['solo', HOSTED, 'balanced'],
    ['team', HOSTED, 'balanced'],
    ['team', SELF_HOSTED, 'balanced'],
    ['free', SELF_HOSTED, 'balanced'],
  ] as const)('on %s begins with the preset of the plan', async (plan, plans, preset) => {
    const place = await startCulprit({ plans, hasWorker: false });
    try {
      const owner = managementClient(place, (await place.createProject({ plan })).memberToken);
      const { project_id } = await owner.createProject();
      expect(await owner.get(`/v1/projects/${project_id}/capture-policy`)).toMatchObject({
        status: 200,
        body: { access_mode: 'manage', policy: { preset } },
      });
    } finally {
      await place.stop();
    }
  });
});
