import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { ensureDashboard } from '../../packages/dashboard/test/support/dashboard.ts';
import { launchBrowser } from '../../packages/server/test/support/browser.ts';
import { signInByMail } from '../../packages/server/test/support/sign-in.ts';
import { fillProject, incidentAt } from '../dashboard/fill-project.ts';
import {
  framePaintMs,
  largestPaintMs,
  type MeasuredPage,
  openMeasuredPage,
  scrollFrames,
} from '../dashboard/measured-page.ts';
import {
  filter,
  keys,
  LIST,
  listAndIncident,
  listedIds,
  menu,
  palette,
  readRows,
  rowOf,
  select,
  showRow,
} from '../dashboard/measures.ts';
import { summarize } from '../load/latencies.ts';
import type { Measured, Target } from '../report/measured.ts';
import { BENCH_EMAIL, type BenchProject, type Service } from '../service/service.ts';
import type { ServiceDatabase } from '../service/service-database.ts';
import { type BenchContext, type RowGroup, repeated } from './row-group.ts';
import { withService } from './with-service.ts';

/** The times of docs/contract/dashboard.md 2.5, in a real browser, with 100,000 incidents and 100 checks. */

const INCIDENTS = 100_000;
const CHECKS = 100;
const OPENED_INCIDENTS = 8;
const KEY_PRESSES = 60;
const PALETTE_OPENINGS = 10;
const SCROLL_SECONDS = 10;
/** The row that a person opens deep in the list. */
const DEEP_ROW = 5000;
const SELECTED_ROWS = 1000;
const MB = 1_000_000;

interface Stage {
  context: BenchContext;
  browser: Browser;
  service: Service;
  database: ServiceDatabase;
  project: BenchProject;
  cookie: string;
}

export const dashboard: RowGroup = {
  rows: ['dashboard'],
  async measure(context) {
    await ensureDashboard();
    const mailDirectory = join(context.directory, 'mail');
    mkdirSync(mailDirectory);
    const browser = await launchBrowser();
    try {
      return await withService(
        context,
        async (service, database) => {
          const project = await service.createProject('dashboard');
          context.progress('dashboard: filling the database');
          await fillProject(service, database, project, context.generator, {
            incidents: INCIDENTS,
            checks: CHECKS,
          });
          const place = {
            url: `http://localhost:${service.port}`,
            database: database.database,
            mailDirectory,
          };
          const { cookie } = await signInByMail(place, BENCH_EMAIL);
          const stage = { context, browser, service, database, project, cookie };
          return [...(await openings(stage)), ...(await steps(stage)), ...(await longList(stage))];
        },
        { CULPRIT_EMAIL_TRANSPORT: 'file', CULPRIT_EMAIL_DIR: mailDirectory },
      );
    } finally {
      await browser.close();
    }
  },
};

/** Screens that are opened with an empty cache. */
async function openings(stage: Stage): Promise<Measured[]> {
  const { context, database, project } = stage;
  const list = listPath(project);
  const incident = `/incidents/${await incidentAt(database, project, 0)}`;
  const paintOf = (path: string, what: string) =>
    repeated(context, `dashboard, ${what}`, () =>
      onPage(stage, async ({ page, untilQuiet }) => {
        await page.goto(path);
        await page.locator('main h1').waitFor();
        await untilQuiet();
        return await largestPaintMs(page);
      }),
    );
  const frameOf = (path: string, what: string) =>
    repeated(context, `dashboard, frame of ${what}`, () =>
      onPage(stage, async ({ page }) => await framePaintMs(page, path)),
    );
  const checks = await repeated(context, 'dashboard, checks', () =>
    onPage(stage, async ({ page, paintedAfter, untilQuiet }) => {
      await page.goto(list);
      await page.locator(LIST.selector).first().waitFor();
      await untilQuiet();
      const link = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Uptime' });
      return await paintedAfter(() => link.click(), { selector: 'main li svg', least: CHECKS });
    }),
  );
  return [
    row('list of incidents opened, largest paint', 'ms', await paintOf(list, 'list'), atMost(900)),
    row('incident opened, largest paint', 'ms', await paintOf(incident, 'incident'), atMost(1000)),
    row('frame and shape of the start, before any answer', 'ms', await frameOf('/', 'start'), atMost(300)),
    row('frame and shape of the list, before any answer', 'ms', await frameOf(list, 'list'), atMost(300)),
    row(
      'frame and shape of an incident, before any answer',
      'ms',
      await frameOf(incident, 'incident'),
      atMost(300),
    ),
    row(`${CHECKS} checks opened for the first time`, 'ms', checks, atMost(200)),
  ];
}

/** Steps on a page that has read what it shows. */
async function steps(stage: Stage): Promise<Measured[]> {
  const { context, project } = stage;
  const runs = await repeated(context, 'dashboard, steps', () =>
    onPage(stage, async (measured) => {
      const { page, untilQuiet } = measured;
      await page.goto(listPath(project));
      await page.locator(LIST.selector).first().waitFor();
      await untilQuiet();
      const ids = (await listedIds(page)).slice(0, context.scaled(OPENED_INCIDENTS));
      const opened = await listAndIncident(measured, ids);
      const screens = await menu(measured);
      await page.goto(listPath(project));
      await page.locator(LIST.selector).first().waitFor();
      await untilQuiet();
      return {
        opened,
        screens,
        keys: await keys(measured, context.scaled(KEY_PRESSES)),
        palette: await palette(measured, context.scaled(PALETTE_OPENINGS)),
        filtered: await filter(measured),
      };
    }),
  );
  const screenTimes = runs.map(({ screens }) => Object.fromEntries(screens));
  return [
    row(
      'from the list to an incident and back, from cache, p95',
      'ms',
      runs.map(({ opened }) => p95(opened)),
      atMost(100),
      { runs: runs.map(({ opened }) => opened) },
    ),
    row(
      'from screen to screen of the menu, from cache, p95',
      'ms',
      runs.map(({ screens }) => p95([...screens.values()])),
      atMost(100),
      { runs: screenTimes },
    ),
    row(
      'list with another filter',
      'ms',
      runs.map(({ filtered }) => filtered),
      { kind: 'none' },
    ),
    row(
      'key to the next row of the list, p95',
      'ms',
      runs.map((run) => p95(run.keys)),
      atMost(50),
    ),
    row(
      'palette opened again, p95',
      'ms',
      runs.map((run) => p95(run.palette)),
      atMost(50),
    ),
  ];
}

/** One list of all incidents, scrolled to its end. */
async function longList(stage: Stage): Promise<Measured[]> {
  const { context, database, project } = stage;
  const deepId = await incidentAt(database, project, DEEP_ROW);
  const runs = await repeated(context, 'dashboard, long list', () =>
    onPage(stage, async (measured) => {
      const { page, paintedAfter, heapBytes, untilQuiet } = measured;
      await page.goto(listPath(project));
      await page.locator(LIST.selector).first().waitFor();
      await readRows(page, DEEP_ROW + 200);
      await untilQuiet();
      const selected = await select(measured, SELECTED_ROWS);
      await page.keyboard.press('Escape');
      await showRow(page, DEEP_ROW);
      await page.locator(rowOf(deepId)).click();
      await page.waitForURL(`**/incidents/${deepId}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await untilQuiet();
      const back = await paintedAfter(() => page.evaluate(() => history.back()), {
        selector: `${rowOf(deepId)}:focus`,
      });
      await page.goto(`${listPath(project)}?status=all`);
      await page.locator(LIST.selector).first().waitFor();
      const begin = performance.now();
      await readRows(page, INCIDENTS);
      const readSeconds = (performance.now() - begin) / 1000;
      await untilQuiet();
      const frames = await scrollFrames(page, context.scaled(SCROLL_SECONDS));
      return { selected, back, readSeconds, frames, heap: (await heapBytes()) / MB };
    }),
  );
  return [
    row(
      `back from an incident to row ${DEEP_ROW.toLocaleString('en')}`,
      'ms',
      runs.map(({ back }) => back),
      atMost(100),
    ),
    row(
      '1,000 rows selected',
      'ms',
      runs.map(({ selected }) => selected),
      { kind: 'none' },
    ),
    row(
      'all 100,000 rows read by going to the end',
      's',
      runs.map((run) => run.readSeconds),
      { kind: 'none' },
    ),
    row(
      'frame while 100,000 rows are scrolled in 10 s, p95',
      'ms',
      runs.map((run) => p95(run.frames)),
      atMost(17),
    ),
    row(
      'longest of these frames',
      'ms',
      runs.map((run) => Math.max(...run.frames)),
      { kind: 'none' },
    ),
    row(
      'heap with 100,000 rows',
      'MB',
      runs.map(({ heap }) => heap),
      atMost(150),
    ),
  ];
}

async function onPage<Result>(
  { browser, service, cookie }: Stage,
  work: (measured: MeasuredPage) => Promise<Result>,
): Promise<Result> {
  const measured = await openMeasuredPage(browser, service, cookie);
  try {
    return await work(measured);
  } finally {
    await measured.close();
  }
}

function listPath({ projectId }: BenchProject): string {
  return `/projects/proj_${projectId}/incidents`;
}

function row(
  figure: string,
  unit: string,
  values: readonly number[],
  target: Target,
  details: Record<string, unknown> = {},
): Measured {
  return { row: 'dashboard', figure, unit, values, floorValues: null, target, details };
}

function atMost(value: number): Target {
  return { kind: 'at_most', value };
}

function p95(values: readonly number[]): number {
  return summarize(values).p95;
}
