import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EX, EXR } from '../../../server/test/conformance/incidents-fixtures.ts';
import { launchBrowser } from '../../../server/test/support/browser.ts';
import { checkClient } from '../../../server/test/support/check-client.ts';
import type { TestCulprit } from '../../../server/test/support/culprit.ts';
import { connect } from '../../../server/test/support/incident-client.ts';
import { managementClient } from '../../../server/test/support/management-client.ts';
import { copiedBy } from '../support/copied.ts';
import { DASHBOARD_DIRECTORY, startWithDashboard } from '../support/dashboard.ts';
import { doublesOn, overlapsOn, unevenRowsOn } from '../support/page-walk.ts';
import { settled } from '../support/settled.ts';
import { openSignedIn } from '../support/signed-in-page.ts';
import { soon } from '../support/soon.ts';
import { violationsOn } from '../support/sound-looks.ts';
import { foreignSizesOn } from '../support/text-sizes.ts';
import { openWatchedPage } from '../support/watched-page.ts';

/** docs/contract/dashboard.md 10, screens, and 2.5: every screen in both themes and four widths. */

const WIDTHS = [360, 768, 1440, 1920];
/** Where each screen is loaded and axe reads it: the narrowest, and the usual one. */
const LOADED_WIDTHS = [360, 1440];
/** Lists fill a wide window, all else is at most so wide. */
const CONTENT_MAX_PX = 1200;
const FULL_WIDTH = /^(?:incidents|no incidents|tail)/;
const OWNER = 'screens@example.test';
const KIB = 1024;
/** What moved, as a share of the window and of the way. */
const SHIFT_MAX = 0.02;

let culprit: TestCulprit;
let browser: Browser;
let ids: { pid: string; id: string; checkId: string; heartbeatId: string; releaseId: string };
beforeAll(async () => {
  [culprit, browser] = await Promise.all([startWithDashboard(), launchBrowser()]);
  const client = await connect(culprit, { email: OWNER, name: 'shop' });
  await client.send(EXR(), EXR());
  const { incident_id: id } = await client.only(2);
  await client.bundle(id);
  const { check_id: checkId } = await checkClient(culprit, client.project).create({
    url: 'http://checked.invalid/',
    name: 'Home',
  });
  const { project } = client;
  const { body } = await managementClient(culprit, project.memberToken).post(
    `/v1/projects/${project.projectId}/heartbeats`,
    { slug: 'nightly', name: 'Nightly backup', schedule: { type: 'crontab', value: '0 3 * * *' } },
  );
  const heartbeatId = (body as { heartbeat: { heartbeat_id: string } }).heartbeat.heartbeat_id;
  await client.send(
    EX({
      context: { release: 'shop@1.0.0' },
      payload: { error_class: 'ReleaseError', message: 'Release broke' },
    }),
  );
  await client.counted(1, 2);
  const { body: listed } = await client.get(`/v1/projects/${project.projectId}/releases`);
  const releaseId = (listed as { releases: { release_id: string }[] }).releases[0]?.release_id ?? '';
  ids = { pid: project.projectId, id, checkId, heartbeatId, releaseId };
}, 180_000);
afterAll(async () => {
  await browser?.close();
  await culprit?.stop();
});

/** Where each screen is, and what stands there when it is whole. */
const SCREENS: [name: string, path: () => string, heading: RegExp][] = [
  ['incidents', () => `/projects/${ids.pid}/incidents`, /Incidents/],
  ['incidents of all projects', () => '/incidents', /Incidents/],
  ['no incidents', () => `/projects/${ids.pid}/incidents?status=resolved`, /Incidents/],
  ['incident', () => `/incidents/${ids.id}`, /Cannot read properties/],
  ['overview', () => `/projects/${ids.pid}`, /Overview/],
  ['services', () => `/projects/${ids.pid}/services`, /Services/],
  ['releases', () => `/projects/${ids.pid}/releases`, /Releases/],
  ['release', () => `/projects/${ids.pid}/releases/${ids.releaseId}`, /^shop@1\.0\.0$/],
  ['checks', () => `/projects/${ids.pid}/checks`, /Uptime/],
  ['new check', () => `/projects/${ids.pid}/checks/new`, /New check/],
  ['check', () => `/projects/${ids.pid}/checks/${ids.checkId}`, /^Home$/],
  ['heartbeats', () => `/projects/${ids.pid}/heartbeats`, /Heartbeats/],
  ['new heartbeat', () => `/projects/${ids.pid}/heartbeats/new`, /New heartbeat/],
  ['heartbeat', () => `/projects/${ids.pid}/heartbeats/${ids.heartbeatId}`, /^Nightly backup$/],
  ['tail', () => `/projects/${ids.pid}/tail`, /Live events/],
  ['improvements', () => `/projects/${ids.pid}/improvements`, /Insights/],
  ['new project', () => '/welcome', /New project/],
  ['set up', () => `/projects/${ids.pid}/setup`, /^Setup/],
  ['alerts', () => `/projects/${ids.pid}/alerts`, /Alerts/],
  ['new alert rule', () => `/projects/${ids.pid}/alerts/new`, /New alert rule/],
  ['webhooks', () => `/projects/${ids.pid}/webhooks`, /Webhooks/],
  ['new webhook', () => `/projects/${ids.pid}/webhooks/new`, /New webhook/],
  ['capture', () => `/projects/${ids.pid}/capture`, /Event filters/],
  ['new capture rule', () => `/projects/${ids.pid}/capture/rules/new`, /New event filter/],
  ['grouping', () => `/projects/${ids.pid}/grouping`, /Grouping/],
  ['probes', () => `/projects/${ids.pid}/probes`, /Probes/],
  ['issue trackers', () => `/projects/${ids.pid}/trackers`, /Issue trackers/],
  ['Slack', () => `/projects/${ids.pid}/slack`, /Slack/],
  ['weekly reports', () => `/projects/${ids.pid}/reports`, /Weekly report/],
  ['source maps', () => `/projects/${ids.pid}/source-maps`, /Source maps/],
  ['tokens', () => `/projects/${ids.pid}/tokens`, /Tokens/],
  ['people', () => `/projects/${ids.pid}/people`, /Members/],
  ['intake', () => `/projects/${ids.pid}/intake`, /Event intake/],
  ['organization', () => '/organization', /Organization/],
  ['your settings', () => '/settings', /Your settings/],
  ['invite', () => '/invite', /^Join a project$/],
  ['sign-in of a terminal', () => '/cli', /Sign in a terminal/],
  ['project settings', () => `/projects/${ids.pid}/settings`, /Project settings/],
  ['not found', () => '/nothing/here', /Not found/],
  ['incident that is not there', () => '/incidents/inc_00000000-0000-4000-8000-000000000000', /^Incident$/],
];

describe('every screen', { timeout: 60_000 }, () => {
  let page: Page;
  beforeAll(async () => {
    ({ page } = await openSignedIn(browser, culprit, OWNER, {
      colorScheme: 'light',
      reducedMotion: 'reduce',
    }));
    await page.addInitScript(watchShifts);
  }, 60_000);

  it.each(SCREENS)(
    '%s breaks no rule of accessibility in both themes, has the sizes of text of the tokens, does not run over its width and stays where it was painted',
    async (name, path, heading) => {
      for (const width of LOADED_WIDTHS) {
        await page.emulateMedia({ colorScheme: 'light' });
        await page.setViewportSize({ width, height: 900 });
        await page.goto(`${culprit.url}${path()}`);
        await page.getByRole('heading', { level: 1, name: heading }).waitFor();
        await settled(page);
        const place = `${name} at ${width}`;
        await expectWithinWidth(page, name, width);
        expect(Number(await page.evaluate('window.shifted')), `${place}: layout shift`).toBeLessThanOrEqual(
          SHIFT_MAX,
        );
        expect(await foreignSizesOn(page), `${place}: sizes of text`).toEqual([]);
        expect(await violationsOn(page, width === 360 ? 'others' : 'all'), place).toEqual([]);
      }
      expect(await unevenRowsOn(page), `${name}: cells and headers`).toEqual([]);
      expect(await doublesOn(page), `${name}: controls of one name`).toEqual([]);
      // The colors of a theme are the same at each width, and all else is the same in both themes.
      await page.emulateMedia({ colorScheme: 'dark' });
      expect(await page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")).toBe(true);
      expect(await violationsOn(page, 'colors'), `${name} in the dark theme`).toEqual([]);
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 });
        await expectWithinWidth(page, name, width);
        expect(await foreignSizesOn(page), `${name} at ${width}: sizes of text`).toEqual([]);
        expect(await overlapsOn(page), `${name} at ${width}: texts over texts`).toEqual([]);
      }
    },
  );
});

/** Fails where a page runs over its width, or its content over what is read with ease. */
async function expectWithinWidth(page: Page, name: string, width: number): Promise<void> {
  const place = `${name} at ${width}`;
  await soon(() => page.evaluate('innerWidth')).toBe(width);
  expect(
    await page.evaluate('document.documentElement.scrollWidth - window.innerWidth'),
    place,
  ).toBeLessThanOrEqual(0);
  if (width !== 1920 || FULL_WIDTH.test(name)) return;
  const widths = await page
    .locator('main section, main header')
    .evaluateAll((parts) => parts.map((part) => part.getBoundingClientRect().width));
  expect(Math.max(0, ...widths), `${place}: width`).toBeLessThanOrEqual(CONTENT_MAX_PX);
}

describe('before the first answer', { timeout: 60_000 }, () => {
  /** Answers of the API are held until the returned function is called. */
  async function holdAnswers(page: Page): Promise<() => void> {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await page.route('**/v1/**', async (route) => {
      await released;
      await route.continue();
    });
    return release;
  }

  it.each([
    ['the start', () => '/', /Incidents/],
    ['the list', () => `/projects/${ids.pid}/incidents`, /Incidents/],
    ['an incident', () => `/incidents/${ids.id}`, /Cannot read properties/],
  ])(
    '%s has its frame and the shape of what comes, and moves nothing when it comes',
    async (_, path, heading) => {
      const { page, expectQuiet } = await openSignedIn(browser, culprit, OWNER);
      await page.addInitScript(watchShifts);
      const release = await holdAnswers(page);
      await page.goto(`${culprit.url}${path()}`);
      await page.getByRole('link', { name: 'Culprit, start' }).waitFor();
      await page.locator('main span[aria-hidden="true"]').first().waitFor();
      expect(await page.getByRole('heading', { level: 1 }).count()).toBe(0);
      release();
      await page.getByRole('heading', { level: 1, name: heading }).waitFor();
      await settled(page);
      expect(Number(await page.evaluate('window.shifted'))).toBeLessThanOrEqual(SHIFT_MAX);
      expectQuiet();
    },
  );

  it('an incident has the shape of its evidence while that is read, and moves nothing when it comes', async () => {
    const { page, expectQuiet } = await openSignedIn(browser, culprit, OWNER);
    await page.addInitScript(watchShifts);
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await page.route('**/v1/incidents/*/bundle', async (route) => {
      await released;
      await route.continue();
    });
    await page.goto(`${culprit.url}/incidents/${ids.id}`);
    await page.getByRole('heading', { level: 1, name: /Cannot read properties/ }).waitFor();
    await page.locator('main span[aria-hidden="true"][style*="218px"]').waitFor();
    release();
    await page.getByRole('heading', { name: 'What is known' }).waitFor();
    await settled(page);
    expect(Number(await page.evaluate('window.shifted'))).toBeLessThanOrEqual(SHIFT_MAX);
    expectQuiet();
  });

  it('a failure of the server keeps the frame, and has a way home and room around it', async () => {
    const { page } = await openSignedIn(browser, culprit, OWNER);
    await page.route('**/v1/**', async (route) => {
      await route.fulfill({
        status: 500,
        headers: { 'x-request-id': 'req_42' },
        contentType: 'application/json',
        body: '{"error":"internal_error"}',
      });
    });
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.goto(`${culprit.url}/projects/${ids.pid}/incidents`);
    const heading = page.getByRole('heading', { level: 1, name: 'This page could not be shown' });
    await heading.waitFor();
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Services' }).waitFor();
    const [main, words] = await Promise.all([page.locator('main').boundingBox(), heading.boundingBox()]);
    expect((words?.x ?? 0) - (main?.x ?? 0)).toBeGreaterThanOrEqual(24);
    await page.getByRole('button', { name: 'Copy details' }).focus();
    expect(await copiedBy(page, 'Enter')).toBe(`500 internal_error\n/projects/${ids.pid}/incidents\nreq_42`);
    await page.unroute('**/v1/**');
    await page.route('**/v1/**', (route) => route.abort());
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('connection_failed', { exact: true }).waitFor();
    await page.unroute('**/v1/**');
    await page.getByRole('link', { name: 'Go to incidents' }).click();
    await page.getByRole('table', { name: 'Incidents' }).waitFor();
    const strange = await connect(culprit);
    await strange.send(EXR());
    const { incident_id: foreign } = await strange.only();
    for (const path of [
      '/nothing/here',
      '/incidents/inc_00000000-0000-4000-8000-000000000000',
      `/incidents/${foreign}`,
      `/projects/${strange.project.projectId}/incidents`,
      `/projects/${strange.project.projectId}/services`,
    ]) {
      await page.goto(`${culprit.url}${path}`);
      const title = page.locator('main h1');
      await title.waitFor();
      await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Incidents' }).waitFor();
      const [room, box] = await Promise.all([page.locator('main').boundingBox(), title.boundingBox()]);
      expect((box?.x ?? 0) - (room?.x ?? 0), path).toBeGreaterThanOrEqual(24);
      expect((box?.y ?? 0) - (room?.y ?? 0), path).toBeGreaterThanOrEqual(24);
      if (!path.startsWith('/projects/')) continue;
      await page.getByRole('button', { name: 'Unknown project' }).waitFor();
      // The navigation leads out of it.
      const links = page.getByRole('navigation', { name: 'Main' }).getByRole('link');
      await soon(() =>
        links.evaluateAll((all) => all.map((link) => link.getAttribute('href'))),
      ).not.toContainEqual(expect.stringContaining(strange.project.projectId));
    }
    await page.route('**/v1/projects/*/capture-policy', (route) =>
      route.fulfill({ status: 403, contentType: 'application/json', body: '{"error":"forbidden"}' }),
    );
    await page.goto(`${culprit.url}/projects/${ids.pid}/capture`);
    await page.getByRole('heading', { level: 1, name: 'Event filters' }).waitFor();
    await page.getByText('403 forbidden').waitFor();
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Incidents' }).waitFor();
  });

  it('an address that does not exist has the mark and a way to sign in where no one is', async () => {
    const { page } = await openWatchedPage(browser, culprit.url);
    await page.goto(`${culprit.url}/nothing/here`);
    await page.getByText('There is no page at this address.').waitFor();
    const title = page.getByRole('heading', { level: 1, name: 'Not found' });
    await title.waitFor();
    const [room, box] = await Promise.all([page.locator('main').boundingBox(), title.boundingBox()]);
    expect((box?.x ?? 0) - (room?.x ?? 0)).toBeGreaterThanOrEqual(24);
    expect((box?.y ?? 0) - (room?.y ?? 0)).toBeGreaterThanOrEqual(24);
    await page.locator('main header svg').waitFor();
    await page.getByRole('link', { name: 'Sign in' }).click();
    await page.getByLabel('E-mail').waitFor();
  });
});

describe('a wide window', { timeout: 60_000 }, () => {
  it('is filled by the list, and has the same left edge on every screen', async () => {
    const { page, expectQuiet } = await openSignedIn(browser, culprit, OWNER, {
      viewport: { width: 1920, height: 1080 },
    });
    const edges: number[] = [];
    for (const [path, heading] of [
      [`/projects/${ids.pid}/incidents`, 'Incidents'],
      [`/projects/${ids.pid}`, 'Overview'],
      [`/projects/${ids.pid}/services`, 'Services'],
      [`/projects/${ids.pid}/checks`, 'Uptime'],
    ]) {
      await page.goto(`${culprit.url}${path}`);
      const title = page.getByRole('heading', { level: 1, name: heading ?? '', exact: true });
      await title.waitFor();
      await settled(page);
      edges.push((await title.boundingBox())?.x ?? 0);
      if (heading === 'Incidents') {
        const table = await page.getByRole('table', { name: 'Incidents' }).boundingBox();
        expect(table?.width).toBeGreaterThan(1600);
      }
    }
    expect(new Set(edges).size).toBe(1);
    expectQuiet();
  });
});

describe('the capture screen', { timeout: 60_000 }, () => {
  it('stays where it was painted when its policy is read last', async () => {
    const { page, expectQuiet } = await openSignedIn(browser, culprit, OWNER);
    await page.addInitScript(watchShifts);
    await page.setViewportSize({ width: 360, height: 900 });
    const { promise: painted, resolve: answerPolicy } = Promise.withResolvers<void>();
    await page.route('**/v1/projects/*/capture-policy', async (route) => {
      await painted;
      await route.continue();
    });
    const rulesRead = page.waitForResponse('**/v1/projects/*/capture-rules*');
    await page.goto(`${culprit.url}/projects/${ids.pid}/capture`);
    await (await rulesRead).finished();
    await page.getByRole('button', { name: 'New filter' }).first().waitFor();
    // What stands in for the policy is painted after a moment only.
    await soon(() =>
      page.evaluate("document.querySelector('main div[aria-hidden]')?.getAnimations().length"),
    ).toBe(0);
    answerPolicy();
    await page.getByRole('heading', { level: 2, name: 'Rules' }).waitFor();
    await settled(page);
    expect(Number(await page.evaluate('window.shifted'))).toBeLessThanOrEqual(SHIFT_MAX);
    expectQuiet();
  });
});

describe('the sign-in page', { timeout: 60_000 }, () => {
  it('breaks no rule of accessibility and asks for no more than it needs', async () => {
    const { page, expectQuiet } = await openWatchedPage(browser, culprit.url);
    const scripts = sizesOf(page);
    await page.goto(`${culprit.url}/login`);
    await page.getByLabel('E-mail').waitFor();
    expect(await violationsOn(page)).toEqual([]);
    expect(scripts().js).toBeLessThanOrEqual(150 * KIB);
    expectQuiet();
  });
});

describe('the way to the list', { timeout: 60_000 }, () => {
  it('costs at most 150 KB of script (130 with brotli), 14 KB of style, 78 KB of fonts and 16 requests', async () => {
    const { page, expectQuiet } = await openSignedIn(browser, culprit, OWNER);
    const sizes = sizesOf(page);
    await page.goto(`${culprit.url}/projects/${ids.pid}/incidents`);
    await page.getByRole('table', { name: 'Incidents' }).getByRole('link').first().waitFor();
    const { js, brotli, css, fonts, requests } = sizes();
    expect(js, 'script').toBeLessThanOrEqual(150 * KIB);
    expect(brotli, 'script with brotli').toBeLessThanOrEqual(130 * KIB);
    expect(css, 'style').toBeLessThanOrEqual(14 * KIB);
    expect(fonts, 'fonts').toBeLessThanOrEqual(78 * KIB);
    expect(requests, 'requests').toBeLessThanOrEqual(16);
    expectQuiet();
  });
});

/** Runs in the page: sums what moved without anybody's doing. */
function watchShifts(): void {
  let sum = 0;
  Object.defineProperty(window, 'shifted', { get: () => sum });
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if ('value' in entry) sum += Number(entry.value);
  }).observe({ type: 'layout-shift', buffered: true });
}

/** Sums the compressed sizes of the built files that a page asks for. */
function sizesOf(
  page: Page,
): () => { js: number; brotli: number; css: number; fonts: number; requests: number } {
  const paths = new Set<string>();
  let requests = 0;
  page.on('request', (request) => {
    requests += 1;
    const { pathname } = new URL(request.url());
    if (pathname.startsWith('/assets/')) paths.add(pathname);
  });
  const sum = (ending: string, sizeOf: (path: string) => number) =>
    [...paths]
      .filter((path) => path.endsWith(ending))
      .reduce((total, path) => total + sizeOf(join(DASHBOARD_DIRECTORY, path)), 0);
  const zipped = (path: string) => gzipSync(readFileSync(path), { level: 9 }).length;
  return () => ({
    js: sum('.js', zipped),
    brotli: sum('.js', (path) => statSync(`${path}.br`).size),
    css: sum('.css', zipped),
    fonts: sum('.woff2', (path) => statSync(path).size),
    requests,
  });
}
