// Proves 31.
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cleanProject } from '../../src/upkeep/retention/clean-project.ts';
import { DAY, HOUR, named } from '../conformance/incidents-fixtures.ts';
import { countRows } from '../support/count-rows.ts';
import { SELF_HOSTED, startCulprit, type TestCulprit } from '../support/culprit.ts';
import { connect, type IncidentClient } from '../support/incident-client.ts';
import { moveClock } from '../support/move-clock.ts';
import { claimCleaning, cleaningOptions, danglingRows } from '../support/retention.ts';
import { chooseSeed, seededRandom } from '../support/seeded-random.ts';

/** An event and the deletion of its incident at the same moment (docs/contract/incidents.md 8, "Same bug later"). */
const SEED = chooseSeed();
const ROUNDS = 25;
const BUGS = Array.from({ length: 12 }, (_, n) => `Bug${n}`);
const PLANS = { ...SELF_HOSTED, retention: { rawDays: 1, incidentDays: 1 } };

describe(`events that meet the deletion of their incidents (seed ${SEED})`, { timeout: 120_000 }, () => {
  const random = seededRandom(SEED);
  let culprit: TestCulprit;
  let client: IncidentClient;
  beforeAll(async () => {
    // One thread for events; cleaning happens when the test wants it.
    culprit = await startCulprit({ plans: PLANS, duties: ['events'] });
    client = await connect(culprit);
    // Deletion takes long enough to be met in its middle, before and after its locks.
    await culprit.database.script(`
      create function slow_deletion() returns trigger language plpgsql as $$
        begin perform pg_sleep(0.02); return null; end $$;
      create trigger slow_deletion before delete on incidents for each statement execute function slow_deletion();
      create trigger slow_deletion_end after delete on bundles for each statement execute function slow_deletion();
      create table failed_attempts (error text);
      create function note_failure() returns trigger language plpgsql as $$
        begin insert into failed_attempts values (new.last_error); return null; end $$;
      create trigger note_failure after update on jobs for each row when (new.failures > old.failures)
        execute function note_failure();
      update projects set retention_due_at = 'infinity'`);
  });
  afterAll(() => culprit.stop());

  async function clean(): Promise<void> {
    await culprit.database.script(`update projects set retention_due_at = culprit_now() - interval '1 s'`);
    const job = await claimCleaning(culprit);
    if (job === undefined) throw new Error('the job was not claimed');
    await cleanProject(job, await cleaningOptions(culprit, PLANS));
    await culprit.database.script(`update projects set retention_due_at = 'infinity'`);
  }

  it('each counts once: in the incident that stays, or in a new one', async () => {
    let offsetMs = 0;
    let survived = 0;
    let replaced = 0;
    await client.send(...BUGS.map((bug) => named(bug)));
    await client.processed();
    for (let round = 0; round < ROUNDS; round += 1) {
      // Each bug was seen once, more than a day ago; another event comes while the incidents go.
      const before = new Map((await client.list()).map((incident) => [incident.title, incident]));
      expect(before.size).toBe(BUGS.length);
      offsetMs += 2 * DAY + HOUR;
      await moveClock(culprit.database, offsetMs);
      await Promise.all([
        delay(random.integer(0, 60)).then(() => client.send(...BUGS.map((bug) => named(bug)))),
        delay(random.integer(0, 60)).then(clean),
      ]);
      await client.processed();
      const after = await client.list();
      expect(after).toHaveLength(BUGS.length);
      for (const incident of after) {
        const known = before.get(incident.title);
        const isSame = known?.incident_id === incident.incident_id;
        expect(incident.occurrence_count).toBe(isSame ? (known?.occurrence_count ?? 0) + 1 : 1);
        if (isSame) survived += 1;
        else replaced += 1;
      }
    }
    // The race was one: sometimes the event came first, sometimes the deletion.
    expect(Math.min(survived, replaced)).toBeGreaterThan(0);
    expect(await countRows(culprit, 'failed_attempts')).toBe(0);
    expect(await countRows(culprit, 'dead_letters')).toBe(0);
    expect(await countRows(culprit, 'batches where processed_at is null')).toBe(0);
    // What was written behind a deletion goes with the second look.
    await moveClock(culprit.database, offsetMs + HOUR);
    await clean();
    expect(await danglingRows(culprit)).toEqual({});
    expect(await countRows(culprit, 'incident_tombstones')).toBe(0);
  });
});
