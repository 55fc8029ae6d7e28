import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { removeData, startService } from '../../../../bench/service/service.ts';
import { openServiceDatabase } from '../../../../bench/service/service-database.ts';
import { ROOT } from '../../../server/test/lanes/test-files.ts';
import { launchBrowser } from '../../../server/test/support/browser.ts';
import { sendEvents } from '../../../server/test/support/send-events.ts';
import { signInByMail } from '../../../server/test/support/sign-in.ts';
import { ensureDashboard } from '../support/dashboard.ts';
import { runDemo } from './demo-data.ts';
import { makeMails } from './mails.ts';
import { findScreens, type Screen } from './screens.ts';
import { statesOf } from './states.ts';

/**
 * Pictures of every screen, to be looked at by a person before a release: the real service with the data of the demo, in
 * both themes and four widths, what dialogs, loading and failures look like, and the mails. Nothing is compared by pixels.
 */

const USAGE = `Usage: npm run dashboard:pictures -- [--only SCREEN]... [--theme THEME] [--width PIXELS] [--data NAME] [--readme]

--only    just the screen of this name (src/paths.ts), or the state or mail of this name
--theme   light or dark alone
--width   360, 768, 1440 or 1920 alone
--data    shop (the default) or busy, as of the demo
--readme  writes the picture of the read-me, of the busy data, in place of all others
`;

const FOLDER = join(ROOT, 'packages/dashboard/pictures');
const README_PICTURE = join(ROOT, 'docs/images/incident.png');
const THEMES = ['light', 'dark'] as const;
const WIDTHS = [360, 768, 1440, 1920] as const;
/** The room that a mail has in most programs. */
const MAIL_WIDTH = 720;
const HEIGHT = 900;
const HEIGHT_MAX = 4000;
/** Menus and dialogs have no sign of being at rest. */
const SETTLING_MS = 400;
const README_SIZE = { width: 1440, height: HEIGHT };
const EMAIL = 'demo@example.test';
const REJECTED = {
  event_type: 'log_event',
  timestamp: '2026-01-01T00:00:00.000Z',
  service: { name: 'checkout-api' },
  payload: { level: 'error', message: 'Rejected' },
};

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: [] },
    theme: { type: 'string' },
    width: { type: 'string' },
    data: { type: 'string', default: 'shop' },
    readme: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) process.stdout.write(USAGE);
else await takePictures();

async function takePictures(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'culprit-pictures-'));
  const mailDirectory = join(directory, 'mail');
  const dataDir = join(directory, 'data');
  mkdirSync(mailDirectory);
  // The service takes its settings from the environment, as with `npm start`.
  Object.assign(process.env, {
    CULPRIT_EMAIL_TRANSPORT: 'file',
    CULPRIT_EMAIL_DIR: mailDirectory,
    CULPRIT_OPERATORS: EMAIL,
  });
  await ensureDashboard();
  const service = await startService(dataDir);
  const database = openServiceDatabase(service);
  const browser = await launchBrowser();
  try {
    const url = `http://localhost:${service.port}`;
    const project = await runDemo({ url, port: service.port, dataDir }, values.readme ? 'busy' : values.data);
    const { cookie } = await signInByMail({ url, database: database.database, mailDirectory }, EMAIL);
    await sendRejected(url, project.projectToken);
    const screens = await findScreens(url, project);
    if (values.readme) await takeForReadme(browser, url, cookie, screens);
    else await takeAll(browser, url, cookie, screens, await makeMails(url, project, mailDirectory, EMAIL));
  } finally {
    await browser.close();
    await database.close();
    await service.stop();
    removeData(dataDir);
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Events that the intake lists as rejected. */
async function sendRejected(url: string, token: string): Promise<void> {
  const { event_type: _, ...untyped } = REJECTED;
  const { timestamp: __, ...timeless } = REJECTED;
  await sendEvents(url, token, [untyped, timeless, timeless, { ...REJECTED, service: { name: '' } }]);
}

async function takeAll(
  browser: Browser,
  url: string,
  cookie: string,
  screens: readonly Screen[],
  mails: ReadonlyMap<string, string>,
) {
  const isWanted = ({ name }: { name: string }) => values.only.length === 0 || values.only.includes(name);
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  const taken: string[] = [];
  for (const theme of THEMES) {
    if (values.theme !== undefined && values.theme !== theme) continue;
    for (const width of WIDTHS) {
      if (values.width !== undefined && values.width !== String(width)) continue;
      const viewport = { width, height: HEIGHT };
      const signedIn = await openPage(browser, url, cookie, theme, viewport);
      const stranger = await openPage(browser, url, null, theme, viewport);
      const take = async (page: Page, name: string) => {
        const file = `${name}-${width}-${theme}.png`;
        await unrollTo(page, width);
        await page.screenshot({ path: join(FOLDER, file) });
        await page.setViewportSize(viewport);
        taken.push(file);
      };
      for (const { name, path } of screens.filter(isWanted)) {
        const page = name === 'login' ? stranger : signedIn;
        await page.goto(url + path);
        if (!(await isWhole(page))) continue;
        await take(page, name);
      }
      for (const { name, show } of statesOf(url, screens).filter(isWanted)) {
        await show(signedIn);
        await signedIn.getByRole('heading', { level: 1 }).or(signedIn.locator('main')).first().waitFor();
        await signedIn.waitForTimeout(SETTLING_MS);
        await signedIn.screenshot({ path: join(FOLDER, `${name}-${width}-${theme}.png`) });
        taken.push(`${name}-${width}-${theme}.png`);
        await signedIn.unrouteAll({ behavior: 'ignoreErrors' });
      }
      for (const page of [signedIn, stranger]) await page.context().close();
    }
  }
  const letters = await browser.newPage({ viewport: { width: MAIL_WIDTH, height: HEIGHT } });
  for (const [name, html] of [...mails].filter(([name]) => isWanted({ name }))) {
    await letters.setContent(html);
    await letters.screenshot({ path: join(FOLDER, `${name}.png`), fullPage: true });
    taken.push(`${name}.png`);
  }
  writeFileSync(join(FOLDER, 'index.html'), indexOf(taken));
  process.stdout.write(`${taken.length} pictures: ${relative(process.cwd(), join(FOLDER, 'index.html'))}\n`);
}

async function takeForReadme(browser: Browser, url: string, cookie: string, screens: readonly Screen[]) {
  const incident = screens.find(({ name }) => name === 'incident');
  if (incident === undefined) throw new Error('the demo left no incident');
  const page = await openPage(browser, url, cookie, 'light', README_SIZE);
  await page.goto(url + incident.path);
  await isWhole(page);
  await page.getByRole('button', { name: 'Show as table' }).first().waitFor();
  mkdirSync(join(README_PICTURE, '..'), { recursive: true });
  await page.screenshot({ path: README_PICTURE });
  process.stdout.write(`${relative(process.cwd(), README_PICTURE)}\n`);
}

async function openPage(
  browser: Browser,
  url: string,
  cookie: string | null,
  colorScheme: (typeof THEMES)[number],
  viewport: { width: number; height: number },
): Promise<Page> {
  const context = await browser.newContext({
    locale: 'en-US',
    timezoneId: 'Europe/Berlin',
    colorScheme,
    viewport,
    reducedMotion: 'reduce',
  });
  if (cookie !== null) {
    const [name = '', value = ''] = cookie.split('=');
    await context.addCookies([{ name, value, url, httpOnly: true, sameSite: 'Lax' }]);
  }
  return await context.newPage();
}

/** Makes the window as high as the page, so that rows that are only drawn in view are drawn. */
async function unrollTo(page: Page, width: number): Promise<void> {
  const height = Number(await page.evaluate('document.documentElement.scrollHeight'));
  await page.setViewportSize({ width, height: Math.min(HEIGHT_MAX, Math.max(HEIGHT, height)) });
  await page.waitForTimeout(SETTLING_MS);
}

/** Waits until the screen stands; false for an address that has none yet. */
async function isWhole(page: Page): Promise<boolean> {
  const heading = page.getByRole('heading', { level: 1 });
  await heading.first().waitFor();
  await page.waitForLoadState('networkidle');
  await page.evaluate('document.fonts.ready');
  return (await heading.first().textContent()) !== 'Not found';
}

function indexOf(files: readonly string[]): string {
  const pictures = files.map(
    (file) =>
      `<figure><figcaption>${file}</figcaption><a href="${file}"><img src="${file}" alt=""></a></figure>`,
  );
  return `<!doctype html><meta charset="utf-8"><title>Pictures of the dashboard</title>
<style>body{font:14px system-ui}figure{display:inline-block;margin:8px;vertical-align:top}img{max-width:420px;border:1px solid #999}</style>
${pictures.join('\n')}
`;
}
