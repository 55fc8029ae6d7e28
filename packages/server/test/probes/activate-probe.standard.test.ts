import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { newUuid, parseId } from '../../src/platform/ids.ts';
import { countRows } from '../support/count-rows.ts';
import { HOSTED, startCulprit, type TestCulprit, type TestProject } from '../support/culprit.ts';
import { holdClock, moveClock } from '../support/move-clock.ts';
import { type RoleProcess, startApiProcess } from '../support/role-process.ts';
import { type Answer, sendRequest } from '../support/send-events.ts';
import { activationsTaken, pageOf, statuses, type Timed, takeActivations, timed } from './activations.ts';
import { activationIn, type ProbeClient, probeClient } from './probe-client.ts';

/** docs/contract/ingestion.md 6.1 and 6.2. */

let culprit: TestCulprit;
let second: RoleProcess;

beforeAll(async () => {
  culprit = await startCulprit({ plans: HOSTED, hasWorker: false });
  second = await startApiProcess(culprit, { plans: HOSTED });
});
afterAll(async () => {
  await second.kill();
  await culprit.stop();
});
afterEach(() => moveClock(culprit.database, 0));

async function client(plan: 'free' | 'solo' | 'team' = 'team'): Promise<ProbeClient> {
  return probeClient(culprit, await culprit.createProject({ plan }));
}

async function addMember(project: TestProject, role: 'admin' | 'member'): Promise<string> {
  const person = await culprit.createProject();
  await culprit.database.query(
    {
      name: 'test-add-member',
      text: 'insert into project_members (project_id, user_id, role) values ($1, $2, $3)',
    },
    [parseId(['proj'], project.projectId) ?? '', person.userId, role],
  );
  return person.memberToken;
}

describe('an activation', () => {
  it('is for everything and an hour unless told otherwise', async () => {
    const { activate } = await client();
    await holdClock(culprit.database, Date.UTC(2031, 4, 5, 6, 7, 8, 999));
    const answer = await activate();
    expect(answer).toMatchObject({
      status: 201,
      body: {
        activation: {
          label_pattern: 'auth.*',
          service: '*',
          environment: '*',
          created_at: '2031-05-05T06:07:08Z',
          expires_at: '2031-05-05T07:07:08Z',
          trigger_expires_at: '2031-05-05T07:07:08Z',
        },
      },
    });
  });

  it('lets its trigger live as long as itself, unless told otherwise', async () => {
    const { activate } = await client();
    const span = ({ activation: { created_at, trigger_expires_at } }: Timed) =>
      Date.parse(trigger_expires_at) - Date.parse(created_at);
    expect(span(timed(await activate({ ttl_seconds: 60 })))).toBe(60_000);
    expect(span(timed(await activate({ ttl_seconds: 3600, trigger_ttl_seconds: 60 })))).toBe(60_000);
    expect(span(timed(await activate({ trigger_ttl_seconds: 86_400 })))).toBe(86_400_000);
  });

  it('names who made it, and hands over tokens for exactly this probe', async () => {
    const { activate, project, config } = await client();
    const answer = await activate({ service: 'web', environment: 'staging' });
    const activation = activationIn(answer);
    const [person] = await culprit.database.query<{ email: string }>(
      { name: 'test-email', text: 'select email from users where user_id = $1' },
      [project.userId],
    );
    expect(activation.activated_by).toBe(person?.email);
    const token = String(Reflect.get(Object(answer.body), 'trigger_token'));
    expect(JSON.parse(Buffer.from(token.slice(10).split('.')[0] ?? '', 'base64url').toString())).toEqual({
      activation_id: String(activation.activation_id).slice(4),
      label_pattern: 'auth.*',
      service: 'web',
      environment: 'staging',
      trigger_expires_at: activation.trigger_expires_at,
    });
    expect((await config()).body).toMatchObject({
      trigger_token_key: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  it.each([
    ['every label', { label_pattern: '*' }],
    ['one label', { label_pattern: 'auth' }],
    ['a dot and no asterisk', { label_pattern: 'auth.' }],
    ['signs that are wildcards nowhere', { label_pattern: 'cart(0)]{x}+.*' }],
    ['a longest pattern', { label_pattern: `${'ü'.repeat(198)}.*` }],
    ['a rate', { sample_rate: 0.25 }],
    ['the shortest lives', { ttl_seconds: 60, trigger_ttl_seconds: 60 }],
    ['the longest lives', { ttl_seconds: 3600, trigger_ttl_seconds: 86_400 }],
    ['longest scopes', { service: 'ü'.repeat(200), environment: 'e'.repeat(200) }],
  ])('may have %s', async (_name, body) => {
    expect((await (await client()).activate(body)).status).toBe(201);
  });

  it.each([
    ['no pattern', { label_pattern: null }],
    ['an empty pattern', { label_pattern: '' }],
    ['a pattern too long', { label_pattern: 'a'.repeat(201) }],
    ['nothing before the dot', { label_pattern: '.*' }],
    ['a set of letters', { label_pattern: 'auth.[ab].*' }],
    ['an empty service', { service: '' }],
    ['a service too long', { service: 'a'.repeat(201) }],
    ['a service that is null', { service: null }],
    ['an empty environment', { environment: '' }],
    ['a life too short', { ttl_seconds: 59 }],
    ['a life too long', { ttl_seconds: 3601 }],
    ['half a second', { ttl_seconds: 60.5 }],
    ['a life in words', { ttl_seconds: '300' }],
    ['a trigger too short', { trigger_ttl_seconds: 59 }],
    ['a trigger too long', { trigger_ttl_seconds: 86_401 }],
    ['a rate below 0', { sample_rate: -0.1 }],
    ['a rate above 1', { sample_rate: 1.1 }],
    ['NUL in a text', { service: 'a\0' }],
    ['an unknown field', { project_id: 'x' }],
  ])('with %s is refused and takes no allowance', async (_name, body) => {
    const { activate, project } = await client();
    expect(await activate(body)).toMatchObject({ status: 400, body: { error: 'invalid_payload' } });
    expect(await activationsTaken(culprit, project)).toBe(0);
  });

  it.each([
    ['größe[0]', '"[" is not a wildcard and cannot be part of a pattern'],
    ['[a-z].*', '"[" is not a wildcard and cannot be part of a pattern'],
    ['.*', 'nothing precedes ".*"'],
  ])('says why %s is refused', async (pattern, reason) => {
    const answer = await (await client()).activate({ label_pattern: pattern });
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_payload' } });
    expect(answer.headers.get('x-service-problem')).toBe(
      `/label_pattern: ${reason}; use a label in which "*" is any text and "?" one character`,
    );
  });

  it.each([
    ['*', false],
    ['auth.*', false],
    ['auth.login', false],
    ['db_*', true],
    ['*.login', true],
    ['auth.logi?', true],
    ['a.*.*', true],
    ['**', true],
  ])(
    'with the pattern %s is accepted, and says whether published libraries receive it',
    async (pattern, isOwn) => {
      const answer = await (await client()).activate({ label_pattern: pattern });
      expect(answer.status).toBe(201);
      expect(answer.headers.has('x-service-notice')).toBe(isOwn);
    },
  );

  it('is written into the audit log, as is its end', async () => {
    const { activated, deactivate, project } = await client();
    const activationId = await activated();
    await deactivate(activationId);
    await deactivate(activationId);
    const rows = await culprit.database.query(
      {
        name: 'test-probe-audit',
        text: `select action, actor_user_id, subject, address_class from audit_log
          where project_id = $1 and action like 'probe.%' order by audit_id`,
      },
      [parseId(['proj'], project.projectId) ?? ''],
    );
    const row = {
      actor_user_id: project.userId,
      subject: `probe:${activationId}`,
      address_class: 'loopback_ipv4',
    };
    expect(rows).toEqual([
      { action: 'probe.activated', ...row },
      { action: 'probe.deactivated', ...row },
    ]);
  });
});

describe('five at a time', () => {
  it('holds for calls at the same moment on two processes, and the others take no allowance', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { activate, listed, project } = await client();
      const answers = await Promise.all(
        Array.from({ length: 12 }, (_, index) =>
          activate({}, { url: index % 2 === 0 ? culprit.url : second.report }),
        ),
      );
      expect(statuses(answers)).toEqual({ 201: 5, 409: 7 });
      expect(answers.find(({ status }) => status === 409)?.body).toEqual({ error: 'probe_limit_reached' });
      expect(await listed()).toHaveLength(5);
      expect(await activationsTaken(culprit, project)).toBe(5);
    }
  });

  it('counts per project', async () => {
    const { activated } = await client();
    const other = await client();
    for (let i = 0; i < 5; i += 1) await activated();
    expect((await other.activate()).status).toBe(201);
  });

  it('has room again when one is switched off or has expired', async () => {
    const { activate, activated, deactivate } = await client();
    const first = await activated({ ttl_seconds: 60 });
    await activated({ ttl_seconds: 60 });
    for (let i = 0; i < 3; i += 1) await activated();
    expect((await activate()).status).toBe(409);
    await deactivate(first);
    expect((await activate()).status).toBe(201);
    expect((await activate()).status).toBe(409);
    await moveClock(culprit.database, 61_000);
    expect((await activate()).status).toBe(201);
    expect((await activate()).status).toBe(409);
  });
});

describe('the allowance of a month', () => {
  it('is exact when several projects of the organization want the rest of it at once', async () => {
    const email = `owner-${newUuid()}@example.test`;
    const projects = await Promise.all(
      ['a', 'b', 'c'].map((name) => culprit.createProject({ plan: 'solo', email, name })),
    );
    const [first] = projects;
    if (first === undefined) throw new Error('no project');
    await takeActivations(culprit, first, 75 - 7);
    const answers = await Promise.all(
      projects.flatMap((project) =>
        Array.from({ length: 4 }, (_, index) =>
          probeClient(culprit, project).activate({}, { url: index % 2 === 0 ? culprit.url : second.report }),
        ),
      ),
    );
    expect(statuses(answers)).toEqual({ 201: 7, 429: 5 });
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.body).toEqual({ error: 'monthly_quota_exceeded' });
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(await activationsTaken(culprit, first)).toBe(75);
  });

  it('comes after the limit of active ones', async () => {
    const { activate, activated, project } = await client('solo');
    for (let i = 0; i < 5; i += 1) await activated();
    await takeActivations(culprit, project, 70);
    expect(await activate()).toMatchObject({ status: 409, body: { error: 'probe_limit_reached' } });
  });
});

describe('the list', () => {
  it('shows active probes newest first, page by page', async () => {
    const { activated, deactivate, list, listed } = await client();
    const made: string[] = [];
    const startMs = Date.UTC(2031, 0, 1);
    for (let i = 0; i < 5; i += 1) {
      await holdClock(culprit.database, startMs + i * 10);
      made.unshift(await activated(i === 4 ? { ttl_seconds: 60 } : {}));
    }
    expect(await listed()).toEqual(made);

    const pages: string[] = [];
    let cursor: string | null = null;
    do {
      const query: string = cursor === null ? '?limit=2' : `?limit=2&cursor=${encodeURIComponent(cursor)}`;
      const page = pageOf(await list(query));
      expect(page.ids.length).toBeLessThanOrEqual(2);
      pages.push(...page.ids);
      cursor = page.nextCursor;
    } while (cursor !== null);
    expect(pages).toEqual(made);

    await deactivate(made[1] ?? '');
    await holdClock(culprit.database, startMs + 40 + 60_000);
    expect(await listed()).toEqual([made[2], made[3], made[4]]);
  });

  it.each(['?limit=0', '?limit=101', '?cursor=x', '?cursor=2031-01-01T00:00:00.000Z%7Cx', '?active=true'])(
    'refuses %s',
    async (query) => {
      const { list } = await client();
      expect(await list(query)).toMatchObject({ status: 400, body: { error: 'invalid_query' } });
    },
  );
});

describe('switching off', () => {
  it('takes both forms of the id, once', async () => {
    const { activated, deactivate } = await client();
    const [first, other] = [await activated(), await activated()];
    await holdClock(culprit.database, Date.now() + 1000);
    expect(await deactivate(first)).toMatchObject({
      status: 200,
      body: {
        deactivated: {
          activation_id: first,
          deactivated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
        },
      },
    });
    expect(await deactivate(other.slice(4))).toMatchObject({
      status: 200,
      body: { deactivated: { activation_id: other } },
    });
    expect(await deactivate(first)).toMatchObject(NOT_FOUND);
  });

  it('is done by one of many who try at once', async () => {
    const { activated, deactivate } = await client();
    const activationId = await activated();
    const answers = await Promise.all(Array.from({ length: 8 }, () => deactivate(activationId)));
    expect(statuses(answers)).toEqual({ 200: 1, 404: 7 });
  });

  it('finds nothing unknown, expired or of another project', async () => {
    const { activated, deactivate } = await client();
    const foreign = await (await client()).activated();
    const activationId = await activated({ ttl_seconds: 60 });
    for (const id of [`act_${newUuid()}`, newUuid(), 'x', `tok_${activationId.slice(4)}`, foreign]) {
      expect(await deactivate(id)).toMatchObject(NOT_FOUND);
    }
    await moveClock(culprit.database, 61_000);
    expect(await deactivate(activationId)).toMatchObject(NOT_FOUND);
  });

  it.each([{}, { activation_id: '' }, { activation_id: 'a b' }, { activation_id: 'a', reason: 'x' }])(
    'refuses the body %j',
    async (body) => {
      const { project } = await client();
      const answer = await sendRequest(`${culprit.url}/v1/projects/${project.projectId}/probes/deactivate`, {
        token: project.memberToken,
        body: JSON.stringify(body),
      });
      expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_payload' } });
    },
  );
});

const NOT_FOUND = { status: 404, body: { error: 'activation_not_found' } };

describe('who may use probes', () => {
  const CALLS: readonly [method: string, path: string, body?: object][] = [
    ['POST', 'probes/activate', { label_pattern: 'a' }],
    ['GET', 'probes'],
    ['POST', 'probes/deactivate', { activation_id: `act_${newUuid()}` }],
  ];

  async function call(
    [method, path, body]: (typeof CALLS)[number],
    projectId: string,
    token: string | null,
  ): Promise<Answer> {
    return await sendRequest(`${culprit.url}/v1/projects/${projectId}/${path}`, {
      method,
      token,
      json: body,
    });
  }

  it.each(CALLS)('%s %s: every member of the project', async (...each) => {
    const { project } = await client();
    const found = each[1] === 'probes/deactivate' ? 404 : each[0] === 'GET' ? 200 : 201;
    for (const token of [
      project.memberToken,
      await addMember(project, 'admin'),
      await addMember(project, 'member'),
    ]) {
      expect((await call(each, project.projectId, token)).status).toBe(found);
    }
  });

  it.each(CALLS)('%s %s: nobody else', async (...each) => {
    const { project } = await client();
    const outsider = (await culprit.createProject()).memberToken;
    for (const token of [null, project.projectToken, `${project.memberToken}x`]) {
      expect(await call(each, project.projectId, token)).toMatchObject({
        status: 401,
        body: { error: 'invalid_member_token' },
      });
    }
    for (const [projectId, token] of [
      [project.projectId, outsider],
      [`proj_${newUuid()}`, project.memberToken],
      ['unknown', project.memberToken],
    ] as const) {
      expect(await call(each, projectId, token)).toMatchObject({
        status: 404,
        body: { error: 'project_not_found' },
      });
    }
    expect(await call(each, 'a%20b', project.memberToken)).toMatchObject({
      status: 400,
      body: { error: 'invalid_project_id' },
    });
  });

  it.each(CALLS)('%s %s: only the owner below Team', async (...each) => {
    const { project } = await client('solo');
    const token = await addMember(project, 'admin');
    expect(await call(each, project.projectId, token)).toMatchObject({
      status: 403,
      body: { error: 'shared_access_suspended' },
    });
  });

  it('on Free nobody activates, and a bad body is refused first', async () => {
    const { activate, project } = await client('free');
    expect(await activate()).toMatchObject({ status: 403, body: { error: 'upgrade_required' } });
    expect(await activate({ label_pattern: '' })).toMatchObject({ status: 400 });
    expect(await activationsTaken(culprit, project)).toBe(0);
  });

  it('on an installation without plan limits everybody may, whatever the plan', async () => {
    const selfHosted = await startCulprit({
      plans: { ...HOSTED, source: 'config', defaultPlan: 'free', isEnforced: false },
      hasWorker: false,
    });
    try {
      const { activate, directives, config } = probeClient(selfHosted, await selfHosted.createProject());
      expect((await activate()).status).toBe(201);
      expect(await directives()).toHaveLength(1);
      expect((await config()).body).toMatchObject({
        remote_probes_enabled: true,
        poll_interval_ms: 15_000,
        active_probes: [{ label_pattern: 'auth.*' }],
      });
    } finally {
      await selfHosted.stop();
    }
  });
});

it('old activations of a project are forgotten when it makes a new one', async () => {
  const { activated, project } = await client();
  const rows = () =>
    countRows(culprit, 'probe_activations where project_id = $1', [
      parseId(['proj'], project.projectId) ?? '',
    ]);
  await activated();
  await moveClock(culprit.database, 20 * 86_400_000);
  await activated();
  expect(await rows()).toBe(2);
  await moveClock(culprit.database, 32 * 86_400_000);
  await activated();
  expect(await rows()).toBe(2);
});
