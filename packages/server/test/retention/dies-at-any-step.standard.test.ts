// Proves 31.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseId } from '../../src/platform/ids.ts';
import { openObjectStore } from '../../src/platform/objects/open-object-store.ts';
import { cleanProject } from '../../src/upkeep/retention/clean-project.ts';
import { DAY, DEP, EX, EXR, HOUR, MINUTE, named } from '../conformance/incidents-fixtures.ts';
import { planDeathAt } from '../reliability/fault-plan.ts';
import { faultyDatabase } from '../reliability/faulty-database.ts';
import { faultyObjects } from '../reliability/faulty-objects.ts';
import { fingerprintProject, identifyProject } from '../reliability/project-traces.ts';
import { HOSTED, startCulprit, type TestCulprit } from '../support/culprit.ts';
import { connect, type IncidentClient } from '../support/incident-client.ts';
import { moveClock } from '../support/move-clock.ts';
import { claimCleaning, cleaningOptions, danglingRows, keptRows } from '../support/retention.ts';
import { chooseSeed, seededRandom } from '../support/seeded-random.ts';

/**
 * docs/contract/reliability.md test 31, step by step: whatever attempt dies wherever, the ones after it come to the
 * same end.
 */

const SEED = chooseSeed();

describe(`the cleaning of a project (seed ${SEED})`, { timeout: 120_000 }, () => {
  let culprit: TestCulprit;
  let client: IncidentClient;
  let neighbour: IncidentClient;
  let clockMs = 0;
  beforeAll(async () => {
    culprit = await startCulprit({ plans: HOSTED });
    client = await connect(culprit, { plan: 'free' });
    neighbour = await connect(culprit, { plan: 'team' });
  });
  afterAll(() => culprit.stop());

  async function advance(byMs: number): Promise<void> {
    clockMs += byMs;
    await moveClock(culprit.database, clockMs);
  }

  async function fill(each: IncidentClient): Promise<void> {
    await each.send(DEP(), EX(), EXR({ context: { user_id: 'u-1' } }));
    await each.send(named('Alpha'));
    await each.send(named('Beta'));
    await each.refreshed();
  }

  /** One life of a worker that dies at a step, counted over all of them; true when it came to its end. */
  async function attempt(stepOfDeath: number, mode: 'dies' | 'dies-late'): Promise<boolean> {
    await advance(MINUTE);
    const job = await claimCleaning(culprit);
    // The last life died behind its commit.
    if (job === undefined) return true;
    const guard = planDeathAt(stepOfDeath, mode);
    try {
      const objects = faultyObjects(await openObjectStore(culprit.objectStore), guard);
      const own = { database: faultyDatabase(culprit.database, guard), objects };
      await cleanProject(job, await cleaningOptions(culprit, HOSTED, own));
      return true;
    } catch (error) {
      if (!guard.isDead()) throw error;
      return false;
    }
  }

  it('comes to the same end after lives that died at every step', async () => {
    await fill(client);
    await fill(neighbour);
    await advance(3 * DAY);
    await client.send(named('Gamma'));
    await client.refreshed();
    await culprit.stopWorker();
    const identity = await identifyProject(culprit, neighbour.project.projectId);
    await culprit.database.query(
      {
        name: 'test-not-due',
        text: `update projects set retention_due_at = 'infinity' where project_id = $1`,
      },
      [parseId(['proj'], neighbour.project.projectId) ?? ''],
    );
    const untouched = await fingerprintProject(culprit, identity);
    const random = seededRandom(SEED);
    let died = 0;
    // The first look ends what is old, the second removes what the first marked.
    for (let look = 1; look <= 2; look += 1) {
      await advance(look === 1 ? 5 * DAY : 2 * HOUR);
      for (let step = 1; !(await attempt(step, random.pick(['dies', 'dies-late']))); step += 1) died += 1;
    }
    expect(died).toBeGreaterThan(40);
    expect(await client.list({ project_id: client.project.projectId })).toMatchObject([
      { occurrence_count: 1, title: expect.stringContaining('Gamma') },
    ]);
    const { lifecycle_events: told, ...kept } = await keptRows(culprit, client.project.projectId);
    expect(kept).toEqual({ incidents: 1, bundles: 1, events: 1, batches: 1, services: 1 });
    expect(told).toBeGreaterThan(0);
    expect(await danglingRows(culprit)).toEqual({});
    expect(await fingerprintProject(culprit, identity)).toEqual(untouched);
    await client.bundle((await client.only()).incident_id);
  });
});
