import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser } from '../support/browser.ts';
import { startCulprit, type TestCulprit, type TestProject } from '../support/culprit.ts';
import { eventually } from '../support/eventually.ts';
import {
  authOf,
  envelope,
  errorEnvelope,
  newEventId,
  post,
  sentryEvent,
  sentryTarget,
} from '../support/sentry-client.ts';
import { readStoredBatches } from '../support/stored-events.ts';

/** What a page still sends while it is left, as published browser libraries do: docs/contract/ingestion.md 3.3, 3.4. */

let culprit: TestCulprit;
let project: TestProject;
let browser: Browser;
let site: Server;
let siteOrigin: string;

beforeAll(async () => {
  [culprit, browser] = await Promise.all([startCulprit({ hasWorker: false }), launchBrowser()]);
  project = await culprit.createProject();
  site = createServer((request, response) => {
    if (request.url === '/tunnel') {
      void throughTunnel(request).then((status) => response.writeHead(status).end());
      return;
    }
    response.setHeader('content-type', 'text/html');
    response.end('<!doctype html><title>A page of the customer</title>');
  });
  site.listen(0, '127.0.0.1');
  await once(site, 'listening');
  siteOrigin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await browser?.close();
  site?.close();
  await culprit?.stop();
});

function beaconBody(token: string, eventId: string): string {
  const event = {
    schema_version: '2026-03-01',
    event_id: eventId,
    event_type: 'frontend_exception',
    occurred_at: '2026-03-24T10:30:00Z',
    project_token: token,
    sdk_name: '@debugbundle/sdk-browser',
    sdk_version: '1.6.0',
    service: { name: 'web', runtime: 'browser', framework: null, environment: 'production' },
    payload: { name: 'TypeError', message: 'x is undefined' },
  };
  return JSON.stringify({ events: [event] });
}

/** Opens a page of the site that sends the body as a JSON beacon when it is hidden, and leaves it. */
async function leavePage(body: string): Promise<void> {
  const context = await browser.newContext();
  await context.addCookies([{ name: 'svc_session', value: 'svc_sess_of_somebody', url: culprit.url }]);
  const page = await context.newPage();
  await page.goto(siteOrigin);
  const address = JSON.stringify(`${culprit.url}/v1/events`);
  await page.evaluate(
    `addEventListener('pagehide', () => {
      navigator.sendBeacon(${address}, new Blob([${JSON.stringify(body)}], { type: 'application/json' }));
    })`,
  );
  await page.goto(`${siteOrigin}/elsewhere`);
}

/** What a site does for its pages: the body goes on unchanged, and nothing else of the request. */
async function throughTunnel(request: IncomingMessage): Promise<number> {
  const { envelope: address } = await sentryTarget(culprit, project);
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  return (await post(address, Buffer.concat(chunks))).status;
}

async function storedEventIds(): Promise<unknown[]> {
  const batches = await readStoredBatches(culprit, project.projectId);
  return batches.flatMap(({ records }) =>
    records.map(({ eventBytes }) => JSON.parse(String(eventBytes)).event_id),
  );
}

describe('a JSON beacon of a page that is left', () => {
  it('is sent by the browser and arrives, with a cookie of the service beside it', async () => {
    const token = await culprit.createProjectToken(project.projectId, [siteOrigin]);
    await leavePage(beaconBody(token, 'evt_left_page'));
    await eventually(async () => expect(await storedEventIds()).toEqual(['evt_left_page']));
  });
});

/** docs/contract/foreign-protocols.md 3.9. */
// F-21
describe('a library of Sentry in a page', () => {
  it('may ask with its own header, and reads what not to send', async () => {
    const { envelope: address, key } = await sentryTarget(culprit, project);
    const eventId = newEventId();
    const page = await browser.newPage();
    await page.goto(siteOrigin);
    const asked = await page.evaluate(
      async ([to, headers, body]) => {
        const answer = await fetch(to, { method: 'POST', headers, body });
        const read = (name: string) => answer.headers.get(name);
        return [answer.status, read('x-sentry-rate-limits'), read('x-service-request-id')];
      },
      [address, authOf(key), errorEnvelope(eventId).toString()] as const,
    );
    expect(asked).toEqual([200, expect.stringContaining('session;replay'), null]);
    await eventually(async () => expect(await storedEventIds()).toContain(eventId));
    const refused = await page.evaluate(
      async ([to, headers]) => {
        const answer = await fetch(to, { method: 'POST', headers, body: 'no envelope' });
        return [answer.status, answer.headers.get('x-sentry-error')];
      },
      [address, authOf(key)] as const,
    );
    expect(refused).toEqual([400, expect.stringContaining('not a JSON object')]);
  });

  it('may send through a tunnel of its site, which names the key in the first line alone', async () => {
    const { record } = await sentryTarget(culprit, project);
    const eventId = newEventId();
    const page = await browser.newPage();
    await page.goto(siteOrigin);
    const items = [{ type: 'event', payload: sentryEvent(eventId) }];
    const status = await page.evaluate(
      async (body) => (await fetch('/tunnel', { method: 'POST', body })).status,
      envelope(items, { event_id: eventId, dsn: record.dsn }).toString(),
    );
    expect(status).toBe(200);
    await eventually(async () => expect(await storedEventIds()).toContain(eventId));
  });
});
