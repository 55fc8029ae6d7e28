import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ago, DEP, EX, EXR, MINUTE, SECOND } from '../../../server/test/conformance/incidents-fixtures.ts';
import { launchBrowser } from '../../../server/test/support/browser.ts';
import type { TestCulprit } from '../../../server/test/support/culprit.ts';
import { eventually } from '../../../server/test/support/eventually.ts';
import { connect, type IncidentClient } from '../../../server/test/support/incident-client.ts';
import { newAddress } from '../../../server/test/support/people.ts';
import { copiedBy } from '../support/copied.ts';
import { startWithDashboard } from '../support/dashboard.ts';
import { press, type } from '../support/keyboard.ts';
import { openSignedIn } from '../support/signed-in-page.ts';
import { soon } from '../support/soon.ts';

/** The page of an incident as a reader meets it (docs/contract/dashboard.md 4.7). */

const FIRST_SCREEN_PX = 900;
const SMALL_SCREEN_PX = 800;
const LOW_SCREEN_PX = 500;
/** How far below the top of the window the heading of an addressed part may lie. */
const AIMED_PX = 120;
const HEIGHT_MAX_PX = { 1440: 2000, 360: 3600 } as const;

const LIBRARY = Array.from({ length: 7 }, (_, index) => ({
  function: `handle${index}`,
  file: `node_modules/express/lib/router/layer.js`,
  line: 90 + index,
  column: 5,
  in_app: false,
}));
const APPLY = {
  function: 'applyDiscount',
  file: 'pricing/discounts.ts',
  line: 88,
  column: 17,
  in_app: true,
  pre_context: [
    'export function applyDiscount(cart: Cart, coupon: Coupon): number {',
    '  const rule = rules.get(coupon.code);',
  ],
  context_line: '  return cart.total - rule.discount.amount;',
  post_context: ['}', ''],
};
const FRAMES = [
  APPLY,
  { function: 'priceCart', file: 'pricing/price-cart.ts', line: 41, column: 9, in_app: true },
  { function: 'placeOrder', file: 'orders/place-order.ts', line: 112, column: 18, in_app: true },
  ...LIBRARY,
];
const MESSAGE = "Cannot read properties of undefined (reading 'amount')";

/** A failure as a client sends it that has frames as objects, with everything around it. */
function full(): object {
  const step = (type: string, data: object, seconds: number) => ({
    breadcrumb_type: type,
    ts: ago(seconds * SECOND),
    data,
  });
  return EXR(
    {
      context: {
        git: { commit: '6e3ef9e1c2d3', branch: 'main' },
        environment: { os: 'linux', host: 'web-1' },
        flags: { new_pricing: true, theme: null },
      },
      payload: {
        error_class: 'TypeError',
        message: MESSAGE,
        stacktrace: null,
        exceptions: [{ type: 'TypeError', message: MESSAGE, frames: FRAMES }],
        runtime: {
          name: 'node',
          version: '24.11.0',
          platform: 'linux',
          arch: 'x64',
          uptime_sec: 7325,
          memory: { rss: 213_909_504, heap_used: null },
        },
        breadcrumbs: [
          step('route_change', { from: '/cart', to: '/checkout' }, 40),
          step('click', { selector: '#pay' }, 3),
          step('network_request', { method: 'POST', url: '/api/checkout', status_code: 500 }, 1),
        ],
        logs: Array.from({ length: 12 }, (_, index) => ({
          level: index === 11 ? 'warning' : 'info',
          message: `Checkout step ${index} of cart cart_81`,
          ts: ago((14 - index) * SECOND),
          attributes: { cart: 'cart_81', step: index },
        })),
      },
    },
    { path: '/api/orders' },
    { duration_ms: 534, body: { error: 'something went wrong' } },
  );
}

/** What no sentence about a cause has: how well it fits was never measured. */
const A_NUMBER = /\b\d\.\d|%|confidence/i;

/** An incident beside the list of its project. */
async function previewOf(
  page: Page,
  { project: { projectId } }: IncidentClient,
  id: string,
): Promise<Locator> {
  const { origin } = new URL(page.url());
  await page.goto(`${origin}/projects/${projectId}/incidents?peek=${id}`);
  const preview = page.getByRole('complementary', { name: 'Preview' });
  await preview.getByRole('heading', { name: 'Stack' }).waitFor();
  return preview;
}

describe('the page of an incident', { timeout: 120_000 }, () => {
  let culprit: TestCulprit;
  let browser: Browser;
  let client: IncidentClient;
  let email: string;
  let id: string;
  beforeAll(async () => {
    [culprit, browser] = await Promise.all([startWithDashboard(), launchBrowser()]);
    email = newAddress('reader');
    client = await connect(culprit, { email, name: 'Northwind Shop' });
    await client.send(DEP({ payload: { version: '4.18.3', deployed_at: ago(22 * MINUTE) } }));
    await client.processed();
    await client.send(full(), full());
    ({ incident_id: id } = await client.only(2));
    await client.bundle(id);
    await client.settled();
  }, 180_000);
  afterAll(async () => {
    await browser?.close();
    await culprit?.stop();
  });

  const open = async (address: string, options: BrowserContextOptions = {}) => {
    const watched = await openSignedIn(browser, culprit, email, options);
    await watched.page.goto(`${culprit.url}${address}`);
    await watched.page
      .getByRole('region', { name: 'Stack' })
      .getByText('applyDiscount', { exact: true })
      .waitFor();
    await watched.page.getByRole('button', { name: 'Grouping' }).waitFor();
    await watched.page.getByRole('region', { name: 'Trend' }).getByRole('slider').waitFor();
    return watched;
  };

  it.each([
    [1440, FIRST_SCREEN_PX],
    [1280, SMALL_SCREEN_PX],
  ])(
    'at %i px says what broke, since when, how often, whom it hits and where, without scrolling',
    async (width, height) => {
      const { page, expectQuiet } = await open(`/incidents/${id}`, { viewport: { width, height } });
      if (process.env.PICTURES !== undefined)
        await page.screenshot({ path: `${process.env.PICTURES}/first-${width}.png` });
      const stack = page.getByRole('region', { name: 'Stack' });
      const facets = page.getByRole('region', { name: 'Who and where' }).getByRole('term');
      const answers = [
        page.getByRole('heading', { level: 1 }).getByText('TypeError', { exact: true }),
        page.getByRole('heading', { level: 1 }).getByText(MESSAGE),
        page.getByRole('button', { name: 'Assign', exact: true }),
        page.getByText('High priority', { exact: true }).first(),
        page.getByRole('term').filter({ hasText: 'Events' }),
        page.getByRole('term').filter({ hasText: 'Users' }),
        page.getByRole('definition').filter({ hasText: /^.*22 min after 4\.18\.3$/ }),
        page.getByRole('term').filter({ hasText: 'Last seen' }),
        page
          .getByRole('definition')
          .filter({ hasText: /^.*ago.*4\.18\.3/ })
          .last(),
        ...(width === 1440 ? [0, 1, 2].map((n) => facets.nth(n)) : []),
        page.getByRole('region', { name: 'What is known' }).getByRole('listitem').first(),
        stack.getByText('applyDiscount', { exact: true }),
        stack.getByText('return cart.total - rule.discount.amount;'),
      ];
      for (const answer of answers) {
        const box = await answer.boundingBox();
        expect(box, `${answer} is there`).not.toBeNull();
        expect((box?.y ?? 0) + (box?.height ?? 0), `${answer}`).toBeLessThanOrEqual(height);
      }
      expectQuiet();
    },
  );

  it('has the parts in their order, from the request on folded to a line, and unfolds all in print', async () => {
    const { page, expectQuiet } = await open(`/incidents/${id}`, { viewport: { width: 1440, height: 900 } });
    const titles = await page.locator('main section[id] h2').allTextContents();
    expect(titles).toEqual([
      'Trend',
      'What is known',
      'Event',
      'Stack',
      'Who and where',
      'Facts',
      'Tickets',
      'Activity',
      'Before the error',
      'Request and response',
      'Reproduce',
      'Logs',
      'Environment',
      'All events',
      'Redaction',
      'Grouping',
    ]);
    const line = page.getByRole('region', { name: 'Request and response' });
    await line.getByText('POST /api/orders · 500 · 534 ms').waitFor();
    const body = page.getByText('something went wrong');
    expect(await body.isVisible()).toBe(false);
    await press(page.getByRole('button', { name: 'Request and response' }));
    await body.waitFor();
    await press(page.getByRole('button', { name: 'Environment' }));
    const environment = page.getByRole('region', { name: 'Environment' });
    await environment.getByText('204.0 MiB').waitFor();
    await environment.getByText('2 h 2 min').waitFor();
    expect(await environment.getByText('null').count()).toBe(0);
    await press(page.getByRole('button', { name: 'Environment' }));
    const commit = environment.getByText('6e3ef9e1c2d3');
    expect(await commit.isVisible()).toBe(false);
    await page.emulateMedia({ media: 'print' });
    await commit.first().waitFor();
    await page.getByText('Checkout step 11').last().waitFor();
    expectQuiet();
  });

  it('says what was captured and what is missing, and never misses a stack that is there', async () => {
    const { page } = await open(`/incidents/${id}`);
    const line = page.getByText(/^Captured: /);
    expect(await line.textContent()).toMatch(
      /^Captured: error, stack, request, response, logs, .*deploy.*\. Missing: probes, .*\. How to capture$/,
    );
  });

  it('shows frames that were sent as objects with their source, the call marked, on page and in its texts', async () => {
    const { page, expectQuiet } = await open(`/incidents/${id}`, {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const source = page.getByRole('region', { name: 'Source' });
    expect((await source.locator('code').allTextContents()).map((line) => line.trim())).toEqual([
      '86export function applyDiscount(cart: Cart, coupon: Coupon): number {',
      '87  const rule = rules.get(coupon.code);',
      '88  return cart.total - rule.discount.amount; (the call)',
      '89}',
      '90',
    ]);
    const marked = await source.locator('[data-call="true"]').evaluate((line) => {
      const probe = document.createElement('span');
      probe.style.background = 'var(--code-mark)';
      document.body.append(probe);
      const wanted = getComputedStyle(probe).backgroundColor;
      probe.remove();
      return getComputedStyle(line).backgroundColor === wanted;
    });
    expect(marked).toBe(true);
    await page.getByRole('button', { name: 'Copy pricing/discounts.ts:88' }).waitFor();
    // Two frames have no source, and so nothing to unfold.
    expect(await page.locator('#stack [aria-expanded]').count()).toBe(1);
    const agent = await copiedBy(page, 'c', 'a');
    for (const text of [agent, await copiedBy(page, 'c', 'm')]) {
      expect(text).toMatch(
        /87 \| {3}const rule = .*\n> 88 \| {3}return cart\.total - rule\.discount\.amount;\n\s+89 \| \}/,
      );
    }
    expect(agent).not.toMatch(/confidence/i);
    expectQuiet();
  });

  it('prints no decimal or percentage beside a hint, and no hint where no rule fits', async () => {
    const { page } = await open(`/incidents/${id}`);
    const known = page.getByRole('region', { name: 'What is known' });
    const hint = await known.getByText('Hint').locator('..').textContent();
    expect(hint).toMatch(/A value expected to be present was missing at applyDiscount/);
    expect(hint).not.toMatch(A_NUMBER);
    const preview = await previewOf(page, client, id);
    const beside = await preview.getByText('Hint').locator('..').innerText();
    expect(beside).toMatch(/missing at applyDiscount/);
    expect(beside).not.toMatch(A_NUMBER);
    const email2 = newAddress('plain');
    const plain = await connect(culprit, { email: email2, name: 'plain' });
    await plain.send(
      EX({
        sdk: { name: 'unknown', version: '0' },
        payload: { error_class: 'OddError', message: 'no rule knows this' },
      }),
    );
    const { incident_id: other } = await plain.only(1);
    await plain.bundle(other);
    const watched = await openSignedIn(browser, culprit, email2);
    await watched.page.goto(`${culprit.url}/incidents/${other}`);
    await watched.page.getByText('No pattern yet.').waitFor();
    await watched.page.getByRole('button', { name: 'Grouping' }).waitFor();
    await watched.page.getByRole('heading', { name: 'Stack' }).waitFor();
    expect(await watched.page.getByText('Hint', { exact: true }).count()).toBe(0);
    expect(await watched.page.getByText(/confidence/i).count()).toBe(0);
    // What is not known is not there, and a sentence ends once.
    const facts = watched.page.getByRole('region', { name: 'Facts' });
    await facts.getByText('Severity').waitFor();
    expect(await facts.innerText()).not.toMatch(/unknown|null|Library/);
    await press(watched.page.getByRole('button', { name: 'Grouping' }));
    const grouping = watched.page.getByRole('region', { name: 'Grouping' });
    await grouping.getByText(/Decided by/).waitFor();
    expect(await grouping.innerText()).not.toMatch(/\.\.(?!\.)/);
    const hintless = await previewOf(watched.page, plain, other);
    expect(await hintless.getByText('Hint').count()).toBe(0);
  });

  it('brings each part that an address names to the top, in a new tab and on reload', {
    timeout: 300_000,
  }, async () => {
    const first = await open(`/incidents/${id}`, { viewport: { width: 1440, height: 900 } });
    const ids = await first.page
      .locator('main section[id]')
      .evaluateAll((parts) => parts.map((part) => part.id));
    await first.page.close();
    const watched = await openSignedIn(browser, culprit, email, { viewport: { width: 1440, height: 900 } });
    const { page } = watched;
    expect(ids).toEqual(expect.arrayContaining(['trend', 'facts', 'history']));
    const isAimed = (part = '') =>
      eventually(async () => {
        const top = await page.locator(`#${part} h2`).evaluate((it) => it.getBoundingClientRect().top);
        if (top < 0 || top > AIMED_PX) throw new Error(`#${part} lies at ${top}`);
      });
    for (const part of ids) {
      await page.goto('about:blank');
      await page.goto(`${culprit.url}/incidents/${id}#${part}`);
      await isAimed(part);
    }
    // A reload is the same for every part: the first, one in the middle and the last.
    for (const part of [ids.at(0), ids.at(Math.floor(ids.length / 2)), ids.at(-1)]) {
      await page.goto(`${culprit.url}/incidents/${id}#${part}`);
      await page.reload();
      await isAimed(part);
    }
    watched.expectQuiet();
  });

  it('chooses the span that holds most events, and keeps a chosen one in the address', async () => {
    const { page } = await open(`/incidents/${id}`);
    const trend = page.getByRole('region', { name: 'Trend' });
    await trend.getByText(/^2 events in 24 h/).waitFor();
    await press(trend.getByRole('button', { name: '7 d' }));
    await trend.getByText(/^2 events in 7 d/).waitFor();
    await page.waitForURL(/span=7d/);
    await page.reload();
    await trend.getByText(/^2 events in 7 d/).waitFor();
  });

  it('picks a range of the trend by keys, which is in the address and narrows the list of all events', async () => {
    const { page, expectQuiet } = await open(`/incidents/${id}`);
    const trend = page.getByRole('region', { name: 'Trend' });
    const plot = trend.getByRole('slider');
    const events = page.getByRole('region', { name: 'All events' });
    await plot.focus();
    await page.keyboard.press('End');
    await page.keyboard.press('Shift+ArrowLeft');
    expect(await plot.getAttribute('aria-valuetext')).toMatch(/^2 events from .* to /);
    await page.keyboard.press('Enter');
    await page.waitForURL(/range=/);
    await trend.getByText(/^2 events from/).waitFor();
    await press(trend.getByRole('link', { name: 'Show events' }));
    await events.getByText(/^2 events from/).waitFor();
    await soon(() => events.getByRole('table', { name: 'Events' }).getByRole('row').count()).toBe(3);
    await page.reload();
    await events.getByText(/^2 events from/).waitFor();
    await plot.focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('Enter');
    await events.getByText(/^0 events from/).waitFor();
    await soon(() => events.getByRole('table', { name: 'Events' }).getByRole('row').count()).toBe(1);
    await press(trend.getByRole('button', { name: 'Clear range' }));
    await page.waitForURL((url) => !url.searchParams.has('range'));
    await events.getByText('2 events', { exact: true }).waitFor();
    expectQuiet();
  });

  it('walks the events by key, and returns to the evidence of all', async () => {
    const { page, expectQuiet } = await open(`/incidents/${id}`);
    const bar = page.getByRole('region', { name: 'Event', exact: true });
    await page.keyboard.press(',');
    await page.waitForURL(/event=/);
    await bar.getByRole('button', { name: /^Event: First/ }).waitFor();
    await page.getByRole('region', { name: 'About this event' }).waitFor();
    await page.getByRole('region', { name: 'Stack' }).getByText('applyDiscount', { exact: true }).waitFor();
    await page.keyboard.press('.');
    await page.waitForURL((url) => !url.searchParams.has('event'));
    await page.keyboard.press('?');
    const keys = page.getByRole('dialog', { name: 'Keyboard' });
    await keys.getByText('Older event (comma)').waitFor();
    await keys.getByText('Newer event (dot)').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('region', { name: 'Before the error' }).waitFor();
    expectQuiet();
  });

  it('shows the stack and the request of the latest event until there is evidence', async () => {
    const set = (status: string) =>
      culprit.database.query(
        {
          name: 'test-bundle-state',
          text: 'update bundles set status = $2, failure_reason = null where incident_id = $1::uuid',
        },
        [id.slice('inc_'.length), status],
      );
    await set('pending');
    try {
      const { page, expectQuiet } = await open(`/incidents/${id}`);
      await page.getByText('Collecting evidence').waitFor();
      await page.getByRole('region', { name: 'Stack' }).getByText('return cart.total').waitFor();
      await page.getByText('POST /api/orders · 500 · 534 ms').waitFor();
      await set('ready');
      await page.getByRole('region', { name: 'What is known' }).waitFor();
      await page.getByRole('region', { name: 'Before the error' }).waitFor();
      expectQuiet();
    } finally {
      await set('ready');
    }
  });

  it('is assigned, snoozed, prioritized and discussed by keyboard, each with its way back', async () => {
    const { page, expectQuiet } = await open(`/incidents/${id}`);
    const activity = page.getByRole('region', { name: 'Activity' });
    const actions = page.getByRole('menu');
    const pick = async (key: string, name: string) => {
      await page.keyboard.press(key);
      await press(
        actions.getByRole(/^(Me|Urgent)$/.test(name) ? 'menuitemradio' : 'menuitem', { name, exact: true }),
      );
    };
    await pick('a', 'Me');
    await activity.getByText(/^Assigned to .* by /).waitFor();
    await page
      .getByText(/^Assigned to (?!you)/)
      .first()
      .waitFor();
    await pick('p', 'Urgent');
    await page.getByRole('button', { name: 'Urgent priority. Set by hand' }).waitFor();
    await pick('s', 'Until the next event');
    await page.getByText('Snoozed', { exact: true }).first().waitFor();
    expect((await client.read(id)).triage.snooze).toMatchObject({ until_count: 3 });
    await page.getByText('Snoozed 1 incident until the next event', { exact: true }).waitFor();
    await page.keyboard.press('z');
    await activity.getByText(/^Woke by /).waitFor();
    await pick('s', 'Choose conditions…');
    const dialog = page.getByRole('dialog', { name: 'Snooze 1 incident' });
    await type(dialog.getByLabel('Events until it wakes'), '100');
    await dialog.getByText(/it would have hidden \d+ events?/).waitFor();
    await press(dialog.getByRole('button', { name: 'Snooze 1 incident' }));
    await soon(async () => (await client.read(id)).triage.snooze?.until_count).toBe(102);
    await soon(() => page.evaluate(() => document.activeElement?.textContent)).toMatch(/^Snooze/);
    await pick('s', 'Wake now');
    await soon(async () => (await client.read(id)).triage.snooze).toBeNull();

    await page.keyboard.press('n');
    const marks = '![x](http://evil.example/x) \u202egnp';
    const note = `<img src=x onerror=alert(1)> see https://git.example/pull/1 and javascript:alert(2) ${marks}\n- first`;
    await page.keyboard.type(note);
    await press(activity.getByRole('button', { name: 'Add note' }));
    await activity.getByRole('link', { name: 'https://git.example/pull/1' }).waitFor();
    const written = activity.getByRole('listitem').filter({ hasText: '<img src=x onerror=alert(1)> see' });
    await written.getByText('javascript:alert(2) ![x](', { exact: false }).waitFor();
    expect(await written.getByText('⟨U+202E⟩gnp').count()).toBe(1);
    expect(await written.getByRole('link').allInnerTexts()).toEqual([
      'https://git.example/pull/1',
      'http://evil.example/x',
    ]);
    expect(await written.locator('img').count()).toBe(0);
    const item = written.getByRole('listitem').filter({ hasText: 'first' });
    expect(await item.evaluate((element) => getComputedStyle(element).display)).toBe('list-item');
    await press(activity.getByRole('button', { name: 'Delete' }));
    await press(page.getByRole('button', { name: 'Delete note' }));
    await soon(async () => (await client.read(id)).triage.notes).toBe(0);
    expectQuiet();
  });

  it.each([1440, 360] as const)(
    'is short and without overflow at %i px, with the fix it has',
    async (width) => {
      const url = `https://git.example/northwind/checkout-service/-/merge_requests/${width}`;
      await client.post(`/v1/incidents/${id}/fixes`, { url, commit_sha: 'c0ffee1', resolves: true });
      const { page } = await open(`/incidents/${id}`, { viewport: { width, height: 900 } });
      const fix = page.getByText('Fix waits for its deployment:').getByRole('link');
      expect(await fix.getAttribute('href')).toBe(url);
      expect(await fix.textContent()).toMatch(new RegExp(`^…[^ ]+/merge_requests/${width}$`));
      if (process.env.PICTURES !== undefined)
        await page.screenshot({ path: `${process.env.PICTURES}/whole-${width}.png`, fullPage: true });
      const { height, overflow } = await page.evaluate(() => {
        const { scrollHeight, scrollWidth, clientWidth } = document.documentElement;
        return { height: scrollHeight, overflow: scrollWidth - clientWidth };
      });
      expect(height).toBeLessThanOrEqual(HEIGHT_MAX_PX[width]);
      expect(overflow).toBe(0);
    },
  );

  it('brings the end of the facts and activity into view on the way down, in a low window too', async () => {
    const { page } = await open(`/incidents/${id}`, { viewport: { width: 1440, height: LOW_SCREEN_PX } });
    const rail = page.getByRole('complementary', { name: 'Facts and activity' });
    const endOf = async () => {
      const box = await rail.boundingBox();
      return (box?.y ?? 0) + (box?.height ?? 0);
    };
    const end = await endOf();
    expect(end).toBeGreaterThan(LOW_SCREEN_PX);
    const isAtEnd = await page.evaluate(
      (top) => {
        window.scrollTo({ top, behavior: 'instant' });
        return window.scrollY < top;
      },
      end - LOW_SCREEN_PX + 32,
    );
    expect(isAtEnd, 'the page is longer than its rail').toBe(false);
    await soon(endOf).toBeLessThanOrEqual(LOW_SCREEN_PX);
  });
});
