import { createServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { restartSchedules } from '../../src/monitor/availability/claims.queries.ts';
import { type CheckClient, checkClient, LOCAL_SITES, type Site, startSite } from '../support/check-client.ts';
import { type CheckClock, checkClock } from '../support/check-clock.ts';
import { countRows } from '../support/count-rows.ts';
import { startCulprit, type TestCulprit } from '../support/culprit.ts';
import { type DnsServer, startDnsServer } from '../support/dns-server.ts';
import { eventually } from '../support/eventually.ts';
import { hang } from '../support/webhook-receiver.ts';

/** What runs ask, and what comes of them (docs/contract/account.md 7.5 and 7.6). */

let culprit: TestCulprit;
let clock: CheckClock;
let dns: DnsServer;
let site: Site;
let checks: CheckClient;

beforeAll(async () => {
  dns = await startDnsServer();
  culprit = await startCulprit({
    duties: [],
    retryScale: 0.02,
    outbound: { ...LOCAL_SITES, nameServers: [dns.address] },
  });
  clock = checkClock(culprit);
  site = await startSite();
  checks = checkClient(culprit, await culprit.createProject());
});
afterAll(async () => {
  await culprit.stop();
  await site.close();
  await dns.close();
});

/** The first result of a check of an address; the check is deleted behind it. */
async function firstResult(body: Parameters<CheckClient['create']>[0]) {
  const { check_id } = await checks.create(body);
  const result = await checks.ran(check_id, 1);
  await checks.delete(check_id);
  return result;
}

describe('a run', () => {
  it('comes at creation, asks as the contract says, and leaves a result', async () => {
    site.answer(200);
    const before = site.requests.length;
    const check = await checks.create({ url: `${site.url}?token=secret#part` });
    const result = await checks.ran(check.check_id, 1);
    expect(result).toEqual({
      result_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      check_id: check.check_id,
      project_id: check.project_id,
      started_at: expect.stringMatching(/Z$/),
      completed_at: expect.stringMatching(/Z$/),
      duration_ms: expect.any(Number),
      status: 'success',
      http_status: 200,
      error_kind: null,
      error_message: null,
      checked_url_host: `127.0.0.1:${site.port}`,
      final_url: site.url,
      redirect_count: 0,
    });
    expect(Date.parse(result.completed_at) - Date.parse(result.started_at)).toBe(result.duration_ms);
    const [request] = site.requests.slice(before);
    expect(request).toMatchObject({ method: 'GET', url: '/health?token=secret', body: '' });
    expect(request?.headers).toEqual({
      host: `127.0.0.1:${site.port}`,
      connection: expect.any(String),
      'user-agent': 'culprit-availability/1',
      accept: '*/*',
    });
    expect(await checks.read(check.check_id)).toMatchObject({
      url: `${site.url}?token=secret`,
      status: 'passing',
      consecutive_successes: 1,
      last_result_status: 'success',
      last_result_http_status: 200,
      last_result_duration_ms: result.duration_ms,
      last_checked_at: result.started_at,
    });
    await checks.delete(check.check_id);
  });

  it('with HEAD asks with HEAD', async () => {
    const before = site.requests.length;
    expect(await firstResult({ url: site.url, method: 'HEAD' })).toMatchObject({ status: 'success' });
    expect(site.requests.slice(before)).toMatchObject([{ method: 'HEAD' }]);
  });

  it.each([
    [500, {}, 'http_status_mismatch'],
    [404, {}, 'http_status_mismatch'],
    [404, { expected_status_min: 404, expected_status_max: 404 }, 'success'],
    [204, { expected_status_min: 200, expected_status_max: 200 }, 'http_status_mismatch'],
    [399, {}, 'success'],
    [400, {}, 'http_status_mismatch'],
  ] as const)('answered with %i under %o is %s', async (httpStatus, bounds, status) => {
    site.answer(httpStatus);
    const isSuccess = status === 'success';
    expect(await firstResult({ url: site.url, ...bounds })).toMatchObject({
      status,
      http_status: httpStatus,
      error_kind: isSuccess ? null : 'status_out_of_range',
      error_message: isSuccess ? null : expect.stringMatching(/^.{10,200}$/),
    });
  });

  it('without an answer in time is a timeout, which covers everything', async () => {
    site.answer(hang);
    const result = await firstResult({ url: site.url, timeout_ms: 500 });
    expect(result).toMatchObject({ status: 'timeout', http_status: null, error_kind: 'timeout' });
    expect(result.duration_ms).toBeGreaterThanOrEqual(490);
    expect(result.duration_ms).toBeLessThan(2000);
  });

  it('counts from the headers on: a body that never ends is no failure', async () => {
    site.answer((_request, response) => {
      response.writeHead(200);
      response.write('x'.repeat(200_000));
    });
    expect(await firstResult({ url: site.url })).toMatchObject({ status: 'success' });
  });

  it.each([
    ['nxdomain', 'dns_no_answer'],
    ['empty', 'dns_no_answer'],
    ['servfail', 'dns_failed'],
  ] as const)('of a name that answers %s is a DNS error', async (behaviour, kind) => {
    dns.set(`${behaviour}.example.com`, behaviour);
    expect(await firstResult({ url: `http://${behaviour}.example.com/` })).toMatchObject({
      status: 'dns_error',
      http_status: null,
      error_kind: kind,
      checked_url_host: `${behaviour}.example.com`,
    });
  });

  it('of a site that speaks no TLS is a TLS error, and of none a connection error', async () => {
    const closed = await startSite();
    await closed.close();
    expect(await firstResult({ url: closed.url })).toMatchObject({
      status: 'connection_error',
      error_kind: 'connection_failed',
    });
    expect(await firstResult({ url: `https://127.0.0.1:${site.port}/` })).toMatchObject({
      status: 'tls_error',
      error_kind: 'tls_failed',
    });
    const rude = await startRudeServer();
    expect(await firstResult({ url: rude.url })).toMatchObject({ status: 'connection_error' });
    await rude.close();
  });

  it('of a name that leads inside by now is blocked, and counts as a failure', async () => {
    // Public when it is looked up at creation, and inside when it runs.
    dns.set('rebinding.example.com', { addresses: ['93.184.216.34'] }, { addresses: ['10.0.0.1'] });
    const check = await checks.create({ url: 'http://rebinding.example.com/', failure_threshold: 10 });
    expect(await checks.ran(check.check_id, 1)).toMatchObject({
      status: 'security_blocked',
      error_kind: 'address_blocked',
    });
    expect(await checks.read(check.check_id)).toMatchObject({ consecutive_failures: 1 });
    await checks.delete(check.check_id);
  });
});

describe('redirects', () => {
  function redirectTo(...places: string[]) {
    site.answer((request, response) => {
      const step = Number(new URL(request.url, site.url).searchParams.get('step') ?? 0);
      const to = places[step];
      if (to === undefined) response.end();
      else response.writeHead(302, { location: to }).end();
    });
  }

  it('are followed up to five times', async () => {
    redirectTo('?step=1', '?step=2', '?step=3', '?step=4', '/end?step=5&token=secret');
    expect(await firstResult({ url: site.url })).toMatchObject({
      status: 'success',
      redirect_count: 5,
      final_url: `http://127.0.0.1:${site.port}/end`,
    });
    redirectTo('?step=1', '?step=2', '?step=3', '?step=4', '?step=5', '?step=6');
    expect(await firstResult({ url: site.url })).toMatchObject({
      status: 'redirect_blocked',
      http_status: null,
      error_kind: 'too_many_redirects',
      redirect_count: 5,
    });
  });

  it.each([
    'http://10.0.0.1/',
    'http://169.254.169.254/',
    'https://u:p@status.example.com/',
    'ftp://x.example.com/',
  ])('A-45 to %s are refused', async (to) => {
    redirectTo(to);
    expect(await firstResult({ url: site.url })).toMatchObject({
      status: 'redirect_blocked',
      error_kind: 'redirect_target_blocked',
      redirect_count: 0,
      final_url: site.url,
    });
  });

  it('are not followed where the redirect itself is expected', async () => {
    redirectTo('http://10.0.0.1/');
    const bounds = { expected_status_min: 300, expected_status_max: 399 };
    expect(await firstResult({ url: site.url, ...bounds })).toMatchObject({
      status: 'success',
      http_status: 302,
      redirect_count: 0,
    });
  });
});

describe('the schedule', () => {
  it('is a fixed grid from the creation on; missed runs are not made up', async () => {
    site.answer(200);
    const check = await checks.create({ url: site.url, interval_seconds: 600 });
    await checks.ran(check.check_id, 1);
    const createdAtMs = Date.parse(check.created_at);
    const nextAt = async () =>
      (Date.parse((await checks.read(check.check_id)).next_check_at ?? '') - createdAtMs) / 1000;
    expect(await nextAt()).toBe(600);
    await clock.nextRun(checks, check.check_id, 1);
    expect(await nextAt()).toBe(1200);
    // In the middle of the sixth interval: nothing runs until the next point of the grid.
    await clock.forward(2_700_000);
    await eventually(async () => expect(await nextAt()).toBe(3600));
    expect(await checks.results(check.check_id)).toHaveLength(2);
    await clock.nextRun(checks, check.check_id, 2);
    expect(await nextAt()).toBe(4200);
    // A change of the interval goes on at a point of its own grid.
    expect(await checks.update(check.check_id, { interval_seconds: 7200 })).toMatchObject({
      next_check_at: new Date(createdAtMs + 7_200_000).toISOString(),
    });
    await checks.delete(check.check_id);
  });

  it('stops while a check is disabled, which drops its evidence', async () => {
    const check = await checks.create({ url: site.url });
    await checks.ran(check.check_id, 1);
    const disabled = await checks.update(check.check_id, { enabled: false });
    expect(disabled).toMatchObject({ status: 'paused', paused_reason: 'disabled', consecutive_successes: 0 });
    await clock.forward(30_000);
    const other = await checks.create({ url: site.url });
    await checks.ran(other.check_id, 1);
    expect(await checks.results(check.check_id)).toHaveLength(1);
    const enabled = await checks.update(check.check_id, { enabled: true });
    expect(enabled).toMatchObject({ status: 'unknown', paused_reason: null });
    await clock.nextRun(checks, check.check_id, 1);
    expect(await checks.read(check.check_id)).toMatchObject({ status: 'passing', consecutive_successes: 1 });
    await checks.delete(check.check_id);
    await checks.delete(other.check_id);
  });

  it('keeps no check waiting for a slow one', async () => {
    site.answer((request, response) => {
      if (request.url.startsWith('/slow')) hang();
      else response.end();
    });
    const url = `http://127.0.0.1:${site.port}/slow`;
    const slow: string[] = [];
    for (let n = 0; n < 20; n += 1) slow.push((await checks.create({ url, timeout_ms: 5000 })).check_id);
    const quick = await checks.create({ url: site.url });
    await checks.ran(quick.check_id, 1);
    expect(await checks.results(slow.at(-1) ?? '')).toEqual([]);
    for (const checkId of [...slow, quick.check_id]) await checks.delete(checkId);
    // Runs of checks that are gone leave nothing.
    expect(await countRows(culprit, 'availability_checks')).toBe(0);
  });

  it('goes on after the clock was put back', async () => {
    site.answer(200);
    await clock.forward(7_200_000);
    const check = await checks.create({ url: site.url });
    await checks.ran(check.check_id, 1);
    await clock.forward(-7_200_000);
    await restartSchedules(culprit.database);
    await checks.ran(check.check_id, 2);
    await clock.nextRun(checks, check.check_id, 2);
    await checks.delete(check.check_id);
  });
});

/** Closes every connection without a word. */
async function startRudeServer(): Promise<{ url: string; close(): Promise<void> }> {
  const server: Server = createServer((socket) => void socket.destroy());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server listens on no port');
  return {
    url: `http://127.0.0.1:${address.port}/`,
    close: () => new Promise((resolve) => void server.close(() => resolve())),
  };
}
