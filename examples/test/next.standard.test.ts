import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { folderBelowHosts, HOSTS_ROOT, installHosts } from '../../packages/sdk-test-hosts/hosts.ts';
import { launchBrowser } from '../../packages/server/test/support/browser.ts';
import { eventually } from '../../packages/server/test/support/eventually.ts';
import { connect, type IncidentClient } from '../../packages/server/test/support/incident-client.ts';
import { reservePort } from '../../packages/server/test/support/reserved-port.ts';
import { shareCulprit } from '../../packages/server/test/support/shared-culprit.ts';
import { connectedTo, prepareExample, type RunningExample } from './support/running-example.ts';

/** The example of Next.js as its README says: built, started against a real service, and broken in a real browser. */

const INSTALL_MAX_MS = 300_000;

/** A page whose answer has begun when a part of it fails. */
const FAILS_LATE = `
import { Suspense } from 'react';
import { connection } from 'next/server';
async function Late() { await connection(); throw new RangeError('no tea in stock'); }
export default function Page() { return <Suspense fallback="soon"><Late /></Suspense>; }
`;

/** A page that is prerendered when it is first asked for, and uses the library while it is. */
const PRERENDERED = `
import { captureException } from '@culprit/node';
export const generateStaticParams = () => [{ id: '1' }];
export default async function Page({ params }) {
  const { id } = await params;
  console.log('goods', id);
  if (id === '7') captureException(new RangeError('no goods ' + id));
  return <p>{'goods ' + id}</p>;
}
`;

let browser: Browser;
let running: RunningExample;
let client: IncidentClient;

beforeAll(async () => {
  const culprit = await shareCulprit();
  const modules = await installHosts();
  const example = prepareExample('next', await folderBelowHosts(), modules);
  // Turbopack would take the folder of the nearest lockfile for the application, and the repository's paths with it.
  // New applications begin with cached components, which refuse what a route says of its runtime.
  const settings = { turbopack: { root: HOSTS_ROOT }, cacheComponents: true };
  example.folder.write('app/late/page.js', FAILS_LATE);
  example.folder.write('app/goods/[id]/page.js', PRERENDERED);
  example.folder.write('next.config.mjs', `export default ${JSON.stringify(settings)};\n`);
  await example.run('build');
  [browser, client] = await Promise.all([launchBrowser(), connect(culprit)]);
  running = await example.start(await reservePort(), connectedTo(culprit.url, client.project.projectToken));
}, INSTALL_MAX_MS);
afterAll(async () => {
  await browser?.close();
  await running?.stop();
});

it('has the failing route and what failed in the browser in incidents of one trace', {
  timeout: 120_000,
}, async () => {
  const page = await browser.newPage();
  await page.goto(`${running.origin}/`);
  await page.click('#known');
  await page.waitForSelector('text=59 euros');
  await page.click('#unknown');
  const incidents = await client.counted(1, 1);
  const found = new Map(incidents.map((each) => [`${each.service_name}: ${each.title}`, each.incident_id]));
  const ofServer = "example-next: TypeError: Cannot read properties of undefined (reading 'total')";
  const ofPage = 'example-next-page: Error: There is no order 8';
  // The call that the page saw fail is the server's failure: docs/contract/incidents.md 5.10.
  expect([...found.keys()].sort()).toEqual([ofPage, ofServer].sort());
  // The browser's events come by the relay, later than the server's own.
  const { context, service } = await eventually(async () => {
    const bundle = await client.bundle(found.get(ofServer) ?? '');
    expect(bundle.context.frontend?.exceptions).toHaveLength(1);
    return bundle;
  });
  expect(service).toMatchObject({ framework: 'nextjs' });
  expect(context.error?.top_frames[0]).toMatch(/\.js:\d+$/);
  expect(context.request).toMatchObject({
    method: 'GET',
    path: '/api/orders/8',
    route_template: '/api/orders/[id]',
  });
  expect(context.response).toMatchObject({ status_code: 500 });
  expect(context.logs?.items.map(({ message }) => message)).toContain('Order 8 is wanted');
  const clicks = [
    { selector: expect.stringMatching(/#known$/) },
    { selector: expect.stringMatching(/#unknown$/) },
  ];
  expect(context.frontend).toMatchObject({
    clicks,
    network_requests: [{ method: 'GET', url: '/api/orders/8', status: 500 }],
    exceptions: [{ service: 'example-next-page', message: 'There is no order 8', route: '/' }],
  });
  const { context: pageContext } = await client.bundle(found.get(ofPage) ?? '');
  expect(pageContext.error?.top_frames[0]).toMatch(/\.js:\d+$/);
  expect(pageContext.frontend).toMatchObject({ clicks });
  await page.close();
});

it('has the part of a page that fails while it streams in an incident, although the answer is 200', async () => {
  const answer = await fetch(`${running.origin}/late`);
  expect(answer.status).toBe(200);
  await answer.text();
  const found = await incidentOf('RangeError: no tea in stock');
  const { context } = await client.bundle(found.incident_id);
  expect(context.request).toMatchObject({ path: '/late', route_template: '/late' });
  expect(context.response).toMatchObject({ status_code: 200 });

  // The page gets an error without its message, with the digest of the server's.
  const page = await browser.newPage();
  await page.goto(`${running.origin}/late`);
  const seen = await eventually(async () => {
    const bundle = await client.bundle(found.incident_id);
    expect(bundle.context.frontend?.exceptions).toHaveLength(1);
    return bundle.context.frontend?.exceptions[0];
  }, 20_000);
  expect(seen).toMatchObject({ service: 'example-next-page', route: '/late' });
  const services = (await client.list()).map((each) => `${each.service_name}: ${each.title}`);
  expect(services.filter((each) => /^example-next-page: (?!Error: There is no order)/.test(each))).toEqual(
    [],
  );
  await page.close();
});

it('reports while a page is prerendered, which Next.js takes for no use of the time or of chance', async () => {
  const answer = await fetch(`${running.origin}/goods/7`);
  expect(await answer.text()).toContain('goods 7');
  await incidentOf('RangeError: no goods 7');
  expect(running.output()).toContain('goods 7');
  expect(running.output()).not.toContain('prerendering');
});

async function incidentOf(title: string) {
  return await eventually(async () => {
    const found = (await client.list()).find((each) => each.title === title);
    if (found === undefined) throw new Error('it is not there yet');
    return found;
  }, 20_000);
}
