import {
  BUNDLE_TEXT_LENGTH_MAX,
  bundleAgentText,
  bundleMarkdown,
} from '@culprit/contract/incidents/bundle-text';
import { hintOf } from '@culprit/contract/schemas/hint';
import { sharedForm } from '@culprit/evidence/bundles/sharing/shared-form';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EX, EXR } from '../../../server/test/conformance/incidents-fixtures.ts';
import { launchBrowser } from '../../../server/test/support/browser.ts';
import type { TestCulprit } from '../../../server/test/support/culprit.ts';
import { eventually } from '../../../server/test/support/eventually.ts';
import { connect, type IncidentClient } from '../../../server/test/support/incident-client.ts';
import { codeIn, nextMail } from '../../../server/test/support/mailbox.ts';
import { newAddress } from '../../../server/test/support/people.ts';
import { REGRESSED_FOR_MANY, sendRegressedForMany } from '../../../server/test/support/regressed-for-many.ts';
import { copiedBy } from '../support/copied.ts';
import { startWithDashboard } from '../support/dashboard.ts';
import { press, type } from '../support/keyboard.ts';
import { openSignedIn } from '../support/signed-in-page.ts';
import { expectApart } from '../support/sound-looks.ts';
import { openWatchedPage } from '../support/watched-page.ts';

/** docs/contract/dashboard.md 10, stories: who is on call, and who clears the list. */

const KINDS = ['Alpha', 'Beta', 'Gamma', 'Delta', 'Epsilon', 'Zeta'];

describe('incidents', { timeout: 120_000 }, () => {
  let culprit: TestCulprit;
  let browser: Browser;
  beforeAll(async () => {
    [culprit, browser] = await Promise.all([startWithDashboard(), launchBrowser()]);
  }, 180_000);
  afterAll(async () => {
    await browser?.close();
    await culprit?.stop();
  });

  async function projectWithIncidents(email: string): Promise<IncidentClient> {
    const client = await connect(culprit, { email, name: 'shop' });
    const events = KINDS.map((kind) =>
      EX({
        payload: {
          error_class: `${kind}Error`,
          message: `${kind} broke`,
          stacktrace: `${kind}Error: ${kind} broke\n    at ${kind.toLowerCase()} (/srv/app/src/${kind}.js:1:1)`,
        },
      }),
    );
    await client.send(...events);
    await client.counted(...KINDS.map(() => 1));
    return client;
  }

  it('on call: an alert link leads through the sign-in to its incident, its cause and its text for an agent', async () => {
    const email = newAddress('oncall');
    const client = await connect(culprit, { email, name: 'shop' });
    await client.send(EXR({}, { body: { cart_id: 'cart_81', payer: 'ana@shopper.example' } }));
    const { incident_id: id } = await client.only(1);
    const bundle = await client.bundle(id);
    const { page, expectQuiet } = await openWatchedPage(browser, culprit.url, {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    await page.goto(`${culprit.url}/incidents/${id}`);
    await type(page.getByLabel('E-mail'), email);
    await press(page.getByRole('button', { name: 'Send code' }));
    await type(
      page.getByLabel('Code'),
      codeIn(await nextMail(culprit.mailDirectory, email, 0, 'Sign-in code')),
    );
    await page.getByRole('heading', { level: 1, name: /Cannot read properties/ }).waitFor();
    expect(page.url()).toBe(`${culprit.url}/incidents/${id}`);

    await page.getByRole('heading', { name: 'What is known' }).waitFor();
    expect(await page.getByText(hintOf(bundle.summary)?.sentence ?? 'no hint').count()).toBeGreaterThan(0);
    for (const part of ['Stack', 'Request and response', 'Reproduce', 'All events', 'Grouping']) {
      await page.getByRole('heading', { name: part, exact: true }).waitFor();
    }
    await press(page.getByRole('button', { name: 'Raw' }));
    const stack = page.getByRole('region', { name: 'raw stack' });
    expect(await stack.textContent()).toBe(bundle.context.error?.stack);

    const shared = sharedForm(await client.read(id), bundle);
    expect(await copiedBy(page, 'c', 'j')).toBe(JSON.stringify(bundle, null, 2));
    expect(await copiedBy(page, 'c', 'm')).toBe(bundleMarkdown(...shared));
    expect(await copiedBy(page, 'c', 'u')).toBe(bundle.reproduction.artifacts?.curl);
    expect(await copiedBy(page, 'c', 'l')).toBe(`${culprit.url}/incidents/${id}`);
    const text = await copiedBy(page, 'c', 'a');
    const fence = /^evidence-[\w-]{36}$/m.exec(text)?.[0] ?? '';
    expect(`${text}\n`).toBe(bundleAgentText(...shared, fence));
    expect(text.length).toBeLessThanOrEqual(BUNDLE_TEXT_LENGTH_MAX);
    expect(text).not.toMatch(/svc_(?:mem|proj)_/);
    // The people of the project may see who paid; an agent gets a mark.
    expect(JSON.stringify(bundle.context.request)).toContain('ana@shopper.example');
    expect(text).toContain('"payer":"[email]"');
    for (const [path, place] of [
      [`/bundles/${bundle.bundle_id}`, `/incidents/${id}`],
      [`/bundles/${bundle.bundle_id}/reproduction`, `/incidents/${id}#reproduction`],
    ]) {
      await page.goto(`${culprit.url}${path}`);
      await page.waitForURL(`${culprit.url}${place}`);
      await page.getByRole('heading', { name: 'Reproduce', exact: true }).waitFor();
    }
    // Another text has another word, so that nobody can know it.
    expect(await copiedBy(page, 'c', 'a')).not.toContain(fence);
    expectQuiet();
  });

  it('on call: a resolve shows at once, undone it was never sent, and left alone it is', async () => {
    const client = await projectWithIncidents('undo@example.test');
    const [incident] = await client.list();
    const id = incident?.incident_id ?? '';
    const { page, expectQuiet } = await openSignedIn(browser, culprit, 'undo@example.test');
    await page.goto(`${culprit.url}/incidents/${id}`);
    await press(page.getByRole('button', { name: /^Resolve/ }));
    await page.getByText('Resolved 1 incident').first().waitFor();
    await page.getByRole('button', { name: /^Reopen/ }).waitFor();
    await page.keyboard.press('z');
    await page.getByRole('button', { name: /^Resolve/ }).waitFor();
    expect((await client.read(id)).status).toBe('open');
    expect(await client.ledger('incident.resolved')).toEqual([]);

    await press(page.getByRole('button', { name: /^Resolve/ }));
    await page.getByRole('button', { name: /^Reopen/ }).waitFor();
    await focusIn(page, /^Reopen/);
    await page.setViewportSize({ width: 360, height: 800 });
    const undo = page.getByRole('region', { name: 'Recent actions' }).getByRole('button', { name: /^Undo/ });
    await expectApart(undo, page.getByRole('button', { name: /^Reopen/ }));
    // Leaving the page sends what waits.
    await page.goto('about:blank');
    await eventually(async () => {
      const { status } = await client.read(id);
      if (status !== 'resolved') throw new Error(`still ${status}`);
    });
    expectQuiet();
  });

  it('lead: chosen rows are resolved by keyboard, exactly those, and the list keeps its address over back and reload', async () => {
    const client = await projectWithIncidents('lead@example.test');
    const { page, expectQuiet } = await openSignedIn(browser, culprit, 'lead@example.test');
    await page.goto(`${culprit.url}/`);
    const table = page.getByRole('table', { name: 'Incidents' });
    await table.getByRole('link').first().waitFor();
    expect(await table.getByRole('link').count()).toBe(KINDS.length);

    await page.setViewportSize({ width: 360, height: 800 });
    await press(table.getByRole('checkbox', { name: /^Select all/ }));
    await page.getByText(`${KINDS.length} selected`, { exact: true }).waitFor();
    await page.keyboard.press('Shift+X');
    await page.getByText(/ selected$/).waitFor({ state: 'hidden' });
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    const chosen = await page.locator('[data-selected="true"] a').allTextContents();
    expect(chosen).toHaveLength(2);
    await page.keyboard.press('e');
    await page.getByText('Resolved 2 incidents').first().waitFor();
    await eventually(async () => {
      const resolved = await client.list({ status: 'resolved' });
      if (resolved.length !== 2) throw new Error(`${resolved.length} are resolved`);
    }, 20_000);
    const resolved = (await client.list({ status: 'resolved' })).map(({ title }) => title);
    expect([...resolved].sort()).toEqual([...chosen].sort());

    await page.keyboard.press('Escape');
    await press(page.getByRole('button', { name: /^Severity/ }));
    await press(page.getByRole('menuitemradio', { name: 'High' }));
    expect(page.url()).toContain('severity=high');
    await type(page.getByLabel('Search incidents'), 'Gamma');
    await eventually(async () => {
      const count = await table.getByRole('link').count();
      if (count !== 1) throw new Error(`${count} rows`);
    });
    const address = page.url();
    expect(address).toContain('q=Gamma');
    await press(table.getByRole('link', { name: /Gamma/ }));
    await page.getByRole('heading', { level: 1, name: /Gamma broke/ }).waitFor();
    await page.goBack();
    await table.getByRole('link', { name: /Gamma/ }).waitFor();
    expect(page.url()).toBe(address);
    await focusIn(page, /Gamma/);
    await page.reload();
    await table.getByRole('link', { name: /Gamma/ }).waitFor();
    expect(page.url()).toBe(address);
    expectQuiet();
  });

  it('lead: the neighbours of an incident are those of the filtered list that one came from, in its order', async () => {
    await projectWithIncidents('walk@example.test');
    const { page, expectQuiet } = await openSignedIn(browser, culprit, 'walk@example.test');
    await page.goto(`${culprit.url}/incidents?q=eta&sort=first_seen`);
    const links = page.getByRole('table', { name: 'Incidents' }).getByRole('link');
    await links.first().waitFor();
    const titles = await links.allTextContents();
    expect(titles).toHaveLength(2);
    await press(links.first());
    await page.getByText(`1 of ${titles.length}`).waitFor();
    await page.keyboard.press(']');
    await page.getByText(`2 of ${titles.length}`).waitFor();
    const [, second = ''] = titles;
    await page.getByRole('heading', { level: 1, name: new RegExp(second.split(': ')[1] ?? '-') }).waitFor();
    await page.keyboard.press('[');
    await page.getByText(`1 of ${titles.length}`).waitFor();
    expectQuiet();
  });

  it('lead: rows say why they are where they are, the key of each change works on a row, and the palette begins with incidents', async () => {
    const email = newAddress('triage');
    const client = await projectWithIncidents(email);
    const { page, expectQuiet } = await openSignedIn(browser, culprit, email);
    await page.goto(`${culprit.url}/`);
    const table = page.getByRole('table', { name: 'Incidents' });
    await table.getByRole('link').first().waitFor();
    const reasons = table.getByRole('row', { name: /High priority\. By rule: new\./ });
    expect(await reasons.count()).toBe(KINDS.length);
    const change = async (key: string, role: 'menuitem' | 'menuitemradio', name: string) => {
      await page.keyboard.press(key);
      await press(page.getByRole('menu').getByRole(role, { name, exact: true }));
    };
    const one = async (q: string) =>
      await eventually(async () => expect(await client.list({ q })).toHaveLength(1));
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await change('a', 'menuitemradio', 'Me');
    await one('assignee:me');
    await change('p', 'menuitemradio', 'Urgent');
    await one('priority:urgent');
    await change('s', 'menuitem', 'For 1 day');
    await one('is:snoozed');
    await page.keyboard.press('Control+k');
    const entries = page.getByRole('dialog').getByRole('option');
    await entries.first().waitFor();
    expect(await entries.first().textContent()).toMatch(/Error: \w+ broke/);
    await page.keyboard.press('Escape');
    // What is snoozed needs no one until it wakes.
    await press(
      page.getByRole('navigation', { name: 'Views' }).getByRole('button', { name: 'Needs attention' }),
    );
    await eventually(async () => expect(await table.getByRole('link').count()).toBe(KINDS.length - 1));
    expectQuiet();
  });

  it('text of an application stays text, whatever it says', async () => {
    const client = await connect(culprit, {
      email: 'hostile@example.test',
      name: '<img src=x onerror=alert(1)>',
    });
    const marks =
      '<script>window.broken = 1</script><img src=//evil.example/x onerror="window.broken=1"> \u202Egnp.exe';
    await client.send(
      EXR(
        {
          payload: {
            error_class: 'EvilError',
            message: marks,
            stacktrace: `EvilError: ${marks}\n    at <b>f</b> (javascript:alert(1):1:1)`,
          },
        },
        { body: { [marks]: marks, link: 'javascript:alert(1)' } },
      ),
    );
    const { incident_id: id } = await client.only(1);
    await client.bundle(id);
    const { page, expectQuiet } = await openSignedIn(browser, culprit, 'hostile@example.test');
    for (const path of ['/', `/incidents/${id}`]) {
      await page.goto(`${culprit.url}${path}`);
      await page.getByText('⟨U+202E⟩').first().waitFor();
      expect(await page.evaluate(() => 'broken' in window)).toBe(false);
      const links = await page
        .getByRole('link')
        .evaluateAll((each) => each.map((link) => link.getAttribute('href') ?? ''));
      expect(links.filter((href) => !/^[/#]/.test(href))).toEqual([]);
      expect(await page.locator('main img, main script, main b').count()).toBe(0);
    }
    expectQuiet();
  });

  it('search: a filter is completed by keys, shown as a chip and removed; a tag leads back to its list, an id to its incident', async () => {
    const email = newAddress('search');
    const client = await connect(culprit, { email, name: 'shop' });
    const tenant = (name: string, word: string) =>
      EX({
        context: { tags: { tenant: name } },
        payload: {
          error_class: `${word}Error`,
          message: `${word} broke`,
          stacktrace: `${word}Error: ${word} broke\n    at run (/srv/app/src/${word}.js:1:1)`,
        },
      });
    await client.send({ ...tenant('acme', 'Alpha'), event_id: 'evt-acme-1' }, tenant('initech', 'Beta'));
    const [first] = await client.counted(1, 1);
    await client.settled();
    const { page, expectQuiet } = await openSignedIn(browser, culprit, email);
    await page.goto(`${culprit.url}/projects/${client.project.projectId}/incidents`);
    const rows = page.locator('[role="row"] a[href*="/incidents/inc_"]');
    await eventually(async () => expect(await rows.count()).toBe(2));
    await page.keyboard.press('/');
    await page.keyboard.type('tag.ten');
    await page.getByRole('option', { name: 'tag.tenant:' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('option', { name: 'tag.tenant:acme' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await eventually(async () => expect(await rows.count()).toBe(1));
    const chip = page.getByRole('button', { name: 'Remove tag.tenant:acme' });
    await chip.waitFor();
    await press(chip);
    await eventually(async () => expect(await rows.count()).toBe(2));
    // Row 9: the list finds what the command line and agents find.
    const many = await connect(culprit, { email, name: 'many' });
    await sendRegressedForMany(many);
    await page.goto(`${culprit.url}/projects/${many.project.projectId}/incidents`);
    await eventually(async () => expect(await rows.count()).toBe(5));
    await type(page.getByLabel('Search incidents'), REGRESSED_FOR_MANY);
    await page.keyboard.press('Enter');
    await eventually(async () =>
      expect(await rows.allTextContents()).toEqual([expect.stringContaining('FoundError')]),
    );
    await page.goto(`${culprit.url}/projects/${client.project.projectId}/incidents`);
    await eventually(async () => expect(await rows.count()).toBe(2));
    await type(page.getByLabel('Search incidents'), 'servce:api');
    await page.getByText('Did you mean "service:"?').waitFor();
    await page.getByText('No incidents match.').waitFor();
    await press(page.getByRole('button', { name: 'Search resolved too' }));
    await eventually(() => expect(page.url()).toContain('status=all'));
    await page.goto(`${culprit.url}/incidents/${first?.incident_id}`);
    await page.getByRole('heading', { name: 'Who and where' }).waitFor();
    const value = first?.title.startsWith('Alpha') === true ? 'acme' : 'initech';
    await press(page.getByRole('link', { name: value }));
    await eventually(async () => expect(await rows.count()).toBe(1));
    await page.getByRole('button', { name: `Remove tag.tenant:${value}` }).waitFor();
    const box = page.getByLabel('Search incidents');
    await type(box, 'release:1.4.20');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Remove release:1.4.20' }).waitFor();
    await type(box, 'evt-acme-1');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: /AlphaError/ }).waitFor();
    expectQuiet();
  });
});

async function focusIn(page: Page, text: RegExp): Promise<void> {
  await eventually(async () => {
    const focused = await page.evaluate(() => document.activeElement?.textContent ?? '');
    if (!text.test(focused)) throw new Error(`the focus is at "${focused.slice(0, 80)}"`);
  });
}
