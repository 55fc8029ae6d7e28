import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type StartedHost, startHost } from '../../sdk-node/test/relay/relay-hosts.ts';
import { launchBrowser } from '../../server/test/support/browser.ts';
import { startCulprit, type TestCulprit } from '../../server/test/support/culprit.ts';
import { eventually } from '../../server/test/support/eventually.ts';
import { clientOf, type IncidentClient } from '../../server/test/support/incident-client.ts';
import { ruleClient } from '../../server/test/support/rule-client.ts';
import { bundlePage } from './support/page-bundle.ts';
import { type PageSite, startPageSite } from './support/page-site.ts';

/** Page, relay, server and service together, on the packed libraries: docs/contract/clients.md C-24, C-27, C-39, C-41. */

/** A shop that serves its page and the relay, and whose payments fail. */
const SHOP = `
import http from 'node:http';
import { init } from '@culprit/node';
import { relayHandler } from '@culprit/node/http';
import { listen } from './listen.mjs';
listen(({ script, token, endpoint }) => {
  init({ token, endpoint, service: 'shop-api', environment: 'production', mode: 'connected' });
  const relay = relayHandler();
  return http.createServer((request, response) => {
    if (relay(request, response)) return;
    if (request.url === '/api/pay') {
      response.statusCode = 500;
      response.end('no payment');
      return;
    }
    response.setHeader('content-type', request.url === '/app.js' ? 'text/javascript' : 'text/html');
    response.end(request.url === '/app.js' ? script : '<!doctype html><title>Shop</title><button id="pay">Pay</button><script src="/app.js"></script>');
  });
});`;

const WAIT_MS = 30_000;
const TEST_MS = 90_000;

let culprit: TestCulprit;
let browser: Browser;
let site: PageSite;
let shop: StartedHost;
let client: IncidentClient;

beforeAll(async () => {
  [culprit, browser, site] = await Promise.all([startCulprit(), launchBrowser(), startPageSite()]);
  const project = await culprit.createProject();
  client = clientOf(culprit, project);
  const script = await bundlePage(`
    import { captureException, init } from '@culprit/browser';
    init({ service: 'shop-web' });
    document.querySelector('#pay').addEventListener('click', async () => {
      const response = await fetch('/api/pay', { method: 'POST' });
      if (!response.ok) throw new Error('the payment failed');
    });
    window.captureLast = () => captureException(new Error('the last moment'));
  `);
  shop = await startHost(
    { packages: {}, source: SHOP },
    { app: { script, token: project.projectToken, endpoint: culprit.url } },
  );
}, 120_000);
afterAll(async () => {
  await shop?.stop();
  await browser?.close();
  await site?.close();
  await culprit?.stop();
});

const shopPage = async () => {
  const page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${shop.ports.app}/`);
  return page;
};

/** The incident of a service with this title, once it is there. */
const incidentOf = (service: string, title: string) =>
  eventually(async () => {
    const found = (await client.list()).find((each) => each.service_name === service && each.title === title);
    if (found === undefined) throw new Error(`there is no incident of ${service} yet`);
    return found;
  }, WAIT_MS);

describe('a click that calls a failing API', () => {
  it(
    'gives the bundle of the server what the page saw, by one trace id',
    async () => {
      const page = await shopPage();
      await page.click('#pay');
      await incidentOf('shop-web', 'Error: the payment failed');
      const { incident_id } = await incidentOf('shop-api', 'POST /api/pay returned 500');
      await eventually(async () => {
        const { frontend } = (await client.bundle(incident_id)).context;
        expect(frontend).toMatchObject({
          clicks: [{ selector: 'html > body > button#pay' }],
          exceptions: [{ message: 'the payment failed' }],
          network_requests: [{ url: '/api/pay', method: 'POST', status: 500 }],
        });
      }, WAIT_MS);
      await page.close();
    },
    TEST_MS,
  );
});

describe('a page that is left while a relay takes its events', () => {
  it(
    'has its last exception counted once',
    async () => {
      const page = await shopPage();
      await page.evaluate('captureLast()');
      await page.goto('about:blank');
      expect(await incidentOf('shop-web', 'Error: the last moment')).toMatchObject({ occurrence_count: 1 });
      await page.close();
    },
    TEST_MS,
  );
});

describe('a page that sends to the service itself', () => {
  it(
    'keeps to the rules of its project, and asks again with the tag that the browser has kept',
    async () => {
      const project = await culprit.createProject();
      const rules = ruleClient(culprit.url, project);
      await rules.create({ matcher: { message_contains: 'known to all' } });
      const token = await culprit.createProjectToken(project.projectId, [site.origin]);
      const script = await bundlePage(`
      import { captureException, flush, getDiagnostics, init } from '@culprit/browser';
      import { captureRules } from '@culprit/browser/integrations';
      init({ token: '${token}', endpoint: '${culprit.url}', service: 'web', integrations: [captureRules()] });
      Object.assign(window, { captureException, flush, getDiagnostics });
    `);
      site.serve('/app.js', 'text/javascript', script);
      site.serve('/rules', 'text/html', '<!doctype html><title>Rules</title><script src="/app.js"></script>');
      const page = await browser.newPage();
      const session = await page.context().newCDPSession(page);
      await session.send('Network.enable');
      const answers: number[] = [];
      // What came over the wire: the page itself is told 200 when the browser's copy is still the right one.
      session.on('Network.responseReceivedExtraInfo', ({ statusCode, headers }) => {
        if ('etag' in headers || 'ETag' in headers) answers.push(statusCode);
      });
      const known = () =>
        eventually(async () => {
          expect(await page.evaluate('getDiagnostics().policyPreset')).toBe('investigative');
        }, WAIT_MS);
      await page.goto(`${site.origin}/rules`);
      await known();
      await page.reload();
      await known();
      expect(answers).toEqual([200, 304]);
      await page.evaluate(
        "captureException(new Error('known to all')); captureException(new Error('of its own')); flush(5000)",
      );
      expect(await page.evaluate('getDiagnostics()')).toMatchObject({
        captured: 2,
        sent: 1,
        waiting: 0,
        dropped: { rule: 1 },
      });
      await page.close();
    },
    TEST_MS,
  );
});
