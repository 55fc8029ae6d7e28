import type { HeartbeatDay } from '@culprit/contract/monitor/heartbeats';
import { beforeAll, describe, expect, it } from 'vitest';
import { recordCheckIn } from '../../src/monitor/heartbeats/record-check-in.ts';
import { parseId } from '../../src/platform/ids.ts';
import { openObjectStore } from '../../src/platform/objects/open-object-store.ts';
import type { TestCulprit } from '../support/culprit.ts';
import { managementClient } from '../support/management-client.ts';
import { moveClock } from '../support/move-clock.ts';
import { envelope, post } from '../support/sentry-client.ts';
import { shareCulprit } from '../support/shared-culprit.ts';
import { forgetMinute, judge, makeDue, makeLate, pingUrl, stage } from './heartbeat-stage.ts';

/** Heartbeats over HTTP (docs/contract/team-workflow.md 8, docs/contract/foreign-protocols.md 6.5 and 7). */

let culprit: TestCulprit;
beforeAll(async () => {
  culprit = await shareCulprit();
});

describe('the days of a heartbeat', () => {
  it('count each run once by how it ended, and outlive the runs', async () => {
    const { client, owner, path, create, runs } = await stage(culprit);
    const made = await create({ max_runtime_minutes: 1 });
    const ping = async (said: string) => {
      const { status } = await fetch(`${pingUrl(culprit, made)}${said}`);
      expect(status, said).toBe(202);
    };
    for (const duration of [100, 300]) await ping(`?duration_ms=${duration}`);
    const id = '0198c2a0-0000-7000-8000-00000000000a';
    for (let repeated = 0; repeated < 2; repeated += 1) await ping(`/fail?check_in_id=${id}`);
    const late = '0198c2a0-0000-7000-8000-00000000000b';
    await ping(`/start?check_in_id=${late}`);
    await makeLate(culprit, made.heartbeat_id);
    await judge(culprit);
    // An end behind the time-out is kept, and changes nothing.
    await forgetMinute(culprit, client.project.projectId);
    await ping(`?check_in_id=${late}`);
    expect(await runs(made.heartbeat_id)).toHaveLength(4);
    const asked = async (query = '') => {
      const { body } = await owner.get(`${path}/${made.heartbeat_id}/daily-rollups${query}`);
      return body as { daily_rollups: HeartbeatDay[]; next_cursor: string | null };
    };
    const today = {
      day: new Date().toISOString().slice(0, 10),
      total_runs: 4,
      ok: 2,
      error: 1,
      missed: 0,
      timeout: 1,
      unknown: 0,
      avg_duration_ms: 200,
    };
    expect(await asked()).toMatchObject({ daily_rollups: [today], next_cursor: null });
    await culprit.database.query(
      {
        name: 'test-heartbeat-days',
        text: `insert into heartbeat_days (project_id, heartbeat_id, day, missed)
          select project_id, heartbeat_id, culprit_now()::date - n, n from heartbeats, unnest(array[40, 60]) as n
          where heartbeat_id = $1`,
      },
      [made.heartbeat_id],
    );
    const first = await asked('?limit=2');
    expect(first.daily_rollups.map(({ missed }) => missed)).toEqual([0, 40]);
    const second = await asked(`?limit=2&cursor=${first.next_cursor}`);
    expect(second).toMatchObject({
      daily_rollups: [{ missed: 60, avg_duration_ms: null }],
      next_cursor: null,
    });
  });
});

describe('own pings', () => {
  it.each(['GET', 'HEAD', 'POST'])('%s reports a run, and the heartbeat passes', async (method) => {
    const { create, read, runs } = await stage(culprit);
    const made = await create({ name: 'Backup', timezone: 'Europe/Berlin' });
    expect(made).toMatchObject({
      status: 'unknown',
      name: 'Backup',
      environment: 'production',
      enabled: true,
    });
    const answer = await fetch(pingUrl(culprit, made), {
      method,
      ...(method === 'POST' ? { body: 'done' } : {}),
    });
    expect(answer.status).toBe(202);
    expect(await read(made.heartbeat_id)).toMatchObject({ status: 'passing', last_status: 'ok' });
    expect(await runs(made.heartbeat_id)).toMatchObject([
      { status: 'ok', output: method === 'POST' ? 'done' : null },
    ]);
  });

  it('an exit code fails, opens one incident, and the next run resolves it', async () => {
    const { client, create, read, runs } = await stage(culprit);
    const made = await create();
    const url = pingUrl(culprit, made);
    const started = await post(`${url}/start?check_in_id=0b2ba1ee-7d69-4a71-97c3-93dc2ff1c5a1`, null);
    expect(started.status).toBe(202);
    expect(await read(made.heartbeat_id)).toMatchObject({ status: 'unknown', last_status: 'in_progress' });
    expect((await post(`${url}/2?duration_ms=12000`, 'disk full, token=hunter2hunter2')).status).toBe(202);
    const incident = await client.only(1);
    expect(incident).toMatchObject({
      title: 'Scheduled job failing: nightly',
      status: 'open',
      matched_fields: ['environment', 'service', 'heartbeat'],
      incident_reason: { kind: 'heartbeat', matched_policy: 'heartbeat_threshold', event_type: 'log_event' },
    });
    expect(JSON.stringify(await client.logs(incident.incident_id))).toContain('exit code 2 after 12 s');
    expect(await read(made.heartbeat_id)).toMatchObject({
      status: 'failing',
      linked_incident_id: incident.incident_id,
    });
    expect(await runs(made.heartbeat_id)).toMatchObject([{ status: 'error', duration_ms: 12_000 }]);
    expect((await post(url, null)).status).toBe(202);
    expect(await read(made.heartbeat_id)).toMatchObject({
      status: 'passing',
      linked_incident_status: 'resolved',
    });
  });

  it('a run counts however long it is said to be, or was', async () => {
    const { target, create, runs, client } = await stage(culprit);
    const made = await create();
    const { heartbeat_id: id } = made;
    for (const duration of ['99999999999999999999', '2678400000'])
      expect((await post(`${pingUrl(culprit, made)}?duration_ms=${duration}`, null)).status).toBe(202);
    const payload = { monitor_slug: 'nightly', status: 'ok', environment: 'production', duration: 1e300 };
    const error = { type: 'event', payload: { message: 'beside', level: 'error' } };
    const body = envelope([{ type: 'check_in', payload }, error], { dsn: target.record.dsn });
    expect((await post(target.envelope, body)).status).toBe(200);
    await client.only(1);
    expect((await post(`${pingUrl(culprit, made)}/start`, null)).status).toBe(202);
    await culprit.database.query(
      {
        name: 'test-heartbeat-begun',
        text: `update heartbeat_runs set started_at = started_at - interval '29 days'
          where heartbeat_id = $1 and status = 'in_progress'`,
      },
      [id],
    );
    expect((await post(pingUrl(culprit, made), null)).status).toBe(202);
    const most = 24 * 86_400_000;
    expect((await runs(id)).map((run) => run.duration_ms)).toEqual([most, most, most, most]);
  });

  it('a failure is recorded though its object takes long to store', async () => {
    const { client, create, runs } = await stage(culprit);
    const made = await create();
    expect((await fetch(`${pingUrl(culprit, made)}/start`)).status).toBe(202);
    const heartbeat = {
      projectId: parseId(['proj'], client.project.projectId) ?? '',
      heartbeatId: made.heartbeat_id,
    };
    const objects = await openObjectStore(culprit.objectStore);
    let aheadMs = 0;
    const put: typeof objects.put = async (key, bytes) => {
      await objects.put(key, bytes);
      aheadMs += 2_000;
      await moveClock(culprit.database, aheadMs);
    };
    const slow = { database: culprit.database, objects: { ...objects, append: null, put } };
    const end = { checkInId: null, durationMs: null, release: null, traceId: null, output: null };
    try {
      const failed = await recordCheckIn(slow, heartbeat, { ...end, status: 'error', failure: null });
      expect(failed).toHaveProperty('checkInId');
    } finally {
      await moveClock(culprit.database, 0);
    }
    expect(await runs(made.heartbeat_id)).toMatchObject([{ status: 'error' }]);
    expect(aheadMs).toBe(2_000);
  });

  it('the seventh ping of a minute is refused, and unknown addresses are 404', async () => {
    const { create, runs } = await stage(culprit);
    const made = await create();
    const url = pingUrl(culprit, made);
    for (let ping = 1; ping <= 6; ping += 1) expect((await post(url, null)).status).toBe(202);
    const refused = await post(url, null);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await runs(made.heartbeat_id)).toHaveLength(6);
    for (const wrong of [`${url}/maybe`, `${url}/256`, `${culprit.url}/v1/heartbeats/hb_${'x'.repeat(43)}`]) {
      expect((await post(wrong, null)).status).toBe(404);
    }
    expect((await post(url, 'x'.repeat(10_241))).status).toBe(413);
    expect((await post(url, null, {}, 'DELETE')).status).toBe(405);
  });
});

describe('check-ins with a project token', () => {
  it('make a heartbeat from their configuration, join begin and end, and are refused by word', async () => {
    const { client, list, runs } = await stage(culprit);
    const { projectToken, memberToken } = client.project;
    const send = async (body: unknown, token = projectToken) => {
      const answer = await fetch(`${culprit.url}/v1/check-ins`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      return { status: answer.status, body: (await answer.json()) as Record<string, string> };
    };
    const nightly = { heartbeat: 'nightly', status: 'in_progress', environment: 'production' };
    expect(await send(nightly)).toMatchObject({ status: 404, body: { error: 'not_found' } });
    const schedule = { type: 'interval', value: 1, unit: 'day' };
    const begun = await send({ ...nightly, config: { schedule, margin_minutes: 7 } });
    expect(begun.status).toBe(202);
    const { check_in_id } = begun.body;
    const end = {
      ...nightly,
      status: 'ok',
      check_in_id,
      duration_ms: 1500,
      release: '1.2.3',
      trace_id: 'a'.repeat(32),
    };
    expect(await send(end)).toEqual({ status: 202, body: { check_in_id } });
    const [made] = await list();
    expect(made).toMatchObject({
      slug: 'nightly',
      schedule,
      margin_minutes: 7,
      managed_by: 'check_in',
      status: 'passing',
    });
    expect(await runs(made?.heartbeat_id ?? '')).toMatchObject([
      { check_in_id, status: 'ok', duration_ms: 1500, release: '1.2.3', trace_id: 'a'.repeat(32) },
    ]);
    // Two at once: each end is of its own run, and one without an id of the latest that has none.
    const overlapping = [await send(nightly), await send(nightly)].map(({ body }) => body.check_in_id);
    const ended = async () =>
      (await runs(made?.heartbeat_id ?? ''))
        .filter((run) => run.ended_at !== null)
        .map((run) => run.check_in_id);
    await send({ ...nightly, status: 'ok', check_in_id: overlapping[0] });
    expect(await ended()).toEqual([overlapping[0], check_in_id]);
    await send({ ...nightly, status: 'ok' });
    expect(await ended()).toEqual([overlapping[1], overlapping[0], check_in_id]);
    await forgetMinute(culprit, client.project.projectId);
    expect(await send({ ...nightly, status: 'fine' })).toMatchObject({
      status: 400,
      body: { error: 'invalid_payload' },
    });
    expect(await send({ ...nightly, name: 'x' })).toMatchObject({
      status: 400,
      body: { error: 'invalid_payload' },
    });
    const never = { ...nightly, config: { schedule: { type: 'crontab', value: '0 0 31 2 *' } } };
    expect(await send(never)).toMatchObject({ status: 400, body: { error: 'invalid_payload' } });
    expect((await send(nightly, memberToken)).status).toBe(401);
    expect((await send(nightly, `${projectToken.slice(0, -4)}aaaa`)).status).toBe(401);
  });
});

it('a missed run and one without an end fail; a slot in an outage of the service does not', async () => {
  const { client, create, read, runs } = await stage(culprit);
  const missed = await create({ slug: 'missed' });
  const twice = await create({ slug: 'twice', failure_threshold: 2 });
  const stuck = await create({ slug: 'stuck', max_runtime_minutes: 1 });
  const paused = await create({ slug: 'paused', enabled: false });
  await post(`${pingUrl(culprit, stuck)}/start`, null);
  await makeLate(culprit, stuck.heartbeat_id);
  // What was before the start of the service is unknown.
  await makeDue(culprit, missed.heartbeat_id, 6);
  await judge(culprit);
  expect(await read(missed.heartbeat_id)).toMatchObject({ status: 'unknown', last_status: 'unknown' });
  await culprit.database.query({
    name: 'test-heartbeat-watched-long',
    text: `update heartbeat_watch set gap_began_at = null, gap_ended_at = null`,
  });
  for (const { heartbeat_id } of [missed, twice, paused]) await makeDue(culprit, heartbeat_id, 6);
  await judge(culprit);
  expect(await read(missed.heartbeat_id)).toMatchObject({ status: 'failing', last_status: 'missed' });
  expect(await read(stuck.heartbeat_id)).toMatchObject({ status: 'failing', last_status: 'timeout' });
  expect(await read(twice.heartbeat_id)).toMatchObject({ last_status: 'missed' });
  expect(await read(twice.heartbeat_id)).toMatchObject({ status: 'unknown', consecutive_failures: 1 });
  expect(await read(paused.heartbeat_id)).toMatchObject({ status: 'paused', next_expected_at: null });
  const incidents = await client.counted(1, 1);
  const lines = await Promise.all(incidents.map(({ incident_id }) => client.logs(incident_id)));
  expect(JSON.stringify(lines)).toMatch(/did not start within 5 minutes of \d\d:\d\d UTC/);
  expect(JSON.stringify(lines)).toContain('still running after 1 minute');
  await client.settled();
  const jobs = await Promise.all(incidents.map(({ incident_id }) => client.bundle(incident_id)));
  expect(jobs.map(({ context }) => context.heartbeat?.failure).sort()).toEqual(['missed', 'timeout']);
  for (const { context } of jobs) {
    const { failure, expected_at } = context.heartbeat ?? {};
    expect(typeof expected_at === 'string').toBe(failure === 'missed');
  }
  // Three more that are missed are of the same incident.
  for (let time = 0; time < 3; time += 1) {
    await makeDue(culprit, missed.heartbeat_id, 6);
    await judge(culprit);
  }
  expect(await read(missed.heartbeat_id)).toMatchObject({ status: 'failing', consecutive_failures: 4 });
  await client.counted(4, 1);
  // A late end is kept and undoes nothing.
  const [late] = await runs(stuck.heartbeat_id);
  await post(`${pingUrl(culprit, stuck)}?check_in_id=${late?.check_in_id}`, null);
  expect(await read(stuck.heartbeat_id)).toMatchObject({ status: 'failing' });
  expect(await runs(stuck.heartbeat_id)).toMatchObject([{ status: 'timeout', ended_at: expect.any(String) }]);

  const away = await create({ slug: 'away' });
  await culprit.database.query({
    name: 'test-heartbeat-away',
    text: `update heartbeat_watch set seen_at = seen_at - interval '1 hour' where role = 'worker'`,
  });
  await makeDue(culprit, away.heartbeat_id, 6);
  await judge(culprit);
  expect(await read(away.heartbeat_id)).toMatchObject({
    status: 'unknown',
    last_status: 'unknown',
    linked_incident_id: null,
  });
  expect(Date.parse((await read(away.heartbeat_id)).next_expected_at ?? '')).toBeGreaterThan(Date.now());
  // The first slot after it is judged.
  await culprit.database.query({
    name: 'test-heartbeat-back',
    text: `update heartbeat_watch set gap_began_at = null, gap_ended_at = null`,
  });
  await makeDue(culprit, away.heartbeat_id, 6);
  await judge(culprit);
  expect(await read(away.heartbeat_id)).toMatchObject({ status: 'failing', last_status: 'missed' });
  await forgetMinute(culprit, client.project.projectId);
});

it('shows the address of pings only to those who may change the heartbeat', async () => {
  const { owner, path, create } = await stage(culprit);
  const { heartbeat_id: id, ping_url } = await create();
  expect(ping_url).toMatch(/\/v1\/heartbeats\/hb_[\w-]{43}$/);
  const { body } = await owner.post('/v1/member/tokens', { label: 'agent', access: 'read' });
  const reader = managementClient(culprit, (body as { token: { plaintext: string } }).token.plaintext);
  expect((await reader.get(`${path}/${id}`)).body).toMatchObject({ heartbeat: { ping_url: null } });
  expect((await reader.get(path)).body).toMatchObject({ heartbeats: [{ ping_url: null }] });
});

it('refuses schedules without a time, unknown zones and a second heartbeat of the slug', async () => {
  const { owner, path, create } = await stage(culprit);
  const made = await create();
  const ask = async (body: object) => (await owner.post(path, { slug: 'other', ...body })).status;
  const schedule = { type: 'crontab', value: '0 3 * * *' };
  expect(await ask({ schedule: { type: 'crontab', value: '0 0 31 2 *' } })).toBe(400);
  expect(await ask({ schedule: { type: 'interval', value: 6, unit: 'year' } })).toBe(400);
  expect(await ask({ schedule, timezone: 'Mars/Base' })).toBe(400);
  expect(await ask({ schedule, slug: 'Not A Slug' })).toBe(400);
  expect(await ask({ schedule, slug: 'nightly' })).toBe(409);
  expect(await ask({ schedule, slug: 'nightly', environment: 'staging' })).toBe(201);
  expect((await owner.delete(`${path}/${made.heartbeat_id}`)).status).toBe(200);
  expect((await post(pingUrl(culprit, made), null)).status).toBe(404);
});
