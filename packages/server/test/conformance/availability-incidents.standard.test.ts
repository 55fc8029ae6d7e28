import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseId } from '../../src/platform/ids.ts';
import { type CheckClient, checkClient, LOCAL_SITES, type Site, startSite } from '../support/check-client.ts';
import { type CheckClock, checkClock } from '../support/check-clock.ts';
import { countRows, readNumber } from '../support/count-rows.ts';
import { startCulprit, type TestCulprit } from '../support/culprit.ts';
import { connect, type IncidentClient } from '../support/incident-client.ts';
import { webhookClient } from '../support/webhook-client.ts';
import { startReceiver } from '../support/webhook-receiver.ts';
import { EX } from './incidents-fixtures.ts';

/** What failing checks do to incidents (docs/contract/account.md 7.4 and 7.7). */

let culprit: TestCulprit;
let clock: CheckClock;
beforeAll(async () => {
  culprit = await startCulprit({ retryScale: 0.02, outbound: LOCAL_SITES });
  clock = checkClock(culprit);
});
afterAll(() => culprit.stop());

interface Watched {
  site: Site;
  client: IncidentClient;
  checks: CheckClient;
  checkId: string;
  /** The next runs, one for each answer; returns the check behind the last. */
  run(...statuses: number[]): ReturnType<CheckClient['read']>;
}

/** A site with a check that has not run yet. */
async function watch(
  first: number,
  body: Partial<Parameters<CheckClient['create']>[0]> = {},
  client?: IncidentClient,
): Promise<Watched> {
  const site = await startSite(first);
  const owner = client ?? (await connect(culprit));
  const checks = checkClient(culprit, owner.project);
  const { check_id: checkId } = await checks.create({ url: `${site.url}?token=secret`, ...body });
  await checks.ran(checkId, 1);
  let runs = 1;
  return {
    site,
    client: owner,
    checks,
    checkId,
    async run(...statuses) {
      for (const status of statuses) {
        site.answer(status);
        await clock.nextRun(checks, checkId, runs);
        runs += 1;
      }
      return await checks.read(checkId);
    },
  };
}

/** Nothing runs any more, and nothing is left of the site. */
async function leave({ site, checks, checkId }: Watched): Promise<void> {
  await checks.delete(checkId);
  await site.close();
}

describe('a check that fails', () => {
  //
  it('opens one incident at the threshold, and none before', async () => {
    const watched = await watch(500);
    const { client, run, checks, checkId } = watched;
    expect(await run(500)).toMatchObject({ status: 'unknown', consecutive_failures: 2 });
    await client.processed();
    expect(await client.list()).toEqual([]);
    expect(await run(500)).toMatchObject({ status: 'failing', consecutive_failures: 3 });
    const incident = await client.only(1);
    expect(incident).toMatchObject({
      title: 'Availability check failing: Home',
      severity: 'high',
      status: 'open',
      environment: 'production',
      service_name: 'availability',
      source_trust: 'server',
      matched_fields: ['environment', 'service', 'availability_check'],
      incident_reason: {
        kind: 'request_failure',
        event_type: 'request_event',
        event_class: 'incident_signal',
        matched_policy: 'availability_threshold',
      },
    });
    expect(await checks.read(checkId)).toMatchObject({
      linked_incident_id: incident.incident_id,
      linked_incident_status: 'open',
    });
    await run(500);
    expect(await client.only(2)).toMatchObject({ incident_id: incident.incident_id, status: 'open' });
    expect(await client.ledger('incident.opened')).toHaveLength(1);
    await leave(watched);
  });

  //
  it('recovers at its threshold, which resolves the incident; then the same one regresses', async () => {
    const client = await connect(culprit);
    const receiver = await startReceiver();
    const webhooks = webhookClient(culprit, client.project);
    await webhooks.create(receiver.url, { events: ['bundle.resolved', 'bundle.reopened'] });
    const watched = await watch(500, {}, client);
    const { run, checks, checkId } = watched;
    await run(500, 500);
    const { incident_id: incidentId } = await client.only(1);
    expect(await run(200)).toMatchObject({ status: 'failing', consecutive_successes: 1 });
    expect(await client.read(incidentId)).toMatchObject({ status: 'open' });
    expect(await run(200)).toMatchObject({
      status: 'passing',
      consecutive_failures: 0,
      consecutive_successes: 2,
      linked_incident_id: incidentId,
      linked_incident_status: 'resolved',
    });
    expect(await client.read(incidentId)).toMatchObject({
      status: 'resolved',
      resolved_at: expect.stringMatching(/Z$/),
    });
    expect(await client.ledger('incident.resolved')).toEqual([
      { kind: 'incident.resolved', incidentId, data: { because: 'recovery' } },
    ]);
    const [told] = await receiver.received(1);
    expect(JSON.parse(told?.body.toString() ?? '')).toMatchObject({ event: 'bundle.resolved' });

    await run(500, 500);
    await client.processed();
    expect(await client.read(incidentId)).toMatchObject({ status: 'resolved', occurrence_count: 1 });
    await run(500);
    await client.only(2);
    expect(await client.read(incidentId)).toMatchObject({ status: 'regressed', resolved_at: null });
    expect(await client.ledger('incident.regressed')).toHaveLength(1);
    expect(await checks.read(checkId)).toMatchObject({
      status: 'failing',
      linked_incident_id: incidentId,
      linked_incident_status: 'regressed',
    });
    await receiver.received(2);
    await leave(watched);
    await receiver.stop();
  });

  it('regresses an incident that somebody resolved with its next failed run', async () => {
    const watched = await watch(500, { failure_threshold: 1 });
    const { client, run, checks, checkId } = watched;
    const { incident_id: incidentId } = await client.only(1);
    await client.resolve(incidentId);
    expect(await checks.read(checkId)).toMatchObject({
      status: 'failing',
      linked_incident_status: 'resolved',
    });
    await run(500);
    await client.only(2);
    expect(await client.read(incidentId)).toMatchObject({ status: 'regressed' });
    await leave(watched);
  });

  it('shows its runs as logs and in the bundle, without the query of the address', async () => {
    const watched = await watch(503, { failure_threshold: 1, service_name: 'web', environment: 'staging' });
    const { client, site } = watched;
    const incident = await client.only(1);
    expect(incident).toMatchObject({ service_name: 'web', environment: 'staging' });
    expect(await client.logs(incident.incident_id)).toMatchObject([{ event_type: 'request_event' }]);
    const bundle = await client.bundle(incident.incident_id);
    expect(bundle.summary).toMatchObject({
      title: 'Availability check failing: Home',
      primary_signal: 'request_failure',
    });
    expect(bundle.context.request).toMatchObject({ method: 'GET', path: '/health' });
    expect(bundle.context.response).toMatchObject({ status_code: 503 });
    expect(JSON.stringify(bundle)).not.toContain('secret');
    const { body } = await client.get(`/v1/incidents/${incident.incident_id}/reproduction`);
    expect(body).toMatchObject({ possible: true });
    expect(JSON.stringify(body)).toContain(`127.0.0.1:${site.port}/health`);
    await leave(watched);
  });

  it('keeps to its open incident when it is given another name, service or environment', async () => {
    const watched = await watch(500, { failure_threshold: 1, recovery_threshold: 1 });
    const { client, run, checks, checkId } = watched;
    const first = await client.only(1);
    await checks.update(checkId, { name: 'Renamed', service_name: 'web', environment: 'staging' });
    await run(500);
    expect(await client.only(2)).toMatchObject({ incident_id: first.incident_id, environment: 'production' });
    // What recovered is over: the next failure belongs where the check is now.
    await run(200, 500);
    const found = await client.counted(1, 2);
    expect(found.map(({ environment, status }) => [environment, status]).sort()).toEqual([
      ['production', 'resolved'],
      ['staging', 'open'],
    ]);
    expect(await checks.read(checkId)).toMatchObject({ linked_incident_status: 'open' });
    // Back where it was, its old incident is there again.
    await run(200);
    await checks.update(checkId, { service_name: null, environment: 'production' });
    await run(500);
    await client.counted(1, 3);
    expect(await checks.read(checkId)).toMatchObject({
      linked_incident_id: first.incident_id,
      linked_incident_status: 'regressed',
    });
    await leave(watched);
  });

  it.each([
    ['method', { method: 'HEAD' }],
    ['expected_status_max', { expected_status_max: 299 }],
    ['timeout_ms', { timeout_ms: 2600 }],
  ] as const)(
    'begins without evidence when its %s changes, and leaves its incident',
    async (_what, change) => {
      const watched = await watch(500, { failure_threshold: 2 });
      const { client, run, checks, checkId } = watched;
      await run(500);
      const { incident_id: incidentId } = await client.only(1);
      expect(await checks.update(checkId, change)).toMatchObject({
        status: 'unknown',
        consecutive_failures: 0,
        linked_incident_status: 'open',
      });
      expect(await run(500)).toMatchObject({ status: 'unknown', consecutive_failures: 1 });
      expect(await run(500)).toMatchObject({ status: 'failing' });
      expect(await client.only(2)).toMatchObject({ incident_id: incidentId, status: 'open' });
      // And a change to what works resolves it, at the threshold.
      await checks.update(checkId, { timeout_ms: 3000 });
      expect(await run(200)).toMatchObject({ status: 'passing', linked_incident_status: 'open' });
      expect(await run(200)).toMatchObject({ status: 'passing', linked_incident_status: 'resolved' });
      await leave(watched);
    },
  );

  it('leaves its incident as it is when it is disabled or deleted', async () => {
    const watched = await watch(500, { failure_threshold: 1 });
    const { client, checks, checkId } = watched;
    const { incident_id: incidentId } = await client.only(1);
    expect(await checks.update(checkId, { enabled: false })).toMatchObject({
      status: 'paused',
      linked_incident_id: incidentId,
      linked_incident_status: 'open',
    });
    await leave(watched);
    expect(await client.read(incidentId)).toMatchObject({ status: 'open' });
  });

  it('counts its runs as events of nobody: no meter, no fate, no rate', async () => {
    const watched = await watch(500, { failure_threshold: 1 });
    const { client, run } = watched;
    await client.send(EX());
    await run(500, 500);
    await client.counted(1, 3);
    await client.processed();
    const id = parseId(['proj'], client.project.projectId);
    expect(await countRows(culprit, 'events where project_id = $1', [id])).toBe(4);
    const fate = (word: string) =>
      readNumber(culprit, 'sum(events)', 'event_fates where project_id = $1 and fate = $2', [id, word]);
    expect([await fate('submitted'), await fate('processed')]).toEqual([1, 1]);
    const meter = `project_usage where project_id = $1 and meter = 'monthly_raw_ingested_events'`;
    expect(await readNumber(culprit, 'sum(used)', meter, [id])).toBe(1);
    await leave(watched);
  });

  it('is nothing a client can send', async () => {
    const watched = await watch(200);
    const { client, checkId } = watched;
    const forged = {
      event_type: 'request_event',
      timestamp: new Date().toISOString(),
      sdk: { name: 'custom', version: '1.0.0' },
      service: { name: 'availability', environment: 'production' },
      context: { availability_check: { check_id: checkId, name: 'Home' } },
      payload: { method: 'GET', path: '/health', response_status: 500, duration_ms: 1 },
    };
    for (const field of ['failingCheck', 'matched_policy', 'event_class']) {
      await expect(client.send({ ...forged, [field]: 'availability_threshold' })).rejects.toThrow(
        'unknown field',
      );
    }
    await client.send(forged);
    const incident = await client.only(1);
    expect(incident.title).toBe('GET /health returned 500');
    expect(incident.incident_reason.matched_policy).toBe('immediate_failure_5xx');
    expect(await watched.checks.read(checkId)).toMatchObject({ linked_incident_id: null });
    await leave(watched);
  });
});
