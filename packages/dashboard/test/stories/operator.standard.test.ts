import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recordBackup } from '../../../server/src/installation/backups.queries.ts';
import { startHeartbeat } from '../../../server/src/installation/processes/heartbeat.ts';
import { newUuid, parseId } from '../../../server/src/platform/ids.ts';
import { createLogger } from '../../../server/src/platform/log.ts';
import { EX } from '../../../server/test/conformance/incidents-fixtures.ts';
import { launchBrowser } from '../../../server/test/support/browser.ts';
import type { TestCulprit, TestProject } from '../../../server/test/support/culprit.ts';
import { eventually } from '../../../server/test/support/eventually.ts';
import { managementClient } from '../../../server/test/support/management-client.ts';
import { scrape } from '../../../server/test/support/metrics-client.ts';
import { sendEvents } from '../../../server/test/support/send-events.ts';
import { startWithDashboard } from '../support/dashboard.ts';
import { press, type } from '../support/keyboard.ts';
import { openSignedIn } from '../support/signed-in-page.ts';
import { expectSoundLooks } from '../support/sound-looks.ts';

const OPERATOR = 'operator@example.test';

/** docs/contract/dashboard.md 4.23, and its checklist, item 29. */
describe('the operator page', { timeout: 120_000 }, () => {
  let culprit: TestCulprit;
  let project: TestProject;
  let browser: Browser;
  beforeAll(async () => {
    [culprit, browser] = await Promise.all([
      startWithDashboard({ operators: { emails: [OPERATOR] } }),
      launchBrowser(),
    ]);
    project = await culprit.createProject({ email: OPERATOR, name: 'shop' });
    await sendEvents(culprit.url, project.projectToken, [EX(), EX()]);
    await culprit.drain();
  }, 180_000);
  afterAll(async () => {
    await browser?.close();
    await culprit?.stop();
  });

  it('is there for operators only: no link, no entry of the palette, nothing at its address', async () => {
    await culprit.createProject({ email: 'nobody@example.test', name: 'other' });
    const { page } = await openSignedIn(browser, culprit, 'nobody@example.test');
    await page.goto(`${culprit.url}/organization`);
    await press(page.getByRole('button', { name: /^Account / }));
    await page.getByRole('menuitem', { name: 'Organization' }).waitFor();
    expect(await page.getByRole('menuitem', { name: 'Operator' }).count()).toBe(0);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await type(page.getByRole('combobox', { name: 'Search or jump to' }), 'operator');
    await page.getByText('No results.').waitFor();
    await page.goto(`${culprit.url}/operator`);
    await page.getByRole('heading', { level: 1, name: 'Not found' }).waitFor();
    await expectSoundLooks(page, 'operator-not-there');
  });

  it('says that all is well, with the figures of the metrics', async () => {
    const { page, expectQuiet } = await openSignedIn(browser, culprit, OPERATOR);
    await page.goto(`${culprit.url}/projects/${project.projectId}/incidents`);
    await press(page.getByRole('button', { name: /^Account / }));
    await page.getByRole('menuitem', { name: 'Operator' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await type(page.getByRole('combobox', { name: 'Search or jump to' }), 'operator');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Operator' }).waitFor();
    expect(await page.title()).toBe('Operator · Culprit');
    await page.getByText('All is well').waitFor();
    await page.getByText('No problems found.').waitFor();
    await page.getByText('2 submitted = 2 processed').waitFor();
    const metrics = await scrape(culprit.url);
    const lanes = metrics.samples.filter(({ name }) => name === 'culprit_queue_length');
    expect(lanes.length).toBeGreaterThan(10);
    for (const { labels, value } of lanes) {
      const lane = labels.lane ?? '';
      const due = metrics.value('culprit_queue_due', { lane });
      const item = page
        .getByRole('list', { name: 'Queues' })
        .getByRole('listitem')
        .filter({ hasText: new RegExp(`^${lane.replaceAll('-', ' ')}\\d`) });
      expect([lane, await item.textContent()]).toEqual([
        lane,
        `${lane.replaceAll('-', ' ')}${value} waiting, ${due} due`,
      ]);
    }
    await page.getByText(`${metrics.value('culprit_dead_letters')} dead letters`).waitFor();
    await expectSoundLooks(page, 'operator-well');
    expectQuiet();
  });

  it('says what is wrong, since when and what to do, and retries dead letters', async () => {
    await culprit.database.query(
      {
        name: 'test-park',
        text: `insert into dead_letters (project_id, batch_id, position, reason, attempts)
          select $1, gen_random_uuid(), n, '<img src=x onerror=alert(1)>', 8 from generate_series(0, 2) as n`,
      },
      [parseId(['proj'], project.projectId)],
    );
    await recordBackup(culprit.database, {
      backupId: newUuid(),
      directory: "/backups/it's one",
      sizeBytes: 2_254_857_830,
      missingObjects: 0,
    });
    const beat = startHeartbeat({
      database: culprit.database,
      role: 'worker',
      version: '1.2.3',
      intervalMs: 60_000,
      metrics: async () => [],
      log: createLogger({ level: 'silent', role: 'test' }),
    });
    const { page, expectQuiet } = await openSignedIn(browser, culprit, OPERATOR);
    await page.goto(`${culprit.url}/operator`);
    await page.getByText('1 problem').waitFor();
    const finding = page.getByRole('listitem').filter({ hasText: '3 events could not be processed' });
    await finding.getByText('dead-letters retry --all').waitFor();
    await finding.getByText('npm run -s admin -- dead-letters list', { exact: true }).waitFor();
    await finding.getByText(/since/).waitFor();
    await press(page.getByText('How to restore'));
    await page.getByText(`npm run -s admin -- restore --from '/backups/it'\\''s one'`).waitFor();
    await page.getByRole('row', { name: /^Worker .* 1\.2\.3/ }).waitFor();
    await page.getByRole('table', { name: 'Dead letters' }).getByText('<img src=x').first().waitFor();
    await expectSoundLooks(page, 'operator-wrong');
    // Their batches are gone with a real cause; here there never were any.
    await press(page.getByRole('button', { name: 'Retry these 3' }));
    await page.getByText('Nothing was queued: their batches no longer exist').waitFor();
    await culprit.database.script('delete from dead_letters');
    await page.getByText('All is well').waitFor({ timeout: 20_000 });
    await beat.stop();
    expectQuiet();
  });

  it('warns operators on every screen when events are late', async () => {
    const { page } = await openSignedIn(browser, culprit, OPERATOR);
    await culprit.stopWorker();
    await culprit.database.query(
      {
        name: 'test-late',
        text: `insert into jobs (lane, kind, fairness_key, run_at)
          values ('events', 'test', $1, culprit_now() - interval '10 min')`,
      },
      [parseId(['proj'], project.projectId)],
    );
    await page.goto(`${culprit.url}/organization`);
    await page.getByText(/^Events are delayed by 10 min/).waitFor();
    await expectSoundLooks(page, 'operator-banner');
    await press(page.getByRole('link', { name: 'What to do' }));
    await page.getByText('1 jobs of events wait, the oldest for 10 min').waitFor();
    await culprit.database.script("delete from jobs where kind = 'test'");
    await culprit.startWorker();
  });

  it('says what could not be read, and tells whoever is no operator any more', async () => {
    const { page } = await openSignedIn(browser, culprit, OPERATOR);
    await culprit.database.script('alter table backups rename to backups_away');
    try {
      // An answer is good for two seconds.
      const { get } = managementClient(culprit, project.memberToken);
      await eventually(async () => expect((await get('/v1/operator/health')).status).toBe(500));
      await page.goto(`${culprit.url}/operator`);
      await page.getByRole('button', { name: 'Try again' }).waitFor();
      await expectSoundLooks(page, 'operator-failed');
    } finally {
      await culprit.database.script('alter table backups_away rename to backups');
    }
    await press(page.getByRole('button', { name: 'Try again' }));
    await page.getByText('All is well').waitFor();
    await culprit.database.query(
      { name: 'test-unverify', text: 'update users set email_verified_at = null where email = $1' },
      [OPERATOR],
    );
    await page.getByText('You are no longer an operator of this server.').waitFor({ timeout: 20_000 });
    await culprit.database.query(
      { name: 'test-verify', text: 'update users set email_verified_at = culprit_now() where email = $1' },
      [OPERATOR],
    );
  });
});
