import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { hostFolder } from '../../packages/sdk-test-hosts/hosts.ts';
import { launchBrowser } from '../../packages/server/test/support/browser.ts';
import { connect, type IncidentClient } from '../../packages/server/test/support/incident-client.ts';
import { reservePort } from '../../packages/server/test/support/reserved-port.ts';
import { shareCulprit } from '../../packages/server/test/support/shared-culprit.ts';
import { prepareExample, type RunningExample } from './support/running-example.ts';

/** The example of a static page as its README says: with a token for its origin, in a real browser. */

let browser: Browser;
let running: RunningExample;
let client: IncidentClient;

beforeAll(async () => {
  const culprit = await shareCulprit();
  [browser, client] = await Promise.all([launchBrowser(), connect(culprit)]);
  const port = await reservePort();
  const token = await culprit.createProjectToken(client.project.projectId, [`http://localhost:${port}`]);
  const { folder, start } = prepareExample('static-page', await hostFolder(), '');
  const html = readFileSync(join(folder.path, 'public/index.html'), 'utf8')
    .replace('svc_proj_YOUR_TOKEN', token)
    .replace('https://culprit.example.com', culprit.url);
  folder.write('public/index.html', html);
  running = await start(port, {});
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await running?.stop();
});

it('has the failing script in an incident, with the click before it', { timeout: 120_000 }, async () => {
  const page = await browser.newPage();
  await page.goto(`${running.origin}/`);
  await page.click('#lamp');
  expect(await page.textContent('#price')).toBe('59 euros');
  await page.click('#sofa');
  const incident = await client.only();
  expect(incident).toMatchObject({
    title: "TypeError: Cannot read properties of undefined (reading 'euros')",
    service_name: 'example-page',
    incident_reason: { kind: 'frontend_exception' },
  });
  const { context, summary } = await client.bundle(incident.incident_id);
  expect(summary.first_application_frame).toMatchObject({
    file: expect.stringMatching(/prices\.js$/),
    function: 'showPrice',
  });
  expect(context.frontend).toMatchObject({
    clicks: [
      { selector: expect.stringMatching(/button#lamp$/) },
      { selector: expect.stringMatching(/button#sofa$/) },
    ],
  });
  await page.close();
});
