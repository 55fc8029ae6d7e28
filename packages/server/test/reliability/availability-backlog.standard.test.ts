import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { startWorker } from '../../src/roles/worker.ts';
import { checkClient, LOCAL_SITES, startSite } from '../support/check-client.ts';
import { checkClock } from '../support/check-clock.ts';
import { SELF_HOSTED, startCulprit } from '../support/culprit.ts';
import { eventually } from '../support/eventually.ts';
import { clientOf } from '../support/incident-client.ts';

/** Failed runs of checks that are processed long after the checks went on. */

describe('a backlog of failures', () => {
  it('ends as the checks did: what recovered meanwhile is resolved, what failed again is open', {
    timeout: 60_000,
  }, async () => {
    const stalled = await startCulprit({ retryScale: 0.02, outbound: LOCAL_SITES, duties: [] });
    const stalledClock = checkClock(stalled);
    const sites = [await startSite(500), await startSite(500)] as const;
    const project = await stalled.createProject();
    const checks = checkClient(stalled, project);
    const client = clientOf(stalled, project);
    const recovering = await checks.create({ url: sites[0].url, name: 'recovers', failure_threshold: 1 });
    const failing = await checks.create({ url: sites[1].url, name: 'fails again', failure_threshold: 1 });
    await checks.ran(recovering.check_id, 1);
    await checks.ran(failing.check_id, 1);
    for (const [run, statuses] of [
      [500, 500],
      [200, 200],
      [200, 200],
      [200, 500],
    ].entries()) {
      sites.forEach((site, n) => {
        site.answer(statuses[n] ?? 0);
      });
      await stalledClock.nextRun(checks, recovering.check_id, run + 1);
      await checks.ran(failing.check_id, run + 2);
    }
    expect(await checks.read(recovering.check_id)).toMatchObject({
      status: 'passing',
      linked_incident_id: null,
    });
    expect(await checks.read(failing.check_id)).toMatchObject({ status: 'failing' });
    expect(await client.list()).toEqual([]);

    const { databaseUrl, objectStore, baseUrl } = stalled;
    const events = await startWorker(
      {
        databaseUrl,
        objectStore,
        plans: SELF_HOSTED,
        constants: { baseUrl, appUrl: baseUrl },
        logLevel: 'fatal',
        retryScale: 1,
        duties: ['events'],
      },
      pino({ level: 'fatal' }),
    );
    await eventually(async () => {
      expect(await checks.read(recovering.check_id)).toMatchObject({ linked_incident_status: 'resolved' });
      expect(await checks.read(failing.check_id)).toMatchObject({ linked_incident_status: 'open' });
      const found = await client.list();
      expect(found.map(({ occurrence_count: count, status }) => [count, status]).sort()).toEqual([
        [2, 'resolved'],
        [3, 'open'],
      ]);
    });
    expect(await client.ledger('incident.resolved')).toHaveLength(1);
    await events.stop();
    await stalled.stop();
    for (const site of sites) await site.close();
  });
});
