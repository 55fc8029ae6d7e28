import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ago, DEP, EX, HOUR, SECOND } from '../../../server/test/conformance/incidents-fixtures.ts';
import { launchBrowser } from '../../../server/test/support/browser.ts';
import type { TestCulprit } from '../../../server/test/support/culprit.ts';
import { eventually } from '../../../server/test/support/eventually.ts';
import { connect } from '../../../server/test/support/incident-client.ts';
import { startWithDashboard } from '../support/dashboard.ts';
import { factsOn } from '../support/facts-walk.ts';
import { press, type } from '../support/keyboard.ts';
import { openSignedIn } from '../support/signed-in-page.ts';

/** docs/contract/dashboard.md 4.5: whether it gets better or worse, what needs somebody, whether events are lost. */

describe('the overview', { timeout: 120_000 }, () => {
  let culprit: TestCulprit;
  let browser: Browser;
  beforeAll(async () => {
    [culprit, browser] = await Promise.all([startWithDashboard(), launchBrowser()]);
  }, 180_000);
  afterAll(async () => {
    await browser?.close();
    await culprit?.stop();
  });

  it('has figures that lead to what accounts for them, the trend with its deploys, and how services and intake do', async () => {
    const email = 'overview@example.test';
    const client = await connect(culprit, { email, name: 'shop' });
    const deployedAt = ago(20 * SECOND);
    await client.send(
      DEP({ timestamp: deployedAt, payload: { version: 'v7', deployed_at: deployedAt } }),
      EX({ payload: { error_class: 'AlphaError', message: 'Alpha broke' } }),
      EX({ payload: { error_class: 'AlphaError', message: 'Alpha broke' } }),
      EX({ payload: { error_class: 'BetaError', message: 'Beta broke' } }),
    );
    await client.counted(2, 1);
    const { page, expectQuiet } = await openSignedIn(browser, culprit, email);
    await page.goto(`${culprit.url}/projects/${client.project.projectId}`);
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();

    const attention = page.getByRole('region', { name: 'Needs attention' });
    await attention.getByRole('link', { name: /AlphaError: Alpha broke/ }).waitFor();
    await attention.getByRole('link', { name: /BetaError: Beta broke/ }).waitFor();
    expect(await page.title()).toBe('Overview · shop · Culprit');
    const shown = await attention.getByRole('link').filter({ hasText: 'broke' }).allTextContents();
    expect(shown).toHaveLength(2);
    await press(attention.getByRole('link', { name: 'Show all' }));
    await page
      .getByRole('navigation', { name: 'Views' })
      .locator('[aria-current="true"]', { hasText: 'Needs attention' })
      .waitFor();
    const view = page.getByRole('table', { name: 'Incidents' });
    await view.getByRole('link').nth(1).waitFor();
    expect(await view.getByRole('link').allTextContents()).toEqual(shown);
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();

    const occurrences = page.getByRole('region', { name: 'Occurrences' });
    await occurrences.getByText(/^3 occurrences in 7 days/).waitFor();
    // As old as it is now, whatever remains of the hour that the last bar stands for.
    await occurrences.getByText(/v7, (?:now|\d+ s ago|[1-3] min ago)/).waitFor();
    await occurrences.getByRole('slider').focus();
    await page.keyboard.press('End');
    expect(await occurrences.getByRole('slider').getAttribute('aria-valuetext')).toMatch(/: 3 occurrences$/);
    await press(occurrences.getByRole('button', { name: 'Show as table' }));
    expect(await occurrences.getByRole('row').last().textContent()).toMatch(/3$/);

    const services = page.getByRole('region', { name: 'Services' });
    await services.getByText('2 open').waitFor();
    const intake = page.getByRole('region', { name: 'Event intake' });
    await intake.getByText('0 rejected or failed').waitFor();
    await page.getByRole('region', { name: 'Uptime' }).getByText('No checks yet.').waitFor();

    const open = page.getByRole('list', { name: 'Figures' }).getByRole('link', { name: /^Open/ });
    expect(await open.textContent()).toBe('Open2');
    await press(open);
    const table = page.getByRole('table', { name: 'Incidents' });
    await table.getByRole('link').first().waitFor();
    expect(await table.getByRole('link').count()).toBe(2);
    expect(page.url()).toContain('status=open');
    await page.keyboard.press('g');
    await page.keyboard.press('o');
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await press(page.getByRole('list', { name: 'Figures' }).getByRole('link', { name: /^New today/ }));
    await table.getByRole('link').first().waitFor();
    expect(await table.getByRole('link').count()).toBe(2);
    expectQuiet();
  });

  // Row 7 of the acceptance.
  it('shows of what needs attention the first seven rows of that view, in its order', async () => {
    const email = 'seven@example.test';
    const client = await connect(culprit, { email, name: 'shop' });
    const kinds = ['Alpha', 'Beta', 'Gamma', 'Delta', 'Epsilon', 'Zeta', 'Eta', 'Theta', 'Iota'];
    const eventOf = (kind: string, n: number) =>
      EX({
        timestamp: ago((kinds.length - n) * SECOND),
        // The oldest is the worst, and one is of no one's concern.
        context: kind === 'Alpha' ? { severity: 'critical' } : {},
        service: { name: 'till', environment: kind === 'Iota' ? 'staging' : 'production' },
        payload: { error_class: `${kind}Error`, message: `${kind} broke` },
      });
    await client.send(...kinds.map(eventOf));
    await client.counted(...kinds.map(() => 1));
    const { page, expectQuiet } = await openSignedIn(browser, culprit, email);
    await page.goto(`${culprit.url}/projects/${client.project.projectId}`);
    const attention = page.getByRole('region', { name: 'Needs attention' });
    const names = attention.getByRole('listitem').getByRole('link');
    await names.first().waitFor();
    const shown = await names.allTextContents();
    expect(shown).toHaveLength(7);
    expect(shown[0]).toContain('AlphaError');
    await press(attention.getByRole('link', { name: 'Show all' }));
    const view = page.getByRole('table', { name: 'Incidents' }).getByRole('link');
    await eventually(async () => expect(await view.count()).toBe(kinds.length - 1));
    expect((await view.allTextContents()).slice(0, shown.length)).toEqual(shown);
    expectQuiet();
  });

  it('of a project without an event is the way to the first one', async () => {
    const email = 'empty-overview@example.test';
    const { project } = await connect(culprit, { email, name: 'fresh' });
    const { page, expectQuiet } = await openSignedIn(browser, culprit, email);
    await page.goto(`${culprit.url}/projects/${project.projectId}`);
    await page.getByRole('heading', { level: 1, name: 'Setup' }).waitFor();
    expect(page.url()).toContain('/setup');
    // A library that the application has already needs no token, only its address.
    await press(page.getByRole('tab', { name: 'Sentry for Python' }));
    await page
      .getByText(/sentry_sdk\.init\(dsn='http:\/\/[0-9a-f]{32}@/)
      .first()
      .waitFor();
    expect(await page.getByRole('button', { name: 'Create token' }).count()).toBe(0);
    expectQuiet();
  });

  it('services stand by name with their environments, and lead to their incidents', async () => {
    const email = 'services@example.test';
    const client = await connect(culprit, { email, name: 'shop' });
    const deployedAt = ago(2 * HOUR);
    const inEnvironment = (environment: string) => ({
      service: { name: 'till', environment, runtime: 'node', framework: 'fastify' },
    });
    await client.send(
      DEP({
        ...inEnvironment('production'),
        timestamp: deployedAt,
        payload: { version: '2026.7', commit_sha: 'a1b2c3d4e5f6', branch: 'main', deployed_at: deployedAt },
      }),
      EX({ ...inEnvironment('production'), payload: { error_class: 'AlphaError', message: 'Alpha broke' } }),
      EX({ ...inEnvironment('staging'), payload: { error_class: 'BetaError', message: 'Beta broke' } }),
    );
    await client.counted(1, 1);
    const { page, expectQuiet } = await openSignedIn(browser, culprit, email);
    await page.goto(`${culprit.url}/projects/${client.project.projectId}`);
    await page.getByRole('region', { name: 'Needs attention' }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('s');
    const table = page.getByRole('table', { name: 'Services' });
    const production = table.getByRole('row').filter({ hasText: 'production' });
    await production.getByText('2026.7').waitFor();
    expect(await table.getByRole('rowheader').allTextContents()).toEqual(['till']);
    expect(await production.textContent()).toContain('node · fastify');
    const deploys = page.getByRole('table', { name: 'Deploys' });
    expect(await deploys.getByRole('row').last().textContent()).toContain('a1b2c3d');
    await press(table.getByRole('link', { name: 'Incidents of till in staging' }));
    const incidents = page.getByRole('table', { name: 'Incidents' });
    await incidents.getByRole('link', { name: /Beta broke/ }).waitFor();
    expect(await incidents.getByRole('link').count()).toBe(1);
    expectQuiet();
  });

  it('has no dead facts: every service, environment, release, commit, person, tag and frame is a link or a button', async () => {
    const email = 'facts@example.test';
    const client = await connect(culprit, { email, name: 'shop' });
    const service = { name: 'ledger-api', environment: 'canary', runtime: 'node' };
    const deployedAt = ago(2 * HOUR);
    const user = 'usr-7781';
    const failing = (version: string) =>
      EX({
        service,
        context: { release: version, tags: { tenant: 'acme-gmbh' }, user: { id: user } },
        payload: {
          error_class: 'BalanceError',
          message: 'the balance is negative',
          stacktrace:
            'BalanceError: the balance is negative\n    at post (/srv/app/src/billing.js:31:7)\n    at run (/srv/app/src/worker.js:12:3)',
        },
      });
    await client.send(
      DEP({
        service,
        timestamp: deployedAt,
        payload: {
          version: '7.31.4',
          commit_sha: 'c0ffee1d2e3f4',
          environment: 'canary',
          deployed_at: deployedAt,
        },
      }),
      failing('7.31.3'),
      ...Array.from({ length: 20 }, () => failing('7.31.4')),
    );
    const { incident_id: id } = await client.only(21);
    await client.bundle(id);
    await client.settled();
    const shown = {
      '': ['ledger-api', 'canary', 'billing.js', 'FA'],
      services: ['ledger-api', 'canary', '7.31.4', 'c0ffee1'],
      releases: ['ledger-api', '7.31.4', '7.31.3'],
      release: ['ledger-api', 'canary', 'c0ffee1'],
      incident: ['ledger-api', 'canary', 'billing.js', 'worker.js', '7.31.4', '7.31.3', 'acme-gmbh', 'facts'],
    };
    const values = [...new Set(Object.values(shown).flat()), user];
    const { page, expectQuiet } = await openSignedIn(browser, culprit, email);
    const project = `${culprit.url}/projects/${client.project.projectId}`;
    const expectAlive = async (screen: keyof typeof shown) => {
      await eventually(async () => {
        const { seen, dead } = await factsOn(page, values);
        expect(dead, screen).toEqual([]);
        expect(seen, screen).toEqual(expect.arrayContaining(shown[screen]));
      });
    };
    await page.goto(`${project}/incidents`);
    const rows = page.getByRole('table', { name: 'Incidents' });
    // The owner is chosen from the row.
    await press(rows.getByRole('button', { name: /^Owner of BalanceError.*: no one$/ }));
    await press(page.getByRole('menu').getByRole('menuitemradio', { name: 'Me' }));
    await rows.getByRole('button', { name: /^Owner of BalanceError.*: facts$/ }).waitFor();
    await expectAlive('');
    await page.goto(`${project}/services`);
    await expectAlive('services');
    await page.goto(`${project}/releases`);
    await expectAlive('releases');
    await press(page.getByRole('link', { name: '7.31.4' }));
    await page.getByRole('heading', { level: 1, name: '7.31.4' }).waitFor();
    await expectAlive('release');
    await page.goto(`${culprit.url}/incidents/${id}`);
    await press(page.getByRole('button', { name: 'All events' }));
    await expectAlive('incident');

    // They lead to what shares them.
    await press(
      page.getByRole('region', { name: 'Stack' }).getByRole('link', { name: 'src/billing.js:31:7' }),
    );
    await rows.getByRole('link', { name: /BalanceError/ }).waitFor();
    await page.getByRole('button', { name: 'Remove file:src/billing.js' }).waitFor();
    await press(rows.getByRole('button', { name: 'canary' }));
    await page.waitForURL(/environment=canary/);
    await rows.getByRole('link', { name: /BalanceError/ }).waitFor();
    expectQuiet();
  });

  it('leads to releases: what is new in one, from an incident and back, and what is resolved in the next', async () => {
    const email = 'releases@example.test';
    const client = await connect(culprit, { email, name: 'shop' });
    await client.send(
      EX({
        context: { release: 'shop@1.0.0' },
        payload: { error_class: 'AlphaError', message: 'Alpha broke' },
      }),
    );
    const incident = await client.only();
    await client.bundle(incident.incident_id);
    const { page, expectQuiet } = await openSignedIn(browser, culprit, email);
    await page.goto(`${culprit.url}/projects/${client.project.projectId}`);
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await press(page.getByRole('link', { name: 'Releases', exact: true }).first());
    await page.getByRole('heading', { level: 1, name: 'Releases' }).waitFor();
    const list = page.getByRole('table', { name: 'Releases' });
    await list.getByRole('row', { name: /shop@1\.0\.0 .*\b1\b/ }).waitFor();
    await press(list.getByRole('link', { name: 'shop@1.0.0' }));
    await page.getByRole('heading', { level: 1, name: 'shop@1.0.0' }).waitFor();
    const incidents = page.getByRole('table', { name: 'Incidents of the release' });
    await incidents.getByRole('link', { name: /Alpha broke/ }).waitFor();
    await page.getByRole('table', { name: 'Events by day' }).getByRole('row').nth(1).waitFor();
    await press(page.getByRole('button', { name: 'Regressed' }));
    await page.getByText('No resolved incident came back in this release.').waitFor();
    await press(page.getByRole('button', { name: 'New', exact: true }));
    await press(incidents.getByRole('link', { name: /Alpha broke/ }));
    await page.getByRole('heading', { level: 1, name: /Alpha broke/ }).waitFor();

    await page.keyboard.press('v');
    const menu = page.getByRole('menu', { name: 'Fixed in a release' });
    await press(menu.getByRole('menuitem', { name: 'Resolve in release…' }));
    await type(page.getByLabel('Version'), 'shop@1.2.0');
    await press(page.getByRole('dialog').getByRole('button', { name: 'Resolve' }));
    await page.getByText('Resolved 1 incident in release shop@1.2.0').first().waitFor();
    await page.keyboard.press('z');
    await page.keyboard.press('v');
    await press(menu.getByRole('menuitem', { name: 'Resolve in the next release' }));
    await page.getByText('Resolved 1 incident in the next release').first().waitFor();
    await press(
      page.getByRole('region', { name: 'Facts' }).getByRole('link', { name: 'shop@1.0.0' }).first(),
    );
    await page.getByRole('heading', { level: 1, name: 'shop@1.0.0' }).waitFor();
    await expect
      .poll(async () => (await client.only()).resolved_in, { timeout: 20_000 })
      .toEqual({ kind: 'next_release', after_version: 'shop@1.0.0', version: null });

    // A second release, in which another failure began and this one is gone.
    const next = (name: string) =>
      EX({
        context: { release: 'shop@1.1.0' },
        payload: { error_class: `${name}Error`, message: `${name} broke` },
      });
    await client.send(next('Beta'), next('Gamma'));
    await client.counted(1, 1, 1);
    await page.goto(`${culprit.url}/projects/${client.project.projectId}/releases`);
    await press(list.getByRole('link', { name: 'shop@1.1.0' }));
    await incidents.getByRole('link', { name: /Beta broke/ }).waitFor();
    await press(page.getByRole('button', { name: 'Gone' }));
    await page.getByText('Last seen in shop@1.0.0').waitFor();
    await incidents.getByRole('link', { name: /Alpha broke/ }).waitFor();

    // Several at once, by keyboard alone.
    await page.goto(`${culprit.url}/projects/${client.project.projectId}/incidents`);
    const table = page.getByRole('table', { name: 'Incidents' });
    await table.getByRole('link', { name: /Beta broke/ }).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.keyboard.press('v');
    await menu.getByRole('menuitem', { name: 'Resolve in the next release' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('Resolved 2 incidents in the next release').first().waitFor();
    await expect
      .poll(
        async () =>
          (await client.list({ status: 'resolved' })).map(({ title, resolved_in: within }) => [
            title,
            within?.after_version,
          ]),
        { timeout: 20_000 },
      )
      .toEqual(
        expect.arrayContaining([
          [expect.stringContaining('Beta'), 'shop@1.1.0'],
          [expect.stringContaining('Gamma'), 'shop@1.1.0'],
        ]),
      );
    expectQuiet();
  });
});
