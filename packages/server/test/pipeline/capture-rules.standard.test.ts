import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { newUuid, parseId } from '../../src/platform/ids.ts';
import { readNumber } from '../support/count-rows.ts';
import { SELF_HOSTED, startCulprit, type TestCulprit, type TestProject } from '../support/culprit.ts';
import { clientOf } from '../support/incident-client.ts';
import { holdClock, moveClock } from '../support/move-clock.ts';
import { type RoleProcess, startApiProcess, startWorkerProcess } from '../support/role-process.ts';
import { type RuleClient, ruleClient } from '../support/rule-client.ts';
import { type Acknowledgement, acknowledgement, sendEvents } from '../support/send-events.ts';
import { readStoredBatches } from '../support/stored-events.ts';

// Runs on the oldest PostgreSQL too.

/** Capture rules from the API to fates, incidents and counters, with two API and two worker processes. */

const plans = SELF_HOSTED;
const DROPPED = 'capture_rule_dropped';

let culprit: TestCulprit;
let processes: RoleProcess[];
let urls: [string, string];

beforeAll(async () => {
  culprit = await startCulprit({ plans });
  const [api, worker] = await Promise.all([
    startApiProcess(culprit, { plans }),
    startWorkerProcess(culprit, { plans }),
  ]);
  processes = [api, worker];
  urls = [culprit.url, api.report];
});
afterAll(async () => {
  await Promise.all(processes.map((each) => each.kill()));
  await culprit.stop();
});
afterEach(() => moveClock(culprit.database, 0));

function exception(name = 'TypeError', fields: object = {}) {
  return {
    event_type: 'backend_exception',
    timestamp: '2026-03-24T10:30:00Z',
    service: { name: 'api-server', environment: 'production' },
    payload: { name, message: `${name} broke`, stack: null },
    ...fields,
  };
}

function send(project: TestProject, events: readonly object[], url = culprit.url): Promise<Acknowledgement> {
  return sendEvents(url, project.projectToken, events).then(acknowledgement);
}

async function start(): Promise<{ project: TestProject; rules: RuleClient }> {
  const project = await culprit.createProject();
  return { project, rules: ruleClient(culprit.url, project) };
}

async function fates(project: TestProject): Promise<Record<string, number>> {
  const rows = await culprit.database.query<{ fate: string; rule: string | null; events: number }>(
    {
      name: 'test-fates-by-rule',
      text: `select fate, r.name as rule, sum(events)::bigint as events
        from event_fates f left join capture_rules r using (rule_id)
        where f.project_id = $1 group by fate, r.name`,
    },
    [parseId(['proj'], project.projectId)],
  );
  return Object.fromEntries(
    rows.map(({ fate, rule, events }) => [rule === null ? fate : `${fate} by ${rule}`, events]),
  );
}

describe('a change of rules', () => {
  it('counts from the next batch on, in every process', { timeout: 60_000 }, async () => {
    const { project } = await start();
    for (let round = 0; round < 12; round += 1) {
      const [here, there] = round % 2 === 0 ? urls : ([urls[1], urls[0]] as const);
      const rules = ruleClient(here, project);
      const isDropped = async () => (await send(project, [exception()], there)).rejected === 1;
      expect(await isDropped()).toBe(false);
      const { id } = await rules.create({ matcher: { services: ['api-server'] } });
      expect(await isDropped()).toBe(true);
      await rules.update(id, { enabled: false });
      expect(await isDropped()).toBe(false);
      await rules.update(id, { enabled: true, matcher: { services: ['web'] } });
      expect(await isDropped()).toBe(false);
      await rules.update(id, { matcher: { error_name: 'TypeError' } });
      expect(await isDropped()).toBe(true);
      await rules.delete(id);
    }
  });

  it('of the policy counts from the next batch on, in every process', async () => {
    const { project } = await start();
    const log = { ...exception(), event_type: 'log_event', payload: { level: 'info', message: 'm' } };
    for (const [here, there] of [urls, urls.toReversed()]) {
      const rules = ruleClient(String(here), project);
      for (const [capture_logs, rejected] of [
        ['error', 1],
        ['info', 0],
        ['off', 1],
        [null, 0],
      ] as const) {
        await rules.patchPolicy({ capture_logs });
        expect((await send(project, [log], there)).rejected).toBe(rejected);
      }
    }
  });

  it('and the moment at which a rule ends, hold to the millisecond', async () => {
    const { project, rules } = await start();
    const nowMs = Date.parse('2026-11-24T10:30:00.000Z');
    await holdClock(culprit.database, nowMs);
    await rules.create({
      matcher: { services: ['api-server'] },
      expires_at: new Date(nowMs + 5000).toISOString(),
    });
    for (const [atMs, rejected] of [
      [nowMs, 1],
      [nowMs + 4999, 1],
      [nowMs + 5000, 0],
      [nowMs, 1],
    ] as const) {
      await holdClock(culprit.database, atMs);
      for (const url of urls) expect((await send(project, [exception()], url)).rejected).toBe(rejected);
    }
  });

  it('is about one project, also where events of several share a window', async () => {
    const { project, rules } = await start();
    const { project: other } = await start();
    await rules.create({ matcher: { services: ['api-server'] } });
    const sent = await Promise.all(
      Array.from({ length: 60 }, (_, n) => send(n % 2 === 0 ? project : other, [exception()], urls[n % 2])),
    );
    expect(sent.map(({ rejected }) => rejected)).toEqual(Array.from({ length: 60 }, (_, n) => (n + 1) % 2));
  });
});

describe('events that a rule decides', () => {
  it('each end in one fate that names the rule, and are refused in the order of the batch', async () => {
    const { project, rules } = await start();
    await rules.create({ name: 'a', matcher: { error_name: 'A' } });
    await rules.create({ name: 'b', matcher: { error_name: 'B' }, action: 'demote' });
    const sampled = { action: 'sample', sample_event_class: 'preserve' } as const;
    await rules.create({ ...sampled, name: 'c', matcher: { error_name: 'C' }, sample_rate: 0 });
    await rules.create({ ...sampled, name: 'd', matcher: { error_name: 'D' }, sample_rate: 1 });
    const debug = { ...exception(), event_type: 'log_event', payload: { level: 'debug', message: 'm' } };
    const answer = await send(project, [
      exception('A'),
      { nothing: true },
      exception('B'),
      debug,
      exception('C'),
      exception('D'),
      exception('E'),
      exception('A'),
    ]);
    expect(answer).toEqual({
      accepted: 3,
      rejected: 5,
      errors: [
        { index: 0, reason: DROPPED },
        { index: 1, reason: 'invalid_event: missing field "event_type"' },
        { index: 3, reason: 'capture_policy_rejected' },
        { index: 4, reason: 'capture_rule_sampled_out' },
        { index: 7, reason: DROPPED },
      ],
    });
    await clientOf(culprit, project).processed();
    expect(await fates(project)).toEqual({
      submitted: 8,
      invalid: 1,
      refused_by_policy: 1,
      'dropped by a': 2,
      'sampled_out by c': 1,
      demoted: 1,
      processed: 2,
    });
    const [batch] = await readStoredBatches(culprit, project.projectId);
    const named = new Map((await rules.list()).map(({ id, name }) => [id, name]));
    expect(
      batch?.records.map((record) => [
        named.get(record.ruleId ?? '') ?? null,
        record.eventClass,
        record.isDemoted,
      ]),
    ).toEqual([
      ['b', 'context_signal', true],
      ['d', 'incident_signal', false],
      [null, 'incident_signal', false],
    ]);
  });

  it('keep their class when they are no signals, whatever demotes them', async () => {
    const { project, rules } = await start();
    const { id } = await rules.create({ action: 'demote', matcher: { services: ['api-server'] } });
    const deploy = { ...exception(), event_type: 'deploy_metadata', payload: { version: '1' } };
    const suppressed = { ...exception(), event_type: 'error_suppressed', payload: { suppressed_count: 3 } };
    expect(await send(project, [deploy, suppressed, exception()])).toMatchObject({ accepted: 3 });
    const [batch] = await readStoredBatches(culprit, project.projectId);
    expect(batch?.records.map(({ eventClass, isDemoted }) => [eventClass, isDemoted])).toEqual([
      ['context_signal', false],
      ['operational_signal', false],
      ['context_signal', true],
    ]);
    await clientOf(culprit, project).processed();
    expect(await fates(project)).toEqual({ submitted: 3, demoted: 1, processed: 2 });
    await rules.hits(id, 3);
  });

  it('leave nothing behind when all of a request are refused', async () => {
    const { project, rules } = await start();
    await rules.create({ name: 'all', matcher: { services: ['api-server'] } });
    expect(await send(project, [exception(), exception()])).toMatchObject({ accepted: 0, rejected: 2 });
    expect(await readStoredBatches(culprit, project.projectId)).toEqual([]);
    expect(await fates(project)).toEqual({ submitted: 2, 'dropped by all': 2 });
  });

  it('join the timeline of their incident when they are demoted, and neither count nor reopen it', async () => {
    const { project, rules } = await start();
    const client = clientOf(culprit, project);
    await client.send(exception());
    const { incident_id } = await client.resolve((await client.only()).incident_id);
    await rules.create({ action: 'demote', matcher: { error_name: 'TypeError' } });
    await client.send(exception('TypeError', { event_id: 'evt_demoted' }));
    await client.processed();
    expect(await client.read(incident_id)).toMatchObject({ status: 'resolved', occurrence_count: 1 });
    expect((await client.logs(incident_id)).map((row) => row.event_id)).toContain('evt_demoted');
  });
});

describe('the counter of a rule', () => {
  it('grows with every decisive match, kept or not, and tells of the last', async () => {
    const { project, rules } = await start();
    const drop = await rules.create({ matcher: { error_name: 'A' } });
    const demote = await rules.create({ matcher: { error_name: 'B' }, action: 'demote' });
    const idle = await rules.create({ matcher: { services: ['api-server'] } });
    expect(drop).toMatchObject({ hit_count: 0, last_matched_at: null });
    for (const url of urls) {
      await send(project, [exception('A'), exception('B'), exception('A')], url);
      await Promise.all(
        Array.from({ length: 10 }, () => send(project, [exception('A'), exception('B')], url)),
      );
    }
    const before = await rules.hits(drop.id, 24);
    await rules.hits(demote.id, 22);
    expect(await rules.read(idle.id)).toMatchObject({ hit_count: 0, last_matched_at: null });
    // Counting is no change of the rule.
    expect(before.updated_at).toBe(drop.updated_at);

    await moveClock(culprit.database, 3_600_000);
    await send(project, [exception('A')]);
    const after = await rules.hits(drop.id, 25);
    expect(Date.parse(after.last_matched_at ?? '')).toBeGreaterThan(
      Date.parse(before.last_matched_at ?? '') + 3_000_000,
    );
  });

  it('does not grow with repetitions of a kept event, but with those of a dropped one', async () => {
    const { project, rules } = await start();
    const kept = await rules.create({ matcher: { error_name: 'B' }, action: 'demote' });
    const dropped = await rules.create({ matcher: { error_name: 'A' } });
    const [a, b] = [exception('A', { event_id: newUuid() }), exception('B', { event_id: newUuid() })];
    for (let n = 0; n < 4; n += 1) await send(project, [a, b, b], urls[n % 2]);
    await clientOf(culprit, project).processed();
    await rules.hits(dropped.id, 4);
    await rules.hits(kept.id, 1);
    expect(await fates(project)).toMatchObject({ demoted: 1, duplicate: 7 });
  });

  it('is written down elsewhere first, so that no event waits for the row of its rule', async () => {
    const { project, rules } = await start();
    const { id } = await rules.create({ matcher: { services: ['api-server'] } });
    await culprit.database.transaction(async (transaction) => {
      await transaction.query(
        { name: 'test-hold-rule', text: 'select 1 from capture_rules where rule_id = $1 for update' },
        [id],
      );
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, n) => send(project, [exception()], urls[n % 2])),
      );
      expect(answers.every(({ rejected }) => rejected === 1)).toBe(true);
    });
    await rules.hits(id, 20);
  });

  it('goes with its rule', async () => {
    const { project, rules } = await start();
    const { id } = await rules.create({ matcher: { services: ['api-server'] } });
    await send(project, [exception()]);
    await rules.delete(id);
    const other = await rules.create({ matcher: { services: ['api-server'] } });
    await send(project, [exception()]);
    await rules.hits(other.id, 1);
    expect(await readNumber(culprit, 'count(*)', 'capture_rule_hits where rule_id = $1', [id])).toBe(0);
  });
});
