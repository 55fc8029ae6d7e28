import { setTimeout as delay } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { bundlePage } from '../../packages/sdk-browser/test/support/page-bundle.ts';
import { type PageSite, startPageSite } from '../../packages/sdk-browser/test/support/page-site.ts';
import { launchBrowser } from '../../packages/server/test/support/browser.ts';
import { getRequest, type HttpConnection, openConnection } from '../load/http-connection.ts';
import { summarize } from '../load/latencies.ts';
import type { Measured } from '../report/measured.ts';
import { type BenchContext, repeated } from '../rows/row-group.ts';
import { withService } from '../rows/with-service.ts';
import type { BenchProject, Service } from '../service/service.ts';

/** The exceptions of one run, each in a separate page, as users meet them. */
const EXCEPTIONS = 20;
const WARM_UP_EXCEPTIONS = 5;
const PAUSE_MS = 100;
const VISIBLE_TIMEOUT_MS = 30_000;

interface Stage {
  service: Service;
  project: BenchProject;
  site: PageSite;
  page: Page;
  reader: HttpConnection;
}

/** Milliseconds from the throw. */
interface Times {
  sent: number;
  listed: number;
}

/** Measures the time of an exception from a page in a real browser to its incident in the API of an idle service. */
export async function measurePageToIncident(context: BenchContext): Promise<Measured[]> {
  const runs = await withService(context, async (service) => {
    const project = await service.createProject('page');
    const browser = await launchBrowser();
    const site = await startPageSite();
    const reader = await openConnection(service.host, service.port);
    try {
      site.serve('/app.js', 'text/javascript', await pageScript(service, project));
      site.serve('/', 'text/html', '<!doctype html><title>Shop</title><script src="/app.js"></script>');
      const stage = { service, project, site, reader, page: await browser.newPage() };
      await throwSome(stage, WARM_UP_EXCEPTIONS);
      return await repeated(context, 'sdk, from a page to its incident', () =>
        throwSome(stage, context.scaled(EXCEPTIONS)),
      );
    } finally {
      reader.close();
      await site.close();
      await browser.close();
    }
  });
  const row = (figure: string, member: keyof Times, most: number): Measured => ({
    row: 'sdk',
    figure,
    unit: 'ms',
    values: runs.map((times) => summarize(times.map((each) => each[member])).p95),
    floorValues: null,
    target: { kind: 'at_most', value: most },
    details: { runs: runs.map((times) => summarize(times.map((each) => each[member]))) },
  });
  return [
    row('exception in a page to its request, p95', 'sent', 500),
    row('exception in a page to its incident in the API, p95', 'listed', 1500),
  ];
}

/** A token without allowed origins is taken from every page. */
function pageScript({ host, port }: Service, { projectToken }: BenchProject): Promise<string> {
  return bundlePage(`
    import { init } from '@culprit/browser';
    init({ token: '${projectToken}', endpoint: 'http://${host}:${port}', service: 'shop-web' });
  `);
}

async function throwSome(stage: Stage, count: number): Promise<Times[]> {
  const times: Times[] = [];
  for (let i = 0; i < count; i += 1) {
    times.push(await throwOne(stage, `Seen${letters(Date.now())}${letters(i)}`));
    await delay(PAUSE_MS);
  }
  return times;
}

/** The page and this process read one clock. */
async function throwOne({ service, project, site, page, reader }: Stage, mark: string): Promise<Times> {
  await page.goto(`${site.origin}/`);
  const request = page.waitForRequest((each) => (each.postData() ?? '').includes(mark));
  const thrownAt = Date.parse(
    await page.evaluate((name) => {
      setTimeout(() => {
        throw new Error(name);
      });
      return new Date().toISOString();
    }, mark),
  );
  const sent = request.then(() => Date.now() - thrownAt);
  const list = getRequest({ ...service, token: project.memberToken }, '/v1/incidents?limit=1');
  for (;;) {
    const { status, body } = await reader.exchange(list);
    if (status !== 200) throw new Error(`the list of incidents answered ${status} ${body}`);
    if (body.includes(mark)) return { listed: Date.now() - thrownAt, sent: await sent };
    if (Date.now() - thrownAt > VISIBLE_TIMEOUT_MS) throw new Error('an incident did not appear');
    await delay(5);
  }
}

/** A number as a word: grouping takes digits for what changes within one error. */
function letters(number: number): string {
  return `Z${[...String(number)].map((digit) => 'abcdefghij'[Number(digit)]).join('')}`;
}
