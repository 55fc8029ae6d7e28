import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { parseId } from '../../src/platform/ids.ts';
import { setPlan } from '../support/collaborators.ts';
import { HOSTED, startCulprit, type TestCulprit, type TestProject } from '../support/culprit.ts';
import { moveClock } from '../support/move-clock.ts';
import { type RoleProcess, startApiProcess } from '../support/role-process.ts';
import { type Answer, sendEvents } from '../support/send-events.ts';
import { activationIn, EVENT, objectsAt, type ProbeClient, probeClient } from './probe-client.ts';

/** How applications learn of remote probes: docs/contract/ingestion.md 3.9, 6.2, 6.3. */

const ORIGIN = 'https://app.example.com';

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

function idsOf(probes: readonly { activation_id: string }[]): string[] {
  return probes.map((probe) => probe.activation_id);
}

function configIds(answer: Answer): string[] {
  return objectsAt(answer, 'active_probes').map((probe) => String(probe.activation_id));
}

describe('the answer to a batch', () => {
  it('tells active probes oldest first, with the times of their activation', async () => {
    const { activate, directives } = await client();
    const answers: Answer[] = [];
    for (const service of ['*', 'api-server', 'web', '*']) answers.push(await activate({ service }));
    const expected = answers
      .map(activationIn)
      .filter(({ service }) => service !== 'web')
      .map(({ created_at: _created, activated_by: _by, ...directive }) => directive);
    expect(await directives()).toEqual(expected);
  });

  it('without a sound event tells those for everybody, also when the batch is empty', async () => {
    const { activated, activate, project } = await client();
    const everybody = await activated();
    await activate({ service: 'api-server' });
    await activate({ environment: 'production' });
    const told = { probe_directives: { active_probes: [{ activation_id: everybody }] } };
    expect((await sendEvents(culprit.url, project.projectToken, [])).body).toMatchObject(told);
    expect((await sendEvents(culprit.url, project.projectToken, [7])).body).toMatchObject(told);
  });

  it('tells a published browser library bare ids for a batch of its analytics, of which nothing is sound', async () => {
    const { activated, project } = await client();
    const id = await activated();
    const told = async (headers: Record<string, string>) => {
      const answer = await sendEvents(
        culprit.url,
        project.projectToken,
        [{ event_type: 'analytics_event' }],
        headers,
      );
      return Object(answer.body).probe_directives.active_probes[0].activation_id;
    };
    expect(await told({ origin: ORIGIN })).toBe(id.slice(4));
    expect(await told({ origin: ORIGIN, 'x-service-sdk': '@culprit/browser' })).toBe(id);
    expect(await told({})).toBe(id);
  });

  it('tells a batch of published libraries bare ids, and a mixed one prefixed ids', async () => {
    const { activated, project } = await client();
    const id = await activated();
    const wire = {
      ...EVENT,
      timestamp: undefined,
      occurred_at: EVENT.timestamp,
      schema_version: '2026-03-01',
      sdk_name: '@debugbundle/sdk-node',
    };
    const told = async (events: object[]) =>
      Object((await sendEvents(culprit.url, project.projectToken, events)).body).probe_directives
        .active_probes[0].activation_id;
    expect(await told([wire, wire])).toBe(id.slice(4));
    expect(await told([wire, { event_type: 'x' }])).toBe(id.slice(4));
    expect(await told([wire, EVENT])).toBe(id);
    expect(await told([EVENT])).toBe(id);
  });

  it('tells each project of a window its own probes', async () => {
    const clients = await Promise.all([client(), client(), client('free'), client()]);
    const made = await Promise.all(
      clients.map(async ({ activated }, index) => (index < 2 ? [await activated()] : [])),
    );
    for (let round = 0; round < 5; round += 1) {
      const told = await Promise.all(
        Array.from({ length: 24 }, (_, index) => clients[index % 4]?.directives() ?? []),
      );
      told.forEach((probes, index) => {
        expect(idsOf(probes)).toEqual(made[index % 4]);
      });
    }
  });

  it('tells a page-hide beacon too', async () => {
    const { activated, project } = await client();
    const id = await activated();
    const token = await culprit.createProjectToken(project.projectId, [ORIGIN]);
    const answer = await sendEvents(culprit.url, null, [{ ...EVENT, project_token: token }], {
      origin: ORIGIN,
    });
    expect(answer).toMatchObject({
      status: 202,
      body: { probe_directives: { active_probes: [{ activation_id: id }] } },
    });
  });
});

describe('another process', () => {
  it('tells of an activation and of its end with the very next request, a hundred times', async () => {
    const { activated, deactivate, directives, config } = await client();
    const here = culprit.url;
    const there = second.report;
    for (let round = 0; round < 100; round += 1) {
      const [act, look] = round % 2 === 0 ? [here, there] : [there, here];
      const id = await activated({}, act);
      expect(idsOf(await directives(look))).toEqual([id]);
      expect(configIds(await config({ url: look }))).toEqual([id]);
      expect((await deactivate(id, { url: act })).status).toBe(200);
      expect(await directives(look)).toEqual([]);
      expect(configIds(await config({ url: look }))).toEqual([]);
    }
  });

  it('signs with the same key', async () => {
    const { config } = await client();
    const keys = await Promise.all(
      [culprit.url, second.report].map(async (url) => Object((await config({ url })).body).trigger_token_key),
    );
    expect(keys[0]).toMatch(/^[0-9a-f]{64}$/);
    expect(keys[1]).toBe(keys[0]);
  });
});

it('an expired probe is told nowhere, from the second on that it named', async () => {
  const { activated, directives, config, listed } = await client();
  await activated({ ttl_seconds: 60 });
  await moveClock(culprit.database, 58_000);
  expect([await directives(), configIds(await config()), await listed()].map((each) => each.length)).toEqual([
    1, 1, 1,
  ]);
  await moveClock(culprit.database, 60_000);
  expect([await directives(), configIds(await config()), await listed()]).toEqual([[], [], []]);
});

describe('a downgrade to Free', () => {
  it('keeps activations in the list, tells nobody of them and lets them be ended', async () => {
    const { activate, activated, deactivate, listed, directives, config, project } = await client('solo');
    const first = await activated();
    const other = await activated();
    expect(idsOf(await directives())).toEqual([first, other]);

    await setPlan(culprit, project, 'free');
    expect(await listed()).toEqual([other, first]);
    expect(await directives()).toEqual([]);
    const { body } = await config();
    expect(body).toMatchObject({ remote_probes_enabled: false, active_probes: [], poll_interval_ms: 0 });
    expect(body).not.toHaveProperty('trigger_token_key');
    expect(await activate()).toMatchObject({ status: 403, body: { error: 'upgrade_required' } });
    expect((await deactivate(first)).status).toBe(200);
    expect(await listed()).toEqual([other]);

    await setPlan(culprit, project, 'team');
    expect(idsOf(await directives())).toEqual([other]);
    expect(configIds(await config())).toEqual([other]);
  });

  it('happens to a trial when it ends, without any job', async () => {
    const { activated, directives, listed, project } = await client('free');
    await culprit.database.query(
      {
        name: 'test-start-trial',
        text: `update organizations set plan = 'team', trial_plan = 'team', trial_started_at = culprit_now(),
            trial_ends_at = culprit_now() + interval '10 min'
          where organization_id = (select organization_id from projects where project_id = $1)`,
      },
      [bareId(project)],
    );
    const id = await activated();
    expect(idsOf(await directives())).toEqual([id]);
    await moveClock(culprit.database, 11 * 60_000);
    expect(await directives()).toEqual([]);
    expect(await listed()).toEqual([id]);
  });
});

function bareId(project: TestProject): string {
  return parseId(['proj'], project.projectId) ?? '';
}

describe('ids of active probes in the configuration', () => {
  it.each([
    ['no mark', {}, '', false],
    ['our own library', { 'x-service-sdk': 'x' }, '', false],
    ['our own library in a browser', { origin: ORIGIN, 'x-service-sdk': 'x' }, '', false],
    ['a content type alone', { 'content-type': 'application/json' }, '', false],
    ['an origin alone, as published browser libraries ask', { origin: ORIGIN }, '', true],
    [
      'the analytics of a published browser library',
      { origin: ORIGIN, 'x-debugbundle-analytics-config': '1' },
      '',
      true,
    ],
    ['the header of a published library', { 'x-debugbundle-sdk': 'x' }, '', true],
    ['a query by service', {}, '?service=api-server', true],
    ['a query by environment', {}, '?environment=production', true],
    ['origin and content type', { origin: ORIGIN, 'content-type': 'application/json' }, '', true],
  ])('for a caller with %s', async (_name, headers, query, isBare) => {
    const { activated, config } = await client();
    const id = await activated();
    const [probe] = objectsAt(await config({ headers: { ...headers }, query }), 'active_probes');
    expect(probe).toMatchObject({ id: id.slice(4), activation_id: isBare ? id.slice(4) : id });
  });
});
