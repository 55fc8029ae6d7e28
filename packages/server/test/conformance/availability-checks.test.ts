import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseId } from '../../src/platform/ids.ts';
import { checkClient } from '../support/check-client.ts';
import { createCheck, HOME, manageChecks } from '../support/check-manager.ts';
import { countRows } from '../support/count-rows.ts';
import { HOSTED, startCulprit, type TestCulprit } from '../support/culprit.ts';
import { type DnsServer, startDnsServer } from '../support/dns-server.ts';
import { expectProblem } from '../support/expect-problem.ts';
import { setPlanOf } from '../support/organizations.ts';

/** Checks as people make and change them (docs/contract/account.md 7.1 to 7.4); nothing runs here. */

let culprit: TestCulprit;
let dns: DnsServer;
beforeAll(async () => {
  dns = await startDnsServer();
  dns.set('status.example.com', { addresses: ['93.184.216.34'] });
  dns.set('inside.example.com', { addresses: ['192.168.0.1'] });
  dns.set('broken.example.com', 'servfail');
  culprit = await startCulprit({
    plans: HOSTED,
    hasWorker: false,
    outbound: { nameServers: [dns.address] },
  });
});
afterAll(async () => {
  await culprit.stop();
  await dns.close();
});

describe('availability checks', () => {
  //
  it('a check has the defaults of the contract, and every field', async () => {
    const manager = await manageChecks(culprit);
    const answer = await manager.post(manager.base, HOME);
    expect(answer.status).toBe(201);
    const check = {
      check_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      project_id: manager.project.projectId,
      name: 'Home',
      url: HOME.url,
      method: 'GET',
      expected_status_min: 200,
      expected_status_max: 399,
      timeout_ms: 2500,
      interval_seconds: 300,
      failure_threshold: 3,
      recovery_threshold: 2,
      environment: 'production',
      service_name: null,
      enabled: true,
      status: 'unknown',
      paused_reason: null,
      organization_plan: 'free',
      consecutive_failures: 0,
      consecutive_successes: 0,
      linked_incident_id: null,
      linked_incident_status: null,
      last_checked_at: null,
      next_check_at: expect.stringMatching(/Z$/),
      last_result_status: null,
      last_result_http_status: null,
      last_result_error_kind: null,
      last_result_error_message: null,
      last_result_duration_ms: null,
      created_at: expect.stringMatching(/Z$/),
      updated_at: expect.stringMatching(/Z$/),
    };
    expect(answer.body).toEqual({ check });
    const [listed] = await checkClient(culprit, manager.project).list();
    expect(listed).toEqual(check);
    // The first run is at creation.
    expect(listed?.next_check_at).toBe(listed?.created_at);
    const read = await manager.get(`${manager.base}/${listed?.check_id}`);
    expect(read.body).toEqual({ check, limits: { max_checks_per_project: 1, min_interval_seconds: 300 } });
  });

  it('a plan bounds the heartbeats of a project, and leaves room that check-ins cannot use up', async () => {
    const manager = await manageChecks(culprit);
    const path = `/v1/projects/${manager.project.projectId}/heartbeats`;
    const schedule = { type: 'interval', value: 1, unit: 'hour' };
    const checkIn = (heartbeat: string) =>
      fetch(`${culprit.url}/v1/check-ins`, {
        method: 'POST',
        headers: { authorization: `Bearer ${manager.project.projectToken}` },
        body: JSON.stringify({ heartbeat, status: 'ok', config: { schedule } }),
      });
    for (const [slug, status] of [
      ['a', 202],
      ['b', 202],
      ['c', 404],
      ['a', 202],
    ] as const) {
      expect((await checkIn(slug)).status, slug).toBe(status);
    }
    expect((await manager.post(path, { slug: 'own', schedule })).status).toBe(201);
    expectProblem(await manager.post(path, { slug: 'more', schedule }), 409, 'resource_limit_reached');
    await setPlanOf(culprit.database, manager.project.userId, 'solo');
    expect((await manager.post(path, { slug: 'more', schedule })).status).toBe(201);
    expect((await checkIn('c')).status).toBe(202);
  });

  //
  it('a plan bounds their number and their interval', async () => {
    const manager = await manageChecks(culprit);
    expectProblem(
      await manager.post(manager.base, { ...HOME, interval_seconds: 299 }),
      409,
      'availability_check_interval_too_low',
    );
    const { check_id: id } = await createCheck(manager);
    expectProblem(await manager.post(manager.base, HOME), 409, 'availability_check_limit_reached');
    for (const [seconds, status, code] of [
      [299, 409, 'availability_check_interval_too_low'],
      [29, 400, 'invalid_payload'],
      [86_401, 400, 'invalid_payload'],
    ] as const) {
      const change = { interval_seconds: seconds };
      expectProblem(await manager.post(manager.base, { ...HOME, ...change }), status, code);
      expectProblem(await manager.patch(`${manager.base}/${id}`, change), status, code);
    }
    expect((await manager.get(manager.base)).body).toMatchObject({
      limits: { max_checks_per_project: 1, min_interval_seconds: 300 },
      next_cursor: null,
    });
    await setPlanOf(culprit.database, manager.project.userId, 'team');
    expect((await manager.get(manager.base)).body).toMatchObject({
      availability_checks: [{ organization_plan: 'team' }],
      limits: { max_checks_per_project: 8, min_interval_seconds: 30 },
    });
  });

  //
  it('the number is exact, however many are made at once', async () => {
    const manager = await manageChecks(culprit, 'solo');
    const answers = await Promise.all(Array.from({ length: 8 }, () => manager.post(manager.base, HOME)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, 409, 409, 409, 409, 409]);
  });

  //
  it('what lies outside of its bounds is refused', async () => {
    const manager = await manageChecks(culprit);
    const { check_id: id } = await createCheck(manager);
    const both = [
      { timeout_ms: 499 },
      { timeout_ms: 5001 },
      { expected_status_min: 400 },
      { expected_status_min: 99 },
      { expected_status_max: 600 },
      { method: 'POST' },
      { failure_threshold: 11 },
      { failure_threshold: 0 },
      { recovery_threshold: 11 },
      { name: null },
      { name: '' },
      { name: '  ' },
      { name: 'x'.repeat(121) },
      { environment: 'x'.repeat(51) },
      { environment: null },
      { service_name: '' },
      { service_name: 'x'.repeat(121) },
      { enabled: 'yes' },
      { url: 'no address' },
      { url: `https://status.example.com/${'x'.repeat(2000)}` },
      { region: 'eu' },
    ];
    for (const body of both) {
      expectProblem(await manager.post(manager.base, { ...HOME, ...body }), 400, 'invalid_payload');
      expectProblem(await manager.patch(`${manager.base}/${id}`, body), 400, 'invalid_payload');
    }
    for (const missing of ['name', 'url', 'interval_seconds']) {
      const body = Object.fromEntries(Object.entries(HOME).filter(([key]) => key !== missing));
      expectProblem(await manager.post(manager.base, body), 400, 'invalid_payload');
    }
    expectProblem(await manager.patch(`${manager.base}/${id}`, {}), 400, 'invalid_payload');
    expectProblem(
      await manager.patch(`${manager.base}/${id}`, { status: 'passing' }),
      400,
      'invalid_payload',
    );
  });

  //
  it('what must not be called is refused on create, update and test', async () => {
    const manager = await manageChecks(culprit, 'solo');
    const { check_id: id } = await createCheck(manager);
    for (const url of [
      'http://127.0.0.1/',
      'http://10.0.0.1/',
      'http://[::1]/',
      'http://169.254.169.254/',
      'http://localhost/',
      'http://2130706433/',
      'https://u:p@status.example.com/',
      'https://status.example.com:8443/',
      'ftp://status.example.com/',
      'http://status.internal/',
      'https://inside.example.com/',
      'http://inside.example.com/',
    ]) {
      expectProblem(await manager.post(manager.base, { ...HOME, url }), 400, 'blocked_target');
      expectProblem(await manager.patch(`${manager.base}/${id}`, { url }), 400, 'blocked_target');
      expectProblem(await manager.post(`${manager.base}/test`, { url }), 400, 'blocked_target');
    }
  });

  it('a name that has no answer right now is taken', async () => {
    const manager = await manageChecks(culprit, 'solo');
    for (const url of ['https://broken.example.com/', 'http://unknown.example.com/']) {
      expect(await createCheck(manager, { url })).toMatchObject({ url });
    }
  });

  it('an update changes what it names and nothing else', async () => {
    const manager = await manageChecks(culprit, 'team');
    const before = await createCheck(manager, {
      service_name: 'web',
      environment: 'staging',
      enabled: false,
    });
    expect(before).toMatchObject({ status: 'paused', paused_reason: 'disabled', next_check_at: null });
    const path = `${manager.base}/${before.check_id}`;
    const renamed = await manager.patch(path, { name: ' Start page ', service_name: null });
    expect(renamed.body).toEqual({
      check: { ...before, name: 'Start page', service_name: null, updated_at: expect.any(String) },
    });
    const change = {
      url: 'http://status.example.com/',
      method: 'HEAD',
      expected_status_min: 404,
      expected_status_max: 404,
      timeout_ms: 5000,
      interval_seconds: 30,
      failure_threshold: 1,
      recovery_threshold: 10,
      environment: 'production',
      service_name: 'site',
      enabled: true,
    };
    const changed = await manager.patch(path, change);
    expect(changed.body).toMatchObject({ check: { ...change, status: 'unknown', paused_reason: null } });
    // Bounds are judged in the resulting record.
    expectProblem(await manager.patch(path, { expected_status_max: 403 }), 400, 'invalid_payload');
    expectProblem(await manager.patch(path, { expected_status_min: 405 }), 400, 'invalid_payload');
  });

  it('deletes with results and days', async () => {
    const manager = await manageChecks(culprit);
    const { check_id: id } = await createCheck(manager);
    await culprit.database.query(
      {
        name: 'test-plant-day',
        text: `insert into availability_days (check_id, project_id, day) values ($1, $2, culprit_now()::date)`,
      },
      [id, parseId(['proj'], manager.project.projectId)],
    );
    const answer = await manager.delete(`${manager.base}/${id}`);
    expect([answer.status, answer.body]).toEqual([200, { deleted: true }]);
    expect(await countRows(culprit, 'availability_days where check_id = $1', [id])).toBe(0);
    for (const path of ['', '/results', '/daily-rollups']) {
      expectProblem(await manager.get(`${manager.base}/${id}${path}`), 404, 'availability_check_not_found');
    }
    expectProblem(await manager.delete(`${manager.base}/${id}`), 404, 'availability_check_not_found');
  });
});
