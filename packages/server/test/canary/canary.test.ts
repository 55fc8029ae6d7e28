import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countRows } from '../support/count-rows.ts';
import { startCulprit, type TestCulprit } from '../support/culprit.ts';
import { eventually } from '../support/eventually.ts';
import { scrape } from '../support/metrics-client.ts';
import { moveClock } from '../support/move-clock.ts';
import { sendRequest } from '../support/send-events.ts';
import { webhookClient } from '../support/webhook-client.ts';

/** An event of the service itself goes the way of every other, once a minute, and nobody sees anything of it. */

const SCHEDULE = { intervalSeconds: 60, pollIntervalMs: 100, timeoutMs: 20_000 };
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const API = { role: 'api' };

let culprit: TestCulprit;
beforeAll(async () => {
  culprit = await startCulprit({ canary: SCHEDULE });
});
afterAll(() => culprit.stop());

async function arrivals(): Promise<number> {
  return (await scrape(culprit.url)).value('culprit_canary_run_seconds_count', { ...API, to: 'webhook' });
}

describe('the canary', { timeout: 90_000 }, () => {
  it('goes from the intake over incident and bundle to a webhook, and tells how long it took', async () => {
    await eventually(async () => expect(await arrivals()).toBe(1), 60_000);
    const page = await scrape(culprit.url);
    for (const to of ['incident', 'webhook']) {
      expect(page.value('culprit_canary_seconds', { ...API, to })).toBeGreaterThan(0);
      expect(page.value('culprit_canary_seconds', { ...API, to })).toBeLessThan(20);
    }
    for (const step of ['intake', 'incident', 'webhook']) {
      expect(page.value('culprit_canary_failures_total', { ...API, step })).toBe(0);
    }
    expect(await countRows(culprit, `webhook_deliveries where status = 'delivered'`)).toBe(1);
    expect(await countRows(culprit, 'project_tokens where revoked_at is null')).toBe(0);
  });

  it('opens an incident of its own once a minute, and the project of the day before goes', async () => {
    const before = await arrivals();
    await moveClock(culprit.database, MINUTE_MS + 1000);
    await eventually(async () => expect(await arrivals()).toBe(before + 1), 60_000);
    expect(await countRows(culprit, 'incidents')).toBe(before + 1);
    await moveClock(culprit.database, DAY_MS);
    await eventually(async () => expect(await arrivals()).toBe(before + 2), 60_000);
    expect(await countRows(culprit, 'projects where deleted_at is null')).toBe(1);
  });

  it('is sent by one of several API processes', async () => {
    const others = await Promise.all(
      Array.from({ length: 2 }, () =>
        startCulprit({
          databaseUrl: culprit.databaseUrl,
          objectStore: culprit.objectStore,
          canary: SCHEDULE,
          hasWorker: false,
        }),
      ),
    );
    try {
      // Those of the day before go with their project meanwhile.
      const today = 'batches where project_id in (select project_id from projects where deleted_at is null)';
      const sent = await countRows(culprit, today);
      for (let minute = 1; minute <= 4; minute += 1) {
        await moveClock(culprit.database, DAY_MS + minute * (MINUTE_MS + 1000));
        await eventually(async () => expect(await countRows(culprit, today)).toBe(sent + minute), 60_000);
      }
    } finally {
      for (const other of others) await other.stop();
    }
  });

  it('is in no list of projects or incidents, is not metered, and its sink is no address for a webhook', async () => {
    const project = await culprit.createProject();
    const { body } = await sendRequest(`${culprit.url}/v1/projects`, {
      method: 'GET',
      token: project.memberToken,
    });
    expect(JSON.stringify(body)).not.toContain('canary');
    const incidents = await sendRequest(`${culprit.url}/v1/incidents`, {
      method: 'GET',
      token: project.memberToken,
    });
    expect(incidents.body).toMatchObject({ incidents: [] });
    expect(
      await countRows(culprit, 'project_members m join projects p using (project_id) where p.slug like $1', [
        'canary%',
      ]),
    ).toBe(0);
    expect(await countRows(culprit, 'usage_counters where used > 3')).toBe(0);
    await expect(webhookClient(culprit, project).create('culprit:sink')).rejects.toThrow('400');
  });

  it('tells which step was missing when its event does not arrive', async () => {
    await culprit.stopWorker();
    const lame = await startCulprit({ canary: { ...SCHEDULE, timeoutMs: 500 }, hasWorker: false });
    try {
      await eventually(async () => {
        const page = await scrape(lame.url);
        expect(page.value('culprit_canary_failures_total', { ...API, step: 'incident' })).toBe(1);
      });
    } finally {
      await lame.stop();
    }
  });
});
