// Proves 18.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALERTS_LANE } from '../../src/notify/alerts/alerts.jobs.ts';
import { claimMessages, recordNotSent, recordSent } from '../../src/notify/alerts/attempts.queries.ts';
import { alertsLane } from '../../src/notify/alerts/evaluate-alerts.ts';
import { fitQueries } from '../../src/pipeline/incidents/searching/fit-queries.ts';
import { insertLifecycleEvents } from '../../src/pipeline/ledger/lifecycle.queries.ts';
import { type Database, openDatabase } from '../../src/platform/db/database.ts';
import { startJobLoop } from '../../src/platform/jobs/job-loop.ts';
import { createLogger } from '../../src/platform/log.ts';
import { CLAIM_SECONDS } from '../../src/platform/row-queue/claim-statement.ts';
import { deriveKeys } from '../../src/platform/secrets/keys.ts';
import { laneOf } from '../../src/roles/lane-loops.ts';
import { laneRow } from '../../src/roles/lanes.ts';
import { type AlertClient, alertClient } from '../support/alert-client.ts';
import { countRows, readNumber } from '../support/count-rows.ts';
import { HOSTED, startCulprit, type TestCulprit } from '../support/culprit.ts';
import { eventually } from '../support/eventually.ts';
import { moveClock } from '../support/move-clock.ts';

/**
 * docs/contract/reliability.md test 18 for alerts: workers that evaluate the same project at once, many times over.
 * Cooldowns, digests and the allowance come out as if there were one worker.
 */

const ROUNDS = 1000;
const ROUNDS_PER_JOB = 20;
const WORKERS = 3;
const TEAM_ALERTS = 4500;
const HOOK = 'https://hooks.example.com/x';
const CAPACITY = { all: 64, untested: 64, slow: 64, perReceiver: 4, concurrent: 64, underWay: {} };
const NO_RECEIVER = '00000000-0000-0000-0000-000000000000';

let culprit: TestCulprit;
beforeAll(async () => {
  culprit = await startCulprit({ plans: HOSTED, hasWorker: false });
});
afterAll(() => culprit.stop());

interface Raced {
  projectId: string;
  alerts: AlertClient;
  incidentIds: string[];
  /** Writes a spike of each of some incidents, several in one job. */
  spike(incidentIds: readonly string[], at: string): Promise<void>;
}

async function prepare(incidents: number): Promise<Raced> {
  const project = await culprit.createProject({ plan: 'team' });
  const projectId = project.projectId.replace('proj_', '');
  const rows = await culprit.database.query<{ incident_id: string }>(
    {
      name: 'test-many-incidents',
      text: `with service as (
          insert into services (service_id, project_id, name, environment, last_seen_at)
          values (gen_random_uuid(), $1, 'api', 'production', culprit_now()) returning service_id
        )
        insert into incidents (incident_id, number, project_id, service_id, service_name, environment, fingerprint_version,
          fingerprint, fingerprint_kind, title, severity, status, first_seen_at, last_seen_at, occurrence_count,
          status_changed_at, matched_fields, readers, rule, reason_kind, reason_description, reason_event_type,
          reason_matched_policy, newest_received_at)
        select gen_random_uuid(), 1000000 + n, $1, service_id, 'api', 'production', 'v2', sha256(n::text::bytea), 'exception',
          'many ' || n, 2, 'open', now, now, 1, now, '{}', '{}', 'error_message', 'backend_exception', '',
          'backend_exception', 'always_incident', now
        from service, culprit_now() as now, generate_series(1, $2) as n returning incident_id`,
    },
    [projectId, incidents],
  );
  return {
    projectId,
    alerts: alertClient(culprit, project),
    incidentIds: rows.map((row) => row.incident_id),
    async spike(incidentIds, at) {
      await culprit.database.transaction(async (transaction) => {
        for (let start = 0; start < incidentIds.length; start += ROUNDS_PER_JOB) {
          const events = incidentIds.slice(start, start + ROUNDS_PER_JOB).map((incidentId) => ({
            projectId,
            incidentId,
            kind: 'incident.spike_detected' as const,
            data: { severity: 'high', spike_detected_at: at, events_5m: 30, baseline_5m: 1, ratio: 30 },
          }));
          insertLifecycleEvents(transaction, events);
        }
      });
    },
  };
}

/** Lets several workers evaluate all that waits, each with connections of its own. */
async function race(): Promise<void> {
  const log = createLogger({ level: 'fatal', role: 'test', toStandardError: true });
  const databases: Database[] = [];
  const loops = Array.from({ length: WORKERS }, () => {
    const database = openDatabase({
      url: culprit.databaseUrl,
      connectionsMax: 2,
      applicationName: 'culprit-test',
    });
    databases.push(database);
    const keys = deriveKeys(culprit.dataKey);
    const work = alertsLane({ database, plans: HOSTED, keys, isMailConfigured: true, fitQueries });
    const lane = laneOf(laneRow(ALERTS_LANE), work, { database, log, retryScale: 1 });
    return startJobLoop({ database, lanes: [lane], log, pollIntervalMs: 20 });
  });
  await eventually(
    async () => expect(await countRows(culprit, `jobs where lane = 'alerts'`)).toBe(0),
    60_000,
  );
  await Promise.all(loops.map((loop) => loop.stop()));
  await Promise.all(databases.map((database) => database.close()));
}

describe('workers that race for alerts', () => {
  it(`notify once in each of ${ROUNDS} cooldowns, and never open two digests`, {
    timeout: 90_000,
  }, async () => {
    const { projectId, alerts, incidentIds, spike } = await prepare(ROUNDS);
    const spikes = { condition_type: 'error_spike', cooldown_seconds: 3600 };
    const hook = await alerts.create({ ...spikes, channel: 'webhook', config: { target_url: HOOK } });
    const mail = await alerts.create({ ...spikes, channel: 'email', config: { to: 'oncall@example.test' } });
    await spike(incidentIds, '2026-01-01T00:00:00.000Z');
    await spike(incidentIds, '2026-01-01T00:05:00.000Z');
    // The same work a second time, as after a worker that died behind its commit.
    await culprit.database.script(`
      insert into jobs (lane, kind, fairness_key, payload)
      select lane, kind, fairness_key, payload from jobs where lane = 'alerts'`);
    await race();
    for (const { alert_id } of [hook, mail]) {
      const made = await alerts.deliveries(alert_id);
      expect(made).toHaveLength(ROUNDS);
      expect(new Set(made.map(({ notification_key }) => notification_key)).size).toBe(ROUNDS);
    }
    const messages = await countRows(culprit, 'alert_messages where project_id = $1', [projectId]);
    expect(await alerts.used()).toBe(messages);
    const overlapping = await countRows(
      culprit,
      `alert_messages a join alert_messages b using (project_id, recipient)
        where project_id = $1 and a.message_id <> b.message_id
          and b.created_at >= a.created_at and b.created_at < a.created_at + interval '10 s'`,
      [projectId],
    );
    expect(overlapping).toBe(0);
  });

  it('never pass the allowance', { timeout: 60_000 }, async () => {
    const { projectId, alerts, incidentIds, spike } = await prepare(300);
    const left = 137;
    const rule = { condition_type: 'error_spike', channel: 'webhook', config: { target_url: HOOK } };
    await alerts.create(rule);
    await alerts.create({ ...rule, config: { target_url: `${HOOK}/other` } });
    await culprit.database.query(
      {
        name: 'test-use-alerts',
        text: `insert into usage_counters (organization_id, window_started_at, meter, used)
          select p.organization_id, o.plan_started_at, 'monthly_alert_deliveries', $2
          from projects p join organizations o using (organization_id) where p.project_id = $1`,
      },
      [projectId, TEAM_ALERTS - left],
    );
    await spike(incidentIds, '2026-01-01T00:00:00.000Z');
    await race();
    expect(await alerts.deliveries()).toHaveLength(left);
    expect(await alerts.used()).toBe(TEAM_ALERTS);
    // Nothing of it is made up for later.
    await moveClock(culprit.database, 32 * 86_400_000);
    await race();
    expect(await alerts.deliveries()).toHaveLength(left);
    await moveClock(culprit.database, 0);
  });

  it('send a message one at a time: a lease that ran out is taken over, and its holder comes too late', async () => {
    const { projectId, alerts, incidentIds, spike } = await prepare(1);
    await alerts.create({ condition_type: 'error_spike', channel: 'webhook', config: { target_url: HOOK } });
    await spike(incidentIds, '2026-01-01T00:00:00.000Z');
    await race();
    const [made] = await alerts.deliveries();
    const claim = async () =>
      (await claimMessages(culprit.database, 'chat', NO_RECEIVER, CAPACITY)).attempts.filter(
        ({ messageId }) => messageId === made?.message_id,
      );
    const both = await Promise.all([claim(), claim()]);
    const [stale] = both.flat();
    expect(both.flat()).toHaveLength(1);
    await moveClock(culprit.database, (CLAIM_SECONDS + 1) * 1000);
    const [holder] = await claim();
    if (stale === undefined || holder === undefined) throw new Error('nothing was claimed');
    expect(holder).toMatchObject({ messageId: stale.messageId, attempt: 2 });
    const failure = { responseCode: 500, error: 'http_500', waitMs: null, isUnknown: false };
    expect(await recordNotSent(culprit.database, stale, failure)).toBe(false);
    const success = { responseCode: 200, readAtMs: Date.now() };
    expect(await recordSent(culprit.database, stale, success)).toBe(false);
    expect(await recordSent(culprit.database, holder, success)).toBe(true);
    await alerts.reached([{ status: 'delivered', attempt_count: 2, last_response_code: 200 }]);
    expect(await readNumber(culprit, 'count(*)', 'alert_deliveries where project_id = $1', [projectId])).toBe(
      1,
    );
    await moveClock(culprit.database, 0);
  });

  it('tell of a message that arrives while its rule is deleted that it did', async () => {
    const { projectId, alerts, incidentIds, spike } = await prepare(1);
    const rule = { condition_type: 'error_spike', channel: 'webhook', config: { target_url: HOOK } };
    const { alert_id } = await alerts.create(rule);
    await spike(incidentIds, '2026-01-01T00:00:00.000Z');
    await race();
    const { attempts } = await claimMessages(culprit.database, 'chat', NO_RECEIVER, CAPACITY);
    const [made] = await alerts.deliveries();
    const attempt = attempts.find(({ messageId }) => messageId === made?.message_id);
    if (attempt === undefined) throw new Error('nothing was claimed');
    let deletion: Promise<unknown> = Promise.resolve();
    await culprit.database.transaction(async (transaction) => {
      await recordSent(transaction, attempt, { responseCode: 200, readAtMs: Date.now() });
      deletion = alerts.delete(alert_id);
      await eventually(async () => {
        const waiting = await transaction.query({
          name: 'test-waiting',
          text: 'select 1 from pg_locks where not granted and transactionid = pg_current_xact_id()::xid',
        });
        expect(waiting).toHaveLength(1);
      });
    });
    await deletion;
    const dropped = 'alert_deliveries where project_id = $1 and dropped_at is not null';
    expect(await countRows(culprit, dropped, [projectId])).toBe(0);
  });
});
