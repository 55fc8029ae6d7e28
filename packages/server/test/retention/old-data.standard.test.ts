import { existsSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parseId } from '../../src/platform/ids.ts';
import { openObjectStore } from '../../src/platform/objects/open-object-store.ts';
import { cleanProject } from '../../src/upkeep/retention/clean-project.ts';
import { dropEventDays } from '../../src/upkeep/retention/maintenance-tasks.ts';
import { DAY, DEP, EX, EXR, HOUR, named, REQ } from '../conformance/incidents-fixtures.ts';
import { nodeException } from '../conformance/library-events.ts';
import { planFault } from '../reliability/fault-plan.ts';
import { faultyDatabase } from '../reliability/faulty-database.ts';
import { countRows } from '../support/count-rows.ts';
import { HOSTED, SELF_HOSTED, startCulprit, type TestCulprit } from '../support/culprit.ts';
import { eventually } from '../support/eventually.ts';
import { exhaust } from '../support/exhaust.ts';
import { connect, type IncidentClient } from '../support/incident-client.ts';
import { moveClock } from '../support/move-clock.ts';
import { ageTo, claimCleaning, cleaningOptions, keptRows, QUICK_LOOKS } from '../support/retention.ts';
import { runLeaderTasks, workerRuntime } from '../support/worker-runtime.ts';

/**
 * What goes, and what stays, beside the incidents themselves (docs/contract/incidents.md 8;
 * docs/contract/reliability.md A8).
 */
const PLANS = { ...SELF_HOSTED, retention: { rawDays: 1, incidentDays: 3 } };

describe('the old data of a self-hosted service', () => {
  let culprit: TestCulprit;
  let client: IncidentClient;
  let projectId: string;
  /** Where the clock stands before a case: at noon, because what goes by whole days goes earlier late in the day. */
  let startMs = DAY / 2 - (Date.now() % DAY);
  beforeAll(async () => {
    culprit = await startCulprit({ plans: PLANS, ...QUICK_LOOKS });
  });
  afterAll(() => culprit.stop());
  beforeEach(async () => {
    startMs += 30 * DAY;
    await moveClock(culprit.database, startMs);
    client = await connect(culprit);
    projectId = parseId(['proj'], client.project.projectId) ?? '';
  });

  const pass = (durationMs: number) => ageTo(culprit, startMs + durationMs);
  const rows = (table: string) => countRows(culprit, `${table} where project_id = $1`, [projectId]);
  const eventDays = () => countRows(culprit, `pg_inherits where inhparent = 'events'::regclass`);
  const runtime = () => workerRuntime(culprit, PLANS);

  it('goes by the configured windows, event rows by whole days', async () => {
    await client.send(EX(), DEP());
    const { incident_id } = await client.only();
    await client.bundle(incident_id);
    await pass(0.9 * DAY);
    expect(await client.logs(incident_id)).toMatchObject([{ is_sampled: true }]);
    await pass(1.1 * DAY);
    expect(await client.logs(incident_id)).toMatchObject([{ is_sampled: false }]);
    expect(await rows('batches')).toBe(0);
    await pass(2.9 * DAY);
    expect(await rows('deployments')).toBe(1);
    expect(await client.list()).toHaveLength(1);
    await pass(3.1 * DAY);
    expect(await client.list()).toEqual([]);
    expect([await rows('deployments'), await rows('services')]).toEqual([0, 0]);
    await pass(4.1 * DAY);
    await eventually(async () => expect(await eventDays()).toBe(0));
    // The next events have a day again.
    await client.send(EX());
    await client.only();
    expect(await rows('events')).toBe(1);
  });

  it('goes with every document of an ended incident, and none of those opened with it', async () => {
    // In one batch, so that their ids share the beginning that names the folder.
    await client.send(EX({ event_id: 'evt_ends' }), named('Ends'), named('Lives'));
    const opened = await client.counted(1, 1, 1);
    const lives = opened.find(({ title }) => title.includes('Lives'))?.incident_id ?? '';
    for (const { incident_id } of opened) await client.bundle(incident_id);
    const keys = await culprit.database.query<{ object_key: string; incident_id: string }>(
      {
        name: 'test-bundle-keys',
        text: 'select object_key, incident_id from bundles where project_id = $1 order by object_key',
      },
      [projectId],
    );
    const [own, ended] = [true, false].map((isOwn) =>
      keys.filter((each) => (each.incident_id === parseId(['inc'], lives)) === isOwn),
    );
    const orphan = `${ended?.[0]?.object_key}-of-a-commit-that-failed`;
    const before = `bundles/${projectId}/${ended?.[0]?.incident_id}/of-a-release-before`;
    const store = await openObjectStore(culprit.objectStore);
    for (const key of [orphan, before]) await store.put(key, Buffer.from('{}'));
    await pass(2 * DAY);
    await client.send(named('Lives'));
    await client.counted(1, 1, 2);
    await pass(3.5 * DAY);
    expect(await client.list()).toMatchObject([{ incident_id: lives }]);
    await pass(3.6 * DAY);
    for (const key of [...(ended ?? []).map(({ object_key }) => object_key), orphan, before])
      expect(await store.exists(key)).toBe(false);
    expect(own).toHaveLength(1);
    const shared = join(culprit.objectDirectory, dirname(own?.[0]?.object_key ?? ''));
    // A refresh may have left the document before for a while.
    const left = await readdir(shared);
    expect(left.filter((name) => !name.startsWith(parseId(['inc'], lives) ?? ' '))).toEqual([]);
    expect((await client.bundle(lives)).context.error?.name).toBe('LivesError');
    // The folder goes with the last of them.
    await pass(6 * DAY);
    await pass(6.1 * DAY);
    expect(existsSync(shared)).toBe(false);
  });

  it('keeps the service of an incident, and forgets one that was not seen', async () => {
    await client.send(EX(), REQ({ service: { name: 'silent', environment: 'production' } }));
    await client.counted(1, 1);
    await pass(2 * DAY);
    await client.send(EX({ event_id: 'evt_again' }));
    await client.counted(2, 1);
    await pass(3.5 * DAY);
    expect(await rows('services')).toBe(1);
    expect(await client.list()).toMatchObject([{ service_name: 'checkout-api', occurrence_count: 2 }]);
  });

  it('does not go before what waits for its worker is counted', async () => {
    await client.send(EX({ event_id: 'evt_before' }));
    const { incident_id } = await client.only();
    await culprit.stopWorker();
    await moveClock(culprit.database, startMs + 2 * DAY);
    await client.send(EX({ event_id: 'evt_waits' }), named('Waits'));
    await moveClock(culprit.database, startMs + 3.5 * DAY);
    for (let job = await claimCleaning(culprit); job !== undefined; job = await claimCleaning(culprit)) {
      await cleanProject(job, await cleaningOptions(culprit, PLANS));
    }
    expect((await client.only()).incident_id).toBe(incident_id);
    await culprit.startWorker();
    await client.counted(2, 1);
    expect((await client.list()).map((incident) => incident.incident_id)).toContain(incident_id);
    // Their raw events are past the window too, and stay for the bundles that are still to be made of them.
    const other = (await client.list()).find((incident) => incident.incident_id !== incident_id);
    expect((await client.bundle(other?.incident_id ?? '')).context.error?.message).toContain('Waits');
    await pass(3.5 * DAY + 3 * HOUR);
    expect(await rows('batches')).toBe(0);
  });

  it('takes along dead letters, the marks of split batches, and objects without a row', async () => {
    await client.send(EX());
    await client.only();
    await culprit.database.query(
      {
        name: 'test-split',
        text: `with split as (
            update batches set split_at = processed_at, processed_at = null where project_id = $1 returning batch_id
          ), parts as (
            insert into batch_parts (batch_id, position, processed_at) select batch_id, 0, culprit_now() from split
          )
          insert into dead_letters (project_id, batch_id, position, reason, attempts)
          select $1, batch_id, 0, 'planted', 8 from split`,
      },
      [projectId],
    );
    const day = new Date(Date.now() + startMs).toISOString().slice(0, 10);
    const folder = join(culprit.objectDirectory, 'raw', projectId, day);
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'nobody-names-me'), 'x');
    await pass(0.9 * DAY);
    expect(await rows('dead_letters')).toBe(1);
    expect(await readdir(folder)).toHaveLength(2);
    await pass(2.2 * DAY);
    expect([await rows('dead_letters'), await rows('batches')]).toEqual([0, 0]);
    expect(await countRows(culprit, 'batch_parts')).toBe(0);
    expect(existsSync(folder)).toBe(false);
  });

  it('keeps an object until its row has been gone for a while, then removes object and tombstone', async () => {
    await client.send(EX());
    const { incident_id } = await client.only();
    await client.bundle(incident_id);
    const [batch] = await culprit.database.query<{ object_key: string }>(
      { name: 'test-key', text: 'select object_key from batches where project_id = $1' },
      [projectId],
    );
    const file = join(culprit.objectDirectory, batch?.object_key ?? '');
    await pass(1.1 * DAY);
    expect(await rows('batches')).toBe(0);
    expect([existsSync(file), await rows('object_tombstones')]).toEqual([true, 1]);
    await pass(1.1 * DAY + 2 * HOUR);
    expect([existsSync(file), await rows('object_tombstones')]).toEqual([false, 0]);
  });

  it('leaves only counters by month, without a token or an event', async () => {
    await client.send(EX(), EX(), DEP());
    await client.only(2);
    await client.refreshed();
    await pass(4.1 * DAY);
    await pass(4.1 * DAY + 2 * HOUR);
    await eventually(async () => expect(await keptRows(culprit, client.project.projectId)).toEqual({}));
    expect(await rows('event_fates')).toBe(0);
    const counters = `project_usage where project_id = $1 and meter = 'monthly_raw_ingested_events' and used = 3`;
    expect(await countRows(culprit, counters, [projectId])).toBe(1);
    // By whole days.
    await pass(5.2 * DAY);
    await eventually(async () => expect(await rows('client_counts')).toBe(0));
  });

  it('forgets event ids that can be repeated no more, and no others', async () => {
    await client.send(EX({ event_id: 'evt_old' }));
    await client.only();
    await moveClock(culprit.database, startMs + 2 * DAY);
    await client.send(EX({ event_id: 'evt_young' }));
    await client.processed();
    await moveClock(culprit.database, startMs + 7 * DAY + 2 * HOUR);
    await culprit.database.script('delete from maintenance_tasks');
    await eventually(async () => expect(await rows('event_ids')).toBe(1));
    await moveClock(culprit.database, startMs + 9 * DAY - HOUR);
    await client.send(EX({ event_id: 'evt_young' }));
    await client.processed();
    expect(
      await countRows(culprit, `event_fates where project_id = $1 and fate = 'duplicate'`, [projectId]),
    ).toBe(1);
  });

  it('drops a day of events while intake goes on, and lets its readers finish first', async () => {
    await client.send(EX());
    await client.only();
    await culprit.stopWorker();
    // Counted without a worker, which may still drop what the cases before left.
    const days = await eventDays();
    expect(days).toBeGreaterThan(0);
    const reader = new pg.Client({
      connectionString: culprit.databaseUrl,
      // A wall clock that is set forward would end the reader.
      idle_in_transaction_session_timeout: 0,
    });
    await reader.connect();
    try {
      await reader.query('begin');
      await reader.query('select count(*) from events');
      await moveClock(culprit.database, startMs + 5 * DAY);
      const dropping = exhaust(dropEventDays(await runtime()));
      await delay(100);
      for (let n = 0; n < 5; n += 1) await client.send(EX());
      await dropping;
      expect(await eventDays()).toBe(days);
    } finally {
      await reader.end();
    }
    await exhaust(dropEventDays(await runtime()));
    expect(await eventDays()).toBe(0);
    await culprit.startWorker();
    await client.processed();
  });

  it('is looked after again soon when a worker died over it', async () => {
    await client.send(EX({ event_id: 'evt_old' }));
    await client.only();
    await culprit.stopWorker();
    // As its row would leave it.
    await culprit.database.query(
      {
        name: 'test-keep-id',
        text: `insert into event_ids select project_id, id_hash, received_at, signal_key from events
          where project_id = $1`,
      },
      [projectId],
    );
    await moveClock(culprit.database, startMs + 8 * DAY);
    const death = planFault({ name: 'query event-ids-remove', occurrence: 1 }, 'dies');
    death.arm();
    await culprit.database.script('delete from maintenance_tasks');
    await expect(
      runLeaderTasks({ ...(await runtime()), database: faultyDatabase(culprit.database, death) }),
    ).rejects.toThrow();
    expect(await rows('event_ids')).toBe(1);
    await moveClock(culprit.database, startMs + 8 * DAY + 1.1 * HOUR);
    await runLeaderTasks(await runtime());
    expect(await rows('event_ids')).toBe(0);
    await culprit.startWorker();
  });

  it('goes with the keys that reports keep alive, once none had them for as long as ids are known', async () => {
    const one = nodeException('PayError');
    const at = (durationMs: number) => new Date(Date.now() + startMs + durationMs).toISOString();
    await client.send({ ...one.event(), occurred_at: at(0) }, one.report(2));
    await client.only(3);
    await pass(2.5 * DAY);
    await client.send({ ...one.event(), occurred_at: at(2.5 * DAY) }, one.report(2));
    await client.only(6);
    await culprit.stopWorker();
    const keysAfter = async (durationMs: number) => {
      await moveClock(culprit.database, startMs + durationMs);
      await culprit.database.script('delete from maintenance_tasks');
      await runLeaderTasks(await runtime());
      return await rows('suppression_keys');
    };
    expect(await keysAfter(9 * DAY)).toBe(1);
    expect(await keysAfter(10 * DAY)).toBe(0);
    await culprit.startWorker();
  });

  it('is looked after by one worker at a time', async () => {
    await culprit.database.script('delete from maintenance_tasks');
    await Promise.all([
      runLeaderTasks(await runtime()),
      runLeaderTasks(await runtime()),
      runLeaderTasks(await runtime()),
    ]);
    expect(await countRows(culprit, `maintenance_tasks where task = 'remove-event-ids'`)).toBe(1);
  });
});

describe('the event rows of a plan with a short window', () => {
  it('are found among those of others, and only they go', async () => {
    const culprit = await startCulprit({ plans: HOSTED, ...QUICK_LOOKS });
    try {
      const free = await connect(culprit, { plan: 'free' });
      const team = await connect(culprit, { plan: 'team' });
      for (const each of [free, team]) {
        await each.send(EXR(), DEP());
        await each.only();
      }
      await ageTo(culprit, 5 * DAY);
      await free.send(EXR({ event_id: 'evt_later' }));
      await free.only(2);
      await ageTo(culprit, 7.1 * DAY);
      const left = async (client: IncidentClient) =>
        await countRows(culprit, 'events where project_id = $1', [
          parseId(['proj'], client.project.projectId) ?? '',
        ]);
      expect([await left(free), await left(team)]).toEqual([1, 2]);
    } finally {
      await culprit.stop();
    }
  });
});
