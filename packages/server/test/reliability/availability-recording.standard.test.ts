import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { claimRuns } from '../../src/monitor/availability/claims.queries.ts';
import { recordRun } from '../../src/monitor/availability/record-run.ts';
import { startChecks } from '../../src/monitor/availability/run-checks.ts';
import { parseId } from '../../src/platform/ids.ts';
import type { ObjectStore } from '../../src/platform/objects/object-store.ts';
import { openObjectStore } from '../../src/platform/objects/open-object-store.ts';
import { checkClient, LOCAL_SITES, type Site, startSite } from '../support/check-client.ts';
import { countRows } from '../support/count-rows.ts';
import { SELF_HOSTED, startCulprit, type TestCulprit } from '../support/culprit.ts';
import { connect } from '../support/incident-client.ts';
import { planFault } from './fault-plan.ts';
import { faultyObjects } from './faulty-objects.ts';

/** What becomes of the outcome of a check when something happens between the run and its record. */

let culprit: TestCulprit;
let objects: ObjectStore;
let site: Site;
beforeAll(async () => {
  site = await startSite(500);
  culprit = await startCulprit({ hasWorker: false, duties: ['events'], outbound: LOCAL_SITES });
  objects = await openObjectStore(culprit.objectStore);
});
afterEach(async () => {
  await culprit.database.script('delete from availability_checks');
});
afterAll(async () => {
  await culprit.stop();
  await site.close();
});

describe('a failure that an incident is to be told of', () => {
  it('is kept while the object store is away, without asking the site again', async () => {
    const client = await connect(culprit);
    const checks = checkClient(culprit, client.project);
    const before = site.requests.length;
    const { check_id } = await checks.create({ url: site.url, failure_threshold: 1 });
    const outage = planFault({ name: 'append', occurrence: 1 }, 'fails');
    outage.arm();
    const running = startChecks({
      database: culprit.database,
      objects: faultyObjects(objects, outage),
      plans: SELF_HOSTED,
      outbound: culprit.outbound,
      log: pino({ level: 'silent' }),
    });
    await checks.ran(check_id, 1);
    await running.stop(1000);
    expect([outage.hasStruck(), site.requests.length - before]).toEqual([true, 1]);
    await culprit.startWorker();
    expect(await client.only()).toMatchObject({ occurrence_count: 1 });
    await culprit.stopWorker();
  });

  it('is nobody to be told of when its check is deleted meanwhile', async () => {
    const { database } = culprit;
    const client = await connect(culprit);
    const checks = checkClient(culprit, client.project);
    const { check_id } = await checks.create({ url: site.url, failure_threshold: 1 });
    const [run] = (await claimRuns(database, SELF_HOSTED, 1)).runs;
    if (run === undefined) throw new Error('nothing was claimed');
    const outcome = {
      status: 'http_status_mismatch',
      httpStatus: 500,
      errorKind: 'status_out_of_range',
      durationMs: 5,
      finalUrl: site.url,
      redirectCount: 0,
    } as const;
    const deletingObjects: ObjectStore = {
      ...objects,
      append: null,
      async put(key, bytes) {
        await objects.put(key, bytes);
        await checks.delete(check_id);
      },
    };
    expect(await recordRun({ database, objects: deletingObjects }, run, outcome)).toBeNull();
    expect(await countRows(culprit, 'availability_results where check_id = $1', [check_id])).toBe(0);
    expect(await countRows(culprit, 'batches where processed_at is null')).toBe(0);
    expect(await client.list()).toEqual([]);
  });
});

describe('the turns of checks', () => {
  const projectsOf = async (runsMax: number) =>
    (await claimRuns(culprit.database, SELF_HOSTED, runsMax)).runs.map(({ projectId }) => projectId);

  it('go round by project: whoever has many due holds up nobody, also with those under way', async () => {
    const clients = await Promise.all([connect(culprit), connect(culprit), connect(culprit)]);
    const [many, few, late] = clients.map(({ project }) => ({
      id: parseId(['proj'], project.projectId),
      checks: checkClient(culprit, project),
    }));
    if (many === undefined || few === undefined || late === undefined) throw new Error('three projects');
    for (let n = 0; n < 12; n += 1) await many.checks.create({ url: site.url, name: `check ${n}` });
    await few.checks.create({ url: site.url });
    expect((await projectsOf(4)).sort()).toEqual([many.id, many.id, many.id, few.id].sort());
    await few.checks.create({ url: site.url });
    await late.checks.create({ url: site.url });
    expect(await projectsOf(1)).toEqual([late.id]);
    expect(await projectsOf(1)).toEqual([few.id]);
    expect(await projectsOf(20)).toHaveLength(9);
  });

  it('come to whoever is due behind a thousand that are under way', async () => {
    const [many, few] = await Promise.all([connect(culprit), connect(culprit)]);
    await checkClient(culprit, many.project).create({ url: site.url });
    await culprit.database.script(`
      insert into availability_checks
        select (jsonb_populate_record(c, jsonb_build_object('check_id', gen_random_uuid(),
          'leased_until', culprit_now() + interval '30 s'))).*
        from availability_checks c, generate_series(1, 1000);
      delete from availability_checks where leased_until is null`);
    await checkClient(culprit, few.project).create({ url: site.url });
    expect(await projectsOf(1)).toEqual([parseId(['proj'], few.project.projectId)]);
  });
});
