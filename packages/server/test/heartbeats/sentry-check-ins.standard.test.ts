import { HEARTBEATS_MAX, HEARTBEATS_OF_CHECK_INS_MAX } from '@culprit/contract/monitor/heartbeat-limits';
import { beforeAll, describe, expect, it } from 'vitest';
import { parseId } from '../../src/platform/ids.ts';
import type { TestCulprit } from '../support/culprit.ts';
import { envelope, post } from '../support/sentry-client.ts';
import { shareCulprit } from '../support/shared-culprit.ts';
import { forgetMinute, stage } from './heartbeat-stage.ts';

/** Check-ins of Sentry's clients (docs/contract/foreign-protocols.md 6.5 and 7). */

let culprit: TestCulprit;
beforeAll(async () => {
  culprit = await shareCulprit();
});

describe("check-ins of Sentry's clients", () => {
  const config = {
    schedule: { type: 'crontab', value: '0 3 * * *' },
    timezone: 'Europe/Berlin',
    checkin_margin: 10,
    max_runtime: 60,
  };

  // F-53
  it('a configuration makes the heartbeat; ok passes, error fails, ok again resolves', async () => {
    const { client, target, list } = await stage(culprit);
    const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
    const send = async (status: string, id: string) => {
      const payload = {
        check_in_id: id.repeat(32),
        monitor_slug: 'Nightly Export',
        status,
        duration: 12.34,
        environment: 'staging',
        release: 'shop@1.2.3',
        monitor_config: config,
        contexts: { trace: { trace_id: trace } },
      };
      const body = envelope([{ type: 'check_in', payload }], { dsn: target.record.dsn });
      const answer = await post(target.envelope, body);
      expect(answer.status).toBe(200);
      expect(answer.headers.get('x-sentry-rate-limits')).not.toContain('monitor');
    };
    await send('in_progress', 'a');
    await send('ok', 'a');
    const [made] = await list();
    expect(made).toMatchObject({
      slug: 'nightly-export',
      environment: 'staging',
      timezone: 'Europe/Berlin',
      margin_minutes: 10,
      max_runtime_minutes: 60,
      managed_by: 'check_in',
      status: 'passing',
      last_duration_ms: 12_340,
    });
    await send('error', 'b');
    const incident = await client.only(1);
    expect(incident.environment).toBe('staging');
    await send('error', 'b');
    await send('ok', 'c');
    expect((await list())[0]).toMatchObject({ status: 'passing', linked_incident_status: 'resolved' });
    expect((await client.only(1)).status).toBe('resolved');
  });

  // F-57
  it('a bundle says which job failed, its runs before, and the exception of the run that comes behind it', async () => {
    const { client, target } = await stage(culprit);
    const trace = { trace_id: 'c'.repeat(32), span_id: 'd'.repeat(16) };
    const send = async (type: string, payload: object) => {
      const body = envelope([{ type, payload }], { dsn: target.record.dsn });
      expect((await post(target.envelope, body)).status).toBe(200);
    };
    const checkIn = {
      monitor_slug: 'export',
      environment: 'staging',
      monitor_config: config,
      release: 'shop@1',
    };
    await send('check_in', { ...checkIn, status: 'ok', check_in_id: 'a'.repeat(32), duration: 3 });
    await send('check_in', { ...checkIn, status: 'error', duration: 2, contexts: { trace } });
    const { incident_id: jobId } = await client.only(1);
    await client.settled();
    expect((await client.bundle(jobId)).context).toMatchObject({
      heartbeat: {
        slug: 'export',
        failure: 'error',
        schedule: 'daily at 03:00, Europe/Berlin',
        margin_minutes: 10,
        max_runtime_minutes: 60,
        expected_at: null,
        runs: [{ status: 'ok', duration_ms: 3000, release: 'shop@1' }],
        exceptions: [],
      },
    });
    // Libraries report what a job threw after its run.
    const thrown = { type: 'ExportError', value: 'no rows', mechanism: { type: 'x', handled: false } };
    await send('event', {
      platform: 'python',
      environment: 'staging',
      contexts: { trace },
      exception: { values: [thrown] },
    });
    await client.counted(1, 1);
    await client.settled();
    expect((await client.bundle(jobId)).context.heartbeat?.exceptions).toMatchObject([
      { type: 'ExportError', message: 'no rows' },
    ]);
    const incidents = await client.list();
    const thrownId = incidents.find(({ incident_id }) => incident_id !== jobId)?.incident_id ?? '';
    expect((await client.bundle(thrownId)).context.heartbeat).toBeUndefined();
  });

  it('a project can keep configurations from creating and changing heartbeats, and back', async () => {
    const { owner, client, target, list } = await stage(culprit);
    const url = (slug: string) => `${target.api}/cron/${slug}/${target.key}/`;
    const send = async (slug: string, margin: number) => {
      const body = { status: 'ok', monitor_config: { ...config, checkin_margin: margin } };
      return (await post(url(slug), JSON.stringify(body))).status;
    };
    const allow = (heartbeats_from_clients: boolean) =>
      owner.patch(`/v1/projects/${client.project.projectId}`, { heartbeats_from_clients });
    expect(await send('known', 10)).toBe(200);
    expect(await allow(false)).toMatchObject({ body: { project: { heartbeats_from_clients: false } } });
    expect(await send('known', 20)).toBe(200);
    expect(await send('unknown', 20)).toBe(404);
    expect(await list()).toMatchObject([{ slug: 'known', margin_minutes: 10 }]);
    await allow(true);
    expect(await send('unknown', 20)).toBe(200);
    expect(await list()).toHaveLength(2);
  });

  // F-55
  it('a change by a member wins over later configurations', async () => {
    const { owner, path, target, list } = await stage(culprit);
    const url = `${target.api}/cron/job/${target.key}/`;
    const send = (margin: number) =>
      post(url, JSON.stringify({ status: 'ok', monitor_config: { ...config, checkin_margin: margin } }));
    await send(10);
    await send(20);
    expect(await list()).toMatchObject([{ margin_minutes: 20, managed_by: 'check_in' }]);
    const [made] = await list();
    await owner.patch(`${path}/${made?.heartbeat_id}`, { margin_minutes: 7 });
    await send(30);
    expect(await list()).toMatchObject([{ margin_minutes: 7, managed_by: 'member' }]);
  });

  // F-55
  it('a check-in that is not taken is named and counted, and stops no other', async () => {
    const { client, owner, path, target, list, create } = await stage(culprit);
    const sent = async (...slugs: string[]) => {
      const items = slugs.map((slug) => ({
        type: 'check_in',
        payload: { monitor_slug: slug, status: 'ok', monitor_config: config },
      }));
      const answer = await post(target.envelope, envelope(items, { dsn: target.record.dsn }));
      expect(answer.status).toBe(200);
      expect(answer.headers.get('x-sentry-rate-limits')).not.toContain('monitor');
      return (answer.body as { rejected?: unknown[] }).rejected ?? [];
    };
    const refused = (item: number) => ({ item, type: 'check_in', reason: 'over_limit' });
    expect(await sent(...Array.from({ length: 9 }, () => 'often'))).toEqual([6, 7, 8].map(refused));
    expect(await list()).toHaveLength(1);
    await culprit.database.query(
      {
        name: 'test-heartbeats-full',
        text: `insert into heartbeats select (jsonb_populate_record(h, jsonb_build_object(
            'heartbeat_id', gen_random_uuid(), 'slug', 'job-' || n, 'ping_key', 'job-' || n))).*
          from heartbeats h, generate_series(2, $2) as n where h.project_id = $1`,
      },
      [parseId(['proj'], client.project.projectId), HEARTBEATS_OF_CHECK_INS_MAX],
    );
    await forgetMinute(culprit, client.project.projectId);
    expect(await sent('often', 'another', 'job-2')).toEqual([refused(1)]);
    // A key of a DSN is public, so people have room that it cannot use up.
    const ownJobs = HEARTBEATS_MAX - HEARTBEATS_OF_CHECK_INS_MAX;
    for (let own = 0; own < ownJobs; own += 1) await create({ slug: `own-${own}` });
    const schedule = { type: 'crontab', value: '0 3 * * *' };
    expect((await owner.post(path, { slug: 'too-many', schedule })).status).toBe(409);
    const kinds = async () => {
      const { body } = await owner.get(`/v1/projects/${client.project.projectId}/event-fates`);
      return (body as { by_kind: { kind: string }[] }).by_kind.find(({ kind }) => kind === 'check_in');
    };
    await expect.poll(kinds, { timeout: 15_000 }).toMatchObject({ taken: 8, over_limit: 4 });
  });

  it('a check-in counts whatever its text is made of', async () => {
    const { target, list, runs } = await stage(culprit);
    const text = 'a\0b\ud800';
    const payload = { monitor_slug: text, status: 'ok', environment: text, release: text };
    const items = [{ type: 'check_in', payload: { ...payload, monitor_config: config } }];
    const answer = await post(target.envelope, envelope(items, { dsn: target.record.dsn }));
    expect(answer).toMatchObject({ status: 200, body: {} });
    const [heartbeat] = await list();
    expect(heartbeat).toMatchObject({ environment: 'a\ufffdb\ufffd' });
    expect(await runs(heartbeat?.heartbeat_id ?? '')).toMatchObject([{ release: 'a\ufffdb\ufffd' }]);
  });

  it('a check-in counts though the event beside it is over the rate of the key', async () => {
    const { owner, client, target, list, runs } = await stage(culprit);
    const { status } = await owner.patch(
      `/v1/projects/${client.project.projectId}/dsn-keys/${target.record.token_id}`,
      { events_per_minute: 1 },
    );
    expect(status).toBe(200);
    const error = { type: 'event', payload: { message: 'x', level: 'error' } };
    const checkIn = {
      type: 'check_in',
      payload: { monitor_slug: 'beside', status: 'ok', monitor_config: config },
    };
    const both = () => post(target.envelope, envelope([error, checkIn], { dsn: target.record.dsn }));
    expect((await both()).status).toBe(200);
    const second = await both();
    expect(second.status).toBe(429);
    expect(second.headers.get('x-sentry-rate-limits')).not.toContain('monitor');
    const [made] = await list();
    expect(await runs(made?.heartbeat_id ?? '')).toHaveLength(2);
  });

  // F-56
  it('curl is a whole client of the cron address; zeros name the latest run', async () => {
    const { target, create, runs } = await stage(culprit);
    const { heartbeat_id: id } = await create({ slug: 'job' });
    const url = `${target.api}/cron/job/${target.key}/`;
    const first = await post(`${url}?status=in_progress`, null, {}, 'GET');
    expect(first).toMatchObject({ status: 200, body: { id: expect.stringMatching(/^[0-9a-f]{32}$/) } });
    const last = await post(`${url}?status=ok&check_in_id=${'0'.repeat(32)}`, null, {}, 'GET');
    expect(last.body.id).toBe(first.body.id);
    const again = await post(`${url}?status=ok&check_in_id=${first.body.id}`, null, {}, 'GET');
    expect(again.status).toBe(200);
    expect(await runs(id)).toMatchObject([{ status: 'ok' }]);
    expect((await post(`${url}?status=late`, null)).status).toBe(400);
    expect((await post(`${target.api}/cron/other/${target.key}/?status=ok`, null)).status).toBe(404);
    expect((await post(`${target.api}/cron/job/${'0'.repeat(32)}/?status=ok`, null)).status).toBe(401);
  });
});

// F-54, F-58
