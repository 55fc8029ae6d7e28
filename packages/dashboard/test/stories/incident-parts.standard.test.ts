import type { DebugBundle } from '@culprit/contract/incidents/bundle';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ago, DEP, EX, EXR, LOG, SECOND } from '../../../server/test/conformance/incidents-fixtures.ts';
import { launchBrowser } from '../../../server/test/support/browser.ts';
import { createCollaborator } from '../../../server/test/support/collaborators.ts';
import type { TestCulprit } from '../../../server/test/support/culprit.ts';
import { eventually } from '../../../server/test/support/eventually.ts';
import { connect, type IncidentClient } from '../../../server/test/support/incident-client.ts';
import { newAddress } from '../../../server/test/support/people.ts';
import { offsetWords, timelineOf } from '../../src/incident/story/timeline.ts';
import { startWithDashboard } from '../support/dashboard.ts';
import { press, type } from '../support/keyboard.ts';
import { openSignedIn } from '../support/signed-in-page.ts';

/** Where each block of the evidence is shown, and what it is called where there is none (incidents.md 3.4). */
const BLOCKS = {
  error: ['#stack', 'stack'],
  request: ['#request', 'request'],
  response: ['#request', 'response'],
  logs: ['#logs li', 'logs'],
  frontend: ['#timeline li[data-lane="browser"]', 'browser trail'],
  probe_data: ['#probes', 'probes'],
  deploy: ['#environment h3:text-is("Deploy")', 'deploy'],
  git: ['#environment h3:text-is("Git")', 'git'],
  runtime: ['#environment h3:text-is("Runtime")', 'runtime'],
  environment: ['#environment h3:text-is("Machine")', 'machine'],
  dependencies: ['#environment h3:text-is("Dependencies")', 'dependencies'],
  device: ['#environment h3:text-is("Device")', 'device'],
} as const satisfies Partial<Record<keyof DebugBundle['context'], readonly [place: string, word: string]>>;

const REASONS = {
  generation_error: 'The evidence could not be built in five attempts.',
  artifact_unreadable: 'The stored evidence can no longer be read.',
  evidence_expired: 'The retention of the events ended before the evidence was built.',
  bundle_rotated: 'The plan keeps evidence for a limited number of incidents',
};

/** A failure with a trail of each kind, one step of which has no time. */
function tracked(): object {
  const step = (type: string, data: object, seconds: number | null) => ({
    breadcrumb_type: type,
    ...(seconds === null ? {} : { ts: ago(seconds * SECOND) }),
    data,
  });
  return EXR({
    correlation: { trace_id: TRACE, request_id: 'req-tracked' },
    context: {
      git: { commit: 'a1b2c3d4e5f6', branch: 'main' },
      dependencies: [{ name: 'postgres', status: 'ok' }],
      environment: { os: 'linux', host: 'web-1' },
    },
    payload: {
      runtime: { name: 'node', version: '24.0.0', platform: 'linux', arch: 'x64', pid: 1 },
      device: { user_agent: 'Mozilla/5.0', device_type: 'desktop' },
      probe_data: { version: 1, items: [{ label: 'cart', data: { items: 1 }, timestamp: ago(SECOND) }] },
      breadcrumbs: [
        step('route_change', { from: '/cart', to: '/checkout' }, 40),
        step('click', { selector: '#pay' }, 3),
        step('network_request', { method: 'POST', url: '/api/checkout', status_code: 500 }, 2),
        step('click', { selector: '#sometime' }, null),
      ],
    },
  });
}

const TRACE = 'c0ffee00c0ffee00c0ffee00c0ffee00';

/** docs/contract/dashboard.md 4.6 and 4.7: single occurrences, similar incidents, merging, views, peek, bulk actions. */

describe('parts of the incident page and the list', { timeout: 120_000 }, () => {
  let culprit: TestCulprit;
  let browser: Browser;
  beforeAll(async () => {
    [culprit, browser] = await Promise.all([startWithDashboard(), launchBrowser()]);
  }, 180_000);
  afterAll(async () => {
    await browser?.close();
    await culprit?.stop();
  });

  /** Failures of several types in one function, which makes them alike. */
  async function alike(email: string, kinds: readonly string[]): Promise<IncidentClient> {
    const client = await connect(culprit, { email, name: 'shop' });
    const events = kinds.map((kind) =>
      EX({
        payload: {
          error_class: `${kind}Error`,
          message: `${kind} broke`,
          stacktrace: `${kind}Error: ${kind} broke\n    at charge (/srv/app/src/pay.js:1:1)`,
        },
      }),
    );
    await client.send(...events);
    for (const { incident_id: id } of await client.counted(...kinds.map(() => 1))) await client.bundle(id);
    return client;
  }

  it('one occurrence stands in place of the evidence of all, with the way to the next, and in the address', async () => {
    const email = newAddress('events');
    const client = await connect(culprit, { email, name: 'shop' });
    for (const [index, message] of ['order 41 broke', 'order 42 broke'].entries()) {
      await client.send(
        EX({
          event_id: `evt-part-${index}`,
          payload: {
            error_class: 'OrderError',
            message,
            stacktrace: `OrderError: ${message}\n    at order (/srv/app/src/order.js:7:1)`,
          },
        }),
      );
      await client.counted(index + 1);
    }
    const { incident_id: id } = await client.only(2);
    await client.bundle(id);
    const { page, expectQuiet } = await openSignedIn(browser, culprit, email);
    await page.goto(`${culprit.url}/incidents/${id}`);
    await press(page.getByRole('button', { name: 'All events' }));
    await press(page.getByRole('table', { name: 'Events' }).getByRole('link', { name: 'evt-part-1' }));
    const part = page.getByRole('region', { name: 'About this event' });
    await part.getByText('OrderError: order 42 broke').first().waitFor();
    expect(new URL(page.url()).searchParams.get('event')).toBe('evt-part-1');
    await page.keyboard.press(',');
    await part.getByText('order 41 broke').waitFor();
    await page.getByRole('region', { name: 'Stack', exact: true }).getByText('src/order.js:7:1').waitFor();
    expect(new URL(page.url()).searchParams.get('event')).toBe('evt-part-0');
    await page.reload();
    await part.getByText('order 41 broke').waitFor();
    // The newest event is what "Latest" shows.
    await page.keyboard.press('.');
    await page.waitForURL((url) => !url.searchParams.has('event'));
    await part.waitFor({ state: 'detached' });
    await page.getByRole('heading', { name: 'Stack', exact: true }).waitFor();
    expectQuiet();
  });

  it('what a slot made one is explained in a sentence, and split for good', async () => {
    const email = newAddress('slot');
    const client = await connect(culprit, { email, name: 'shop' });
    for (const [index, user] of ['anna', 'boris', 'chloe'].entries()) {
      const message = `no wallet of ${user} was found in the vault`;
      const stacktrace = `WalletError: ${message}\n    at open (/srv/app/src/wallet.js:1:1)`;
      await client.send(EX({ payload: { error_class: 'WalletError', message, stacktrace } }));
      await client.counted(...([[1], [1, 1], [2, 1]][index] ?? []));
    }
    const [fused] = await client.counted(2, 1);
    const { page, expectQuiet } = await openSignedIn(browser, culprit, email);
    await page.goto(`${culprit.url}/incidents/${fused?.incident_id}#grouping`);
    const grouping = page.getByRole('region', { name: 'Grouping' });
    const sentence = grouping.getByText(/Same text but for one word: no wallet of \[anna, boris, chloe, …\]/);
    await sentence.waitFor();
    await grouping.getByText('Read by the JavaScript trace reader.').waitFor();
    await grouping.getByText('Decided by the newest in-app frames.').waitFor();
    await grouping.getByText(/differs in one word/).waitFor();
    await press(grouping.getByRole('button', { name: 'Split into separate incidents' }));
    await sentence.waitFor({ state: 'hidden' });
    await grouping.getByText(/differs in one word/).waitFor({ state: 'hidden' });
    for (const each of await client.counted(2, 1)) expect(each.status).toBe('open');
    expectQuiet();
  });

  it('similar incidents are named with the reason, merged and removed again; a member is told who may', async () => {
    const email = newAddress('similar');
    const client = await alike(email, ['Card', 'Bank']);
    const [first, second] = await client.list();
    const member = await createCollaborator(culprit, client.project, 'member');
    const { page, expectQuiet } = await openSignedIn(browser, culprit, email);
    const id = first?.incident_id ?? '';
    const merge = page.getByRole('button', { name: `Merge with ${second?.title}` });
    await page.goto(`${culprit.url}/incidents/${id}#similar`);
    const similar = page.getByRole('region', { name: 'Similar' });
    await press(page.getByRole('button', { name: 'Grouping' }));
    await similar.getByText(/same in-app frame, began at the same time/).waitFor();
    await press(merge);
    const grouping = page.getByRole('region', { name: 'Grouping' });
    await grouping.getByRole('link', { name: second?.title ?? '' }).waitFor();
    await press(page.getByRole('button', { name: /^Undo/ }));
    await similar.getByRole('link', { name: second?.title ?? '' }).waitFor();
    await grouping.getByText(/merged by hand|Merged into/).waitFor({ state: 'hidden' });
    for (const each of await client.list()) expect(each.status).toBe('open');

    await press(merge);
    await press(grouping.getByRole('button', { name: 'Remove from group' }));
    await merge.waitFor();
    expect(await client.list({ status: 'active' })).toHaveLength(2);
    expectQuiet();

    const other = await openSignedIn(browser, culprit, member.email);
    await other.page.goto(`${culprit.url}/incidents/${id}#similar`);
    const refused = other.page.getByRole('button', { name: `Merge with ${second?.title}` });
    await refused.waitFor();
    await eventually(async () => {
      const reason = await refused.getAttribute('aria-description');
      if (reason?.startsWith('Needs admin. Yours is member.') !== true) throw new Error(`says ${reason}`);
    });
    other.expectQuiet();
  });

  it('own views keep filters under a name over a reload; a peek follows the keyboard and stands in the address', async () => {
    const email = newAddress('views');
    await alike(email, ['Ann', 'Ben', 'Cid']);
    const { page, expectQuiet } = await openSignedIn(browser, culprit, email, {
      viewport: { width: 1440, height: 900 },
    });
    await page.goto(`${culprit.url}/incidents?q=n+broke&sort=first_seen`);
    const table = page.getByRole('table', { name: 'Incidents' });
    await table.getByRole('link').nth(1).waitFor();
    await press(page.getByRole('button', { name: 'View actions' }));
    await press(page.getByRole('menuitem', { name: 'Save these filters…' }));
    await type(page.getByLabel('Name of the view'), 'Broke <b>first</b>');
    await press(page.getByRole('button', { name: 'Save view' }));
    const views = page.getByRole('navigation', { name: 'Views' });
    await views.locator('[aria-current="true"]', { hasText: 'Broke <b>first</b>' }).waitFor();
    await page.goto(`${culprit.url}/incidents`);
    await press(views.getByRole('button', { name: 'Broke <b>first</b>' }));
    await page.waitForURL('**/incidents?q=n+broke&sort=first_seen');
    await press(page.getByRole('button', { name: 'View actions' }));
    await press(page.getByRole('menuitem', { name: 'Rename it…' }));
    await type(page.getByLabel('Name of the view'), 'Broke <b>again</b>');
    await press(page.getByRole('button', { name: 'Rename view' }));
    await views.locator('[aria-current="true"]', { hasText: 'Broke <b>again</b>' }).waitFor();

    // The view leaves one row out: rows of the view before are gone when there are two.
    let titles: string[] = [];
    await eventually(async () => {
      titles = await table.getByRole('link').allTextContents();
      expect(titles).toHaveLength(2);
    });
    const current = page.locator('[role="row"]:focus-within');
    await eventually(async () => {
      if ((await current.count()) === 0) await page.keyboard.press('j');
      expect(await current.count()).toBe(1);
    });
    await page.keyboard.press('Space');
    const peek = page.getByRole('complementary', { name: 'Preview' });
    await peek.getByRole('heading', { name: titles[0] ?? '' }).waitFor();
    await peek
      .getByRole('heading', { name: /^(?:Stack|Hint)$/ })
      .first()
      .waitFor();
    await page.keyboard.press('j');
    await peek.getByRole('heading', { name: titles[1] ?? '' }).waitFor();
    await page.reload();
    await peek.getByRole('heading', { name: titles[1] ?? '' }).waitFor();
    await page.keyboard.press('Escape');
    await peek.waitFor({ state: 'hidden' });
    expect(new URL(page.url()).searchParams.has('peek')).toBe(false);

    await press(page.getByRole('button', { name: 'View actions' }));
    await press(page.getByRole('menuitem', { name: /^Delete the view/ }));
    await views.locator('[aria-current="true"]', { hasText: 'All open' }).waitFor();
    expect(await views.getByText('Broke').count()).toBe(0);
    expectQuiet();
  });

  it('a bulk action on rows of which some are gone changes nothing, and is offered for the rest', async () => {
    const email = newAddress('gone');
    const client = await alike(email, ['One', 'Two', 'Three']);
    const { page } = await openSignedIn(browser, culprit, email);
    await page.goto(`${culprit.url}/projects/${client.project.projectId}/incidents`);
    const table = page.getByRole('table', { name: 'Incidents' });
    await table.getByRole('link').nth(2).waitFor();
    await press(table.getByRole('checkbox', { name: 'Select all 3 that are shown' }));
    const gone = (await client.list())[0]?.incident_id.slice(4) ?? '';
    await culprit.database.query(
      { name: 'test-gone', text: 'delete from incidents where incident_id = $1::uuid' },
      [gone],
    );
    await press(page.getByRole('button', { name: /^Resolve 3 incidents/ }));
    await page.getByText('Resolved 3 incidents').first().waitFor();
    // What waits is sent by the next such action or in time, whichever comes first.
    const again = page.getByRole('button', { name: /^Resolve 2 incidents/ }).last();
    await page.getByText('Nothing was changed: 1 incident of 3 is gone.').first().waitFor();
    expect(await client.list({ status: 'resolved' })).toEqual([]);
    await press(again);
    await eventually(async () => {
      const resolved = await client.list({ status: 'resolved' });
      if (resolved.length !== 2) throw new Error(`${resolved.length} are resolved`);
    }, 30_000);
  });

  it('each block of the evidence is shown where it is there and named where it is not, and the timeline has both lanes in order', async () => {
    const email = newAddress('blocks');
    const client = await connect(culprit, { email, name: 'shop' });
    await client.send(DEP(), LOG('warning', 'cart is old', { correlation: { trace_id: TRACE } }));
    await client.processed();
    await client.send(tracked(), LOG('error', 'nothing else is known'));
    const incidents = await client.counted(1, 1);
    const { page, expectQuiet } = await openSignedIn(browser, culprit, email);
    const shown: Record<string, boolean[]> = {};
    for (const { incident_id: id } of incidents) {
      const bundle = await client.bundle(id);
      await page.goto(`${culprit.url}/incidents/${id}`);
      await page.getByRole('heading', { name: 'What is known' }).waitFor();
      await page.getByRole('heading', { name: 'Grouping', exact: true }).waitFor();
      const captured = (await page.getByText(/^Captured: /).textContent()) ?? '';
      const named = /Missing: (.*)\. How to capture$/.exec(captured)?.[1]?.split(', ') ?? [];
      for (const [name, block] of Object.entries(bundle.context)) {
        const [place, word] = Object.entries(BLOCKS).find(([each]) => each === name)?.[1] ?? [];
        if (place === undefined || word === undefined) continue;
        const isThere = block !== null;
        expect(named.includes(word), `${name} is named`).toBe(!isThere);
        if (isThere) expect(await page.locator(place).count(), `${name} is shown`).toBeGreaterThan(0);
        shown[name] = [...(shown[name] ?? []), isThere];
      }
      const entries = timelineOf(bundle);
      if (entries.length < 2) continue;
      const lines = await page
        .locator('#timeline li[data-lane]')
        .evaluateAll((items) =>
          items.map((item) => [item.getAttribute('data-lane'), item.firstElementChild?.textContent]),
        );
      expect(lines).toEqual(entries.map(({ lane, offsetMs }) => [lane, offsetWords(offsetMs)]));
      if (bundle.context.frontend === null) continue;
      expect(new Set(lines.map(([lane]) => lane))).toEqual(new Set(['browser', 'server']));
      expect(lines.at(-1)).toEqual(['browser', '–']);
      const failure = page.locator('#timeline li[data-failure="true"]');
      expect(await failure.locator('> :first-child').allTextContents()).toEqual(['0']);
    }
    expect(Object.entries(shown).filter(([, seen]) => !seen.includes(true))).toEqual([]);
    // Each was seen both ways, but for those that no event is without.
    const once = Object.entries(shown).filter(([, seen]) => new Set(seen).size === 1);
    expect(
      once
        .map(([name]) => name)
        .filter((name) => !['runtime', 'deploy', 'environment', 'logs'].includes(name)),
    ).toEqual([]);
    expectQuiet();
  });

  it('evidence that is pending comes by itself, each reason for none is a sentence, and newer evidence is offered', async () => {
    const email = newAddress('states');
    const client = await connect(culprit, { email, name: 'shop' });
    await client.send(EX());
    const { incident_id: id } = await client.only(1);
    await client.bundle(id);
    await client.settled();
    const set = (status: string, reason: string | null) =>
      culprit.database.query(
        {
          name: 'test-bundle-state',
          text: 'update bundles set status = $2, failure_reason = $3 where incident_id = $1::uuid',
        },
        [id.slice('inc_'.length), status, reason],
      );
    const { page, expectQuiet } = await openSignedIn(browser, culprit, email);
    for (const [reason, words] of Object.entries(REASONS)) {
      await set('failed', reason);
      await page.goto(`${culprit.url}/incidents/${id}`);
      await page.getByText(words).waitFor();
    }
    await set('pending', null);
    await page.reload();
    await page.getByText('Collecting evidence').waitFor();
    await page.getByRole('heading', { level: 1, name: /Cannot read properties/ }).waitFor();
    await page.getByRole('heading', { name: 'Trend' }).waitFor();
    await set('ready', null);
    await page.getByRole('heading', { name: 'What is known' }).waitFor();

    await client.send(EX());
    await client.counted(2);
    await client.refreshed();
    const { metadata } = await client.bundle(id, 2);
    const offer = page.getByRole('button', {
      name: `Show newer evidence, version ${metadata.generation_number}`,
    });
    await press(offer);
    await offer.waitFor({ state: 'hidden' });
    await page.getByText(`version ${metadata.generation_number}`, { exact: true }).first().waitFor();
    expectQuiet();
  });
});
