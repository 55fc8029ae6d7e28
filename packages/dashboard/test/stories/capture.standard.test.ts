import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEP, EX, LOG, REQ, SUP } from '../../../server/test/conformance/incidents-fixtures.ts';
import { launchBrowser } from '../../../server/test/support/browser.ts';
import { createCollaborator } from '../../../server/test/support/collaborators.ts';
import type { TestCulprit } from '../../../server/test/support/culprit.ts';
import { connect } from '../../../server/test/support/incident-client.ts';
import { ruleClient } from '../../../server/test/support/rule-client.ts';
import { acknowledgement, sendEvents } from '../../../server/test/support/send-events.ts';
import { startWithDashboard } from '../support/dashboard.ts';
import { choose, press, type } from '../support/keyboard.ts';
import { openSignedIn } from '../support/signed-in-page.ts';
import { soon } from '../support/soon.ts';
import { expectSoundLooks } from '../support/sound-looks.ts';

/** One event of each line of the matrix. */
function samples(): [label: string, event: object][] {
  const request = (status: number) =>
    REQ({ payload: { method: 'GET', path: '/a', response_status: status } });
  return [
    ['Exception', EX()],
    ['Log error, critical, fatal', LOG('error', 'an error')],
    ['Log warning', LOG('warning', 'a warning')],
    ['Log info', LOG('info', 'a line')],
    ['Log debug', LOG('debug', 'a detail')],
    ['Request 5xx', request(503)],
    ['Request 408, 423, 424, 425, 429', request(429)],
    ['Request 409', request(409)],
    ['Request 401, 403, 422', request(403)],
    ['Request 400, 404, other 4xx', request(404)],
    ['Request below 400', request(201)],
    [
      'Standalone breadcrumb',
      { ...EX(), event_type: 'frontend_breadcrumb', payload: { breadcrumb_type: 'click' } },
    ],
    ['Standalone probe result', { ...EX(), event_type: 'probe_event', payload: { label: 'cart', data: {} } }],
    ['Deploy', DEP()],
    ['Suppressed errors', SUP()],
  ];
}

/** docs/contract/dashboard.md 4.16, items 20 and 24: what is taken in, and what a rule would hide. */
describe('capture', { timeout: 180_000 }, () => {
  let culprit: TestCulprit;
  let browser: Browser;
  beforeAll(async () => {
    [culprit, browser] = await Promise.all([startWithDashboard(), launchBrowser()]);
  }, 180_000);
  afterAll(async () => {
    await browser?.close();
    await culprit?.stop();
  });

  async function column(page: Page, at: number): Promise<Record<string, string>> {
    const rows = page.getByRole('table', { name: 'Outcome by kind of event' }).locator('tbody tr');
    const texts = await rows.evaluateAll(
      (elements, place) =>
        elements.map((row) => [row.children[0]?.textContent ?? '', row.children[place]?.textContent ?? '']),
      at,
    );
    return Object.fromEntries(texts);
  }

  it('the matrix of each preset is what the server then takes, and a change is shown before it is saved', async () => {
    const client = await connect(culprit, { email: 'policy@example.test', name: 'shop' });
    const { projectId, projectToken } = client.project;
    const { page, expectQuiet } = await openSignedIn(browser, culprit, 'policy@example.test');
    await page.goto(`${culprit.url}/projects/${projectId}/capture`);
    await page.getByText('No filters yet.').waitFor();
    const save = page.getByRole('button', { name: 'Save changes' });
    for (const preset of ['minimal', 'balanced', 'investigative']) {
      await press(page.getByRole('radio', { name: preset }));
      const promised = await column(page, 2);
      await press(save);
      await soon(() => save.getAttribute('aria-disabled')).toBe('true');
      await soon(() => column(page, 1)).toEqual(
        Object.fromEntries(
          Object.entries(promised).map(([label, words]) => [label, words.replace('changed', '')]),
        ),
      );
      const now = await column(page, 1);
      const events = samples();
      const answer = acknowledgement(
        await sendEvents(
          culprit.url,
          projectToken,
          events.map(([, event]) => event),
        ),
      );
      const refused = new Set(answer.errors.map(({ index }) => index));
      for (const [index, [label]] of events.entries()) {
        expect(refused.has(index), `${preset}: ${label}, shown as ${now[label]}`).toBe(
          now[label] === 'filtered',
        );
      }
    }
    await choose(page.getByLabel('Logs', { exact: true }), 'none');
    await page
      .getByRole('region', { name: 'What this would change' })
      .getByText(/outside the preset 0 → /)
      .waitFor();
    expect((await column(page, 2))['Log warning']).toBe('filteredchanged');
    await press(page.getByRole('button', { name: 'Add a path' }));
    await type(page.getByLabel('Path', { exact: true }), '/checkout/*');
    await page.getByRole('row', { name: /Request 404 to \/checkout\/\* context incident/ }).waitFor();
    await expectSoundLooks(page, 'an edited policy');
    await press(page.getByRole('button', { name: 'Discard changes' }));
    expect((await column(page, 2))['Log warning']).toBe('–');
    expectQuiet();
  });

  it('a rule says what it would hide before it is made, drops only after a question, and is tried in order', async () => {
    const client = await connect(culprit, { email: 'rules@example.test', name: 'shop' });
    await client.send(EX());
    const incident = await client.only(1);
    const { projectId } = client.project;
    const rules = ruleClient(culprit.url, client.project);
    await rules.create({ name: 'Bots', action: 'demote', matcher: { client_kind: 'bot' } });
    const { page, expectQuiet } = await openSignedIn(browser, culprit, 'rules@example.test');
    await page.goto(`${culprit.url}/projects/${projectId}/capture`);
    await page.getByRole('list', { name: 'Filters' }).waitFor();
    await page.keyboard.press('n');
    await type(page.getByLabel('Name'), 'Known noise');
    await type(page.getByLabel('Message contains'), 'theme');
    await press(page.getByRole('radio', { name: /^Discard/ }));
    const effect = page.getByRole('region', { name: 'What this rule does' });
    await effect.getByText('1 incident would not have appeared').waitFor();
    await effect.getByRole('link', { name: incident.title }).waitFor();
    await expectSoundLooks(page, 'the editor of a rule');
    await press(page.getByRole('button', { name: 'Create filter' }));
    const question = page.getByRole('dialog', { name: 'Discard these events?' });
    await question.getByText('1 incident of the last 24 hours').waitFor();
    await press(question.getByRole('button', { name: 'Create the rule' }));
    const lines = page.getByRole('list', { name: 'Filters' }).getByRole('listitem');
    await soon(() => lines.count()).toBe(2);
    // The message is narrower than the kind of client, so it is tried first.
    await soon(() => lines.first().textContent()).toMatch(/^1 Known noise.*whose message contains theme/);
    const { errors } = acknowledgement(await sendEvents(culprit.url, client.project.projectToken, [EX()]));
    expect(errors).toEqual([{ index: 0, reason: 'capture_rule_dropped' }]);
    const made = (await rules.list()).find(({ name }) => name === 'Known noise');
    await rules.hits(made?.id ?? '', 1);
    await page.reload();
    await lines.first().getByText('1 hit').waitFor();
    await press(lines.first().getByRole('switch'));
    await soon(async () => (await rules.list()).map(({ enabled }) => enabled)).toEqual([false, true]);
    await expectSoundLooks(page, 'the rules');

    await press(lines.first().getByRole('link'));
    await type(page.getByLabel('Message contains'), 'colour');
    await press(page.getByRole('button', { name: 'Save filter' }));
    await page.getByText('Saved', { exact: true }).first().waitFor();
    expect((await rules.list())[0]?.matcher).toEqual({ message_contains: 'colour' });
    await press(page.getByRole('button', { name: 'Delete rule' }));
    await press(page.getByRole('button', { name: 'Delete the rule' }));
    await soon(() => lines.count()).toBe(1);
    expectQuiet();
  });

  it('a suggestion of an incident becomes a rule, exists from then on, and a member cannot make one and is told why', async () => {
    const client = await connect(culprit, { email: 'suggest@example.test', name: 'shop' });
    await client.send(EX());
    const { incident_id: id } = await client.only(1);
    await client.bundle(id);
    const { projectId } = client.project;
    const member = await createCollaborator(culprit, client.project, 'member');
    const theirs = await openSignedIn(browser, culprit, member.email);
    await theirs.page.goto(`${culprit.url}/incidents/${id}`);
    await theirs.page.getByRole('heading', { name: 'What is known' }).waitFor();
    await theirs.page.keyboard.press('r');
    const refused = theirs.page.getByRole('button', { name: 'Create filter' }).last();
    await refused.waitFor();
    expect(await refused.getAttribute('aria-description')).toContain('Needs admin. Yours is member.');
    await theirs.page.goto(`${culprit.url}/projects/${projectId}/capture`);
    await theirs.page.getByText('Needs admin. Yours is member. Ask suggest@example.test').first().waitFor();
    expect(await theirs.page.getByLabel('Logs', { exact: true }).isDisabled()).toBe(true);
    await expectSoundLooks(theirs.page, 'a member on the capture page');
    theirs.expectQuiet();

    const { page, expectQuiet } = await openSignedIn(browser, culprit, 'suggest@example.test');
    await page.goto(`${culprit.url}/incidents/${id}`);
    await page.getByRole('heading', { name: 'What is known' }).waitFor();
    await page.keyboard.press('r');
    const create = page.getByRole('dialog').getByRole('button', { name: 'Create filter' }).last();
    await press(create);
    await page.getByText('This filter would hide new failures of this kind.').waitFor();
    await press(create);
    await press(page.getByRole('link', { name: 'Created: open the filter' }));
    await page.getByRole('heading', { level: 1, name: 'Filter' }).waitFor();
    await page.getByLabel('Fingerprint is').waitFor();
    expectQuiet();
  });

  it('stack rules are tried before they are applied, merge incidents, and are undone; a member sees them and is told who may', async () => {
    const client = await connect(culprit, { email: 'grouping@example.test', name: 'shop' });
    const { projectId } = client.project;
    const path = `${culprit.url}/projects/${projectId}/grouping`;
    await client.send(failureThrough('shared/http'));
    await client.counted(1);
    await client.send(failureThrough('shared/queue'), failureThrough('shared/queue'));
    await client.counted(1, 2);
    await client.settled();
    const { page, expectQuiet } = await openSignedIn(browser, culprit, 'grouping@example.test');
    await page.goto(path);
    await page.getByText('No changes yet.').waitFor();
    const rules = page.getByLabel('Rules, one per line');
    const apply = page.getByRole('button', { name: 'Apply' });
    await type(rules, '*/lib/* foreign\n*/shared/*');
    await press(page.getByRole('button', { name: 'Preview' }));
    await page.getByText('Line 2 is not a rule.').waitFor();

    await type(rules, '*/lib/* foreign\n\n*/shared/* ignore');
    expect(await apply.getAttribute('aria-description')).toBe('Preview the rules first');
    await press(page.getByRole('button', { name: 'Preview' }));
    const effect = page.getByRole('region', { name: 'What these rules would do' });
    await effect.getByText('3 events of 2 incidents. 1 group of incidents would become one.').waitFor();
    const merges = effect.getByRole('region', { name: 'Incidents that would merge' });
    expect(await merges.getByRole('link').allTextContents()).toEqual([
      'Error: no answer',
      'Error: no answer',
    ]);
    await press(merges.getByText('Messages of 3 events'));
    await merges.getByText('no answer', { exact: false }).last().waitFor();
    await expectSoundLooks(page, 'a preview of grouping');
    await rules.press('End');
    await rules.press('Space');
    await effect.waitFor();

    await press(apply);
    await page.getByText('Applied. 1 incident merged.').first().waitFor();
    const applied = page.getByRole('list', { name: 'Applied changes' });
    await applied.getByText('+ */shared/* ignore').waitFor();
    await applied.getByText(/1 incident merged · 3 events of 24/).waitFor();
    expect(await client.list({ status: 'resolved' })).toHaveLength(1);
    await soon(() => rules.inputValue()).toBe('*/lib/* foreign\n*/shared/* ignore');
    await expectSoundLooks(page, 'an applied change of grouping');

    const member = await createCollaborator(culprit, client.project, 'member');
    const theirs = await openSignedIn(browser, culprit, member.email);
    await theirs.page.goto(path);
    const refused = theirs.page.getByRole('button', { name: 'Undo' });
    await refused.waitFor();
    for (const name of ['Undo', 'Preview', 'Apply']) {
      const button = theirs.page.getByRole('button', { name });
      expect(await button.getAttribute('aria-description'), name).toContain('Needs admin. Yours is member.');
    }
    expect(await theirs.page.getByLabel('Rules, one per line').isEditable()).toBe(false);
    theirs.expectQuiet();

    await press(applied.getByRole('button', { name: 'Undo' }));
    await press(page.getByRole('dialog').getByRole('button', { name: 'Undo the change' }));
    await applied.getByText(/undone/).waitFor();
    await soon(() => rules.inputValue()).toBe('');
    expect(await client.list({ status: 'active' })).toHaveLength(2);
    expectQuiet();
  });
});

/** A failure whose innermost frame is of a file that rules can leave out. */
function failureThrough(inner: string): object {
  return EX({
    payload: {
      error_class: 'Error',
      message: 'no answer',
      stacktrace: `Error: no answer\n    at ask (/app/${inner}.js:1:1)\n    at pay (/app/pay.js:1:1)`,
    },
  });
}
