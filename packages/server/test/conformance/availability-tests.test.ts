import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkClient, LOCAL_SITES, type Site, startSite } from '../support/check-client.ts';
import { countRows } from '../support/count-rows.ts';
import { startCulprit, type TestCulprit } from '../support/culprit.ts';
import { type DnsServer, startDnsServer } from '../support/dns-server.ts';
import { expectProblem } from '../support/expect-problem.ts';
import { managementClient } from '../support/management-client.ts';
import { moveClock } from '../support/move-clock.ts';
import { sendRequest } from '../support/send-events.ts';

/** Asking an address once, before a check is made of it (docs/contract/account.md 7.6). */

const TABLES = [
  'availability_checks',
  'availability_results',
  'availability_days',
  'incidents',
  'batches',
  'jobs',
  'usage_counters',
  'lifecycle_events',
];

let culprit: TestCulprit;
let site: Site;
let dns: DnsServer;
beforeAll(async () => {
  dns = await startDnsServer();
  site = await startSite();
  culprit = await startCulprit({
    hasWorker: false,
    outbound: { ...LOCAL_SITES, nameServers: [dns.address] },
  });
});
afterAll(async () => {
  await culprit.stop();
  await Promise.all([site.close(), dns.close()]);
});

async function tester() {
  const project = await culprit.createProject();
  const { post } = managementClient(culprit, project.memberToken);
  const path = `/v1/projects/${project.projectId}/availability-checks/test`;
  return { project, test: (body: object) => post(path, body), path };
}

describe('the test of an address', () => {
  //
  it('answers what it saw with query values masked, and leaves nothing', async () => {
    const { project, test } = await tester();
    const { check_id } = await checkClient(culprit, project).create({ url: site.url, enabled: false });
    const before = await Promise.all(TABLES.map((table) => countRows(culprit, table)));
    site.answer((request, response) => {
      if (request.url.startsWith('/old'))
        response.writeHead(302, { location: '/new?session=hidden#x' }).end();
      else response.end();
    });
    const asked = site.requests.length;
    const host = `127.0.0.1:${site.port}`;
    const answer = await test({ url: `http://${host}/old%20way?token=hunter2&b&token=3#part` });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      normalized_url: `http://${host}/old%20way?token=[REDACTED]&b=[REDACTED]&token=[REDACTED]`,
      result: {
        status: 'success',
        http_status: 200,
        duration_ms: expect.any(Number),
        error_kind: null,
        error_message: null,
        checked_url_host: host,
        checked_url_path: '/old%20way',
        checked_url_query: { token: '[REDACTED]', b: '[REDACTED]' },
        final_url: `http://${host}/new`,
        redirect_count: 1,
      },
    });
    expect(site.requests.slice(asked).map(({ url }) => url)).toEqual([
      '/old%20way?token=hunter2&b&token=3',
      '/new?session=hidden',
    ]);
    expect(await Promise.all(TABLES.map((table) => countRows(culprit, table)))).toEqual(before);
    expect(await checkClient(culprit, project).read(check_id)).toMatchObject({ last_checked_at: null });
  });

  it('tells every way in which a check can fail', async () => {
    const { test } = await tester();
    dns.set('silent.example.com', 'nxdomain');
    site.answer(503);
    for (const [body, result] of [
      [
        { url: site.url },
        { status: 'http_status_mismatch', http_status: 503, error_kind: 'status_out_of_range' },
      ],
      [
        { url: site.url, expected_status_max: 503 },
        { status: 'success', http_status: 503 },
      ],
      [{ url: 'http://silent.example.com/' }, { status: 'dns_error', error_kind: 'dns_no_answer' }],
      [{ url: `https://127.0.0.1:${site.port}/` }, { status: 'tls_error', error_kind: 'tls_failed' }],
    ] as const) {
      expect(await test(body)).toMatchObject({ status: 200, body: { result } });
    }
    site.answer(() => {});
    expect(await test({ url: site.url, timeout_ms: 500 })).toMatchObject({
      body: { result: { status: 'timeout', http_status: null, error_kind: 'timeout' } },
    });
    for (const body of [
      {},
      { url: 'no address' },
      { url: site.url, interval_seconds: 30 },
      { url: site.url, expected_status_min: 400 },
      { url: site.url, timeout_ms: 499 },
    ]) {
      expectProblem(await test(body), 400, 'invalid_payload');
    }
  });

  it('is for ten times a minute in each project, exactly', async () => {
    const { project, test, path } = await tester();
    site.answer(200);
    const answers = await Promise.all(Array.from({ length: 16 }, () => test({ url: site.url })));
    const refused = answers.filter(({ status }) => status === 429);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
    expect(refused).toHaveLength(6);
    for (const answer of refused) {
      expectProblem(answer, 429, 'rate_limited');
      const seconds = Number(answer.headers.get('retry-after'));
      expect(seconds).toBeGreaterThan(0);
      expect(seconds).toBeLessThanOrEqual(60);
    }
    // What is refused as it is written asks nobody, and is told before the limit.
    expectProblem(await test({ url: 'http://10.0.0.1/' }), 400, 'blocked_target');
    const other = await tester();
    expect((await other.test({ url: site.url })).status).toBe(200);
    // Also in another process: the count is in the database.
    const second = await startCulprit({
      databaseUrl: culprit.databaseUrl,
      hasWorker: false,
      outbound: LOCAL_SITES,
    });
    const token = project.memberToken;
    const body = JSON.stringify({ url: site.url });
    expectProblem(await sendRequest(second.url + path, { token, body }), 429, 'rate_limited');
    await second.stop();
    await moveClock(culprit.database, 60_000);
    expect((await test({ url: site.url })).status).toBe(200);
    await moveClock(culprit.database, 0);
  });
});
