import { isJsonObject } from '@culprit/evidence/events/envelope/json';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { EX } from '../../../server/test/conformance/incidents-fixtures.ts';
import { launchBrowser } from '../../../server/test/support/browser.ts';
import { createCollaborator } from '../../../server/test/support/collaborators.ts';
import type { TestCulprit } from '../../../server/test/support/culprit.ts';
import { connect } from '../../../server/test/support/incident-client.ts';
import { nextMail } from '../../../server/test/support/mailbox.ts';
import { startWithDashboard } from '../support/dashboard.ts';
import { press, type } from '../support/keyboard.ts';
import { openSignedIn } from '../support/signed-in-page.ts';
import { expectSoundLooks } from '../support/sound-looks.ts';

/** docs/contract/team-workflow.md 4 and 20, items 25 and 26, by keyboard. */

const OWNER = 'owner@notes.test';

let culprit: TestCulprit;
let browser: Browser;
beforeAll(async () => {
  [culprit, browser] = await Promise.all([startWithDashboard(), launchBrowser()]);
}, 180_000);
afterAll(async () => {
  await browser?.close();
  await culprit?.stop();
});

it('a person writes a note with Markdown and a mention, edits and deletes it', {
  timeout: 120_000,
}, async () => {
  const client = await connect(culprit, { email: OWNER, name: 'shop' });
  const mate = await createCollaborator(culprit, client.project, 'member');
  await client.send(EX());
  const { incident_id: id } = await client.only();
  const { page, expectQuiet } = await openSignedIn(browser, culprit, OWNER, {
    viewport: { width: 360, height: 800 },
  });
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  await page.goto(`${culprit.url}/incidents/${id}`);
  const field = page.getByRole('textbox', { name: 'Add a note' });
  await field.waitFor();
  expect(await page.getByText(/^Markdown:/).count()).toBe(0);
  await page.keyboard.press('n');
  expect(await field.evaluate((element) => element === document.activeElement)).toBe(true);

  await page.keyboard.type('**Rolled back** by @member');
  await page.getByText(/^Markdown:/).waitFor();
  const hint = await field.getAttribute('aria-describedby');
  expect(await page.locator(`[id="${hint}"]`).textContent()).toContain('**bold**');
  await press(page.getByRole('group', { name: 'People and teams to mention' }).getByRole('button'));
  await page.keyboard.type('\n\n- `cart.js`\n- <img src=x onerror=alert(1)> [x](javascript:alert(2))\n');
  await page.keyboard.type('- ![x](http://tracking.example/a.png) שלום \u202Egnp');
  await page.keyboard.press('Control+Enter');

  const note = page.locator('li', { has: page.locator('strong', { hasText: 'Rolled back' }) }).last();
  await note.waitFor();
  expect(await note.locator('code').allTextContents()).toContain('cart.js');
  expect(await note.locator('img, script, a[href^="javascript:"]').count()).toBe(0);
  expect(await note.textContent()).not.toContain('\u202E');
  expect(requests.filter((url) => !url.startsWith(culprit.url))).toEqual([]);
  expect(await field.inputValue()).toBe('');
  const mail = await nextMail(culprit.mailDirectory, mate.email);
  expect(mail.text).toContain('Rolled back');
  await expectSoundLooks(page, 'incident with a note');

  await press(note.getByRole('button', { name: 'Edit' }));
  const edited = page.getByRole('textbox', { name: 'Edit the note' });
  await edited.waitFor();
  await type(edited, 'Fixed forward');
  await press(page.getByRole('button', { name: 'Save note' }));
  const changed = page.locator('li', { hasText: 'Fixed forward' }).last();
  await changed.getByText('· edited').waitFor();

  await press(changed.getByRole('button', { name: 'Delete' }));
  await press(page.getByRole('dialog').getByRole('button', { name: 'Delete note' }));
  await changed.waitFor({ state: 'detached' });
  const { body } = await client.get(`/v1/incidents/${id}/history`);
  const history = isJsonObject(body) && Array.isArray(body.history) ? body.history : [];
  expect(JSON.stringify(history)).not.toContain('Fixed forward');
  expectQuiet();
});
