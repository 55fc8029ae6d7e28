import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type MapReason, mapWords } from '@culprit/contract/releases/map-words';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signIn } from '../../../cli/test/support/signed-in.ts';
import { callTool, connectMcp } from '../../../server/test/mcp/mcp-client.ts';
import { launchBrowser } from '../../../server/test/support/browser.ts';
import { type BuiltShop, buildShop } from '../../../server/test/support/built-shop.ts';
import type { TestCulprit } from '../../../server/test/support/culprit.ts';
import { whileLocked } from '../../../server/test/support/database-faults.ts';
import { eventually } from '../../../server/test/support/eventually.ts';
import { connect } from '../../../server/test/support/incident-client.ts';
import { sendMaps, uploadMaps } from '../../../server/test/support/map-client.ts';
import { startWithDashboard } from '../support/dashboard.ts';
import { choose, press, type } from '../support/keyboard.ts';
import { openSignedIn } from '../support/signed-in-page.ts';

/** docs/contract/source-maps.md 6.3 and item 48 of its checklist: do my maps work, and what is missing. */

const ADDRESS = 'https://shop.example/assets/index.js';
const MISSING = 'https://shop.example/assets/missing.js';

/** A failure of a page: a frame with a map, and one of a file whose map was not uploaded. */
function failure(shop: BuiltShop, missingId: string): object {
  const { line, column } = shop.place('price.amount');
  return {
    event_type: 'frontend_exception',
    timestamp: new Date().toISOString(),
    service: { name: 'shop-web', environment: 'production' },
    sdk: { name: 'custom', version: '1.0.0' },
    payload: {
      name: 'TypeError',
      message: 'no price',
      stack: `TypeError: no price\n    at e (${ADDRESS}:${line}:${column})\n    at t (${MISSING}:1:20)`,
      debug_ids: { [ADDRESS]: shop.debugId, [MISSING]: missingId },
    },
  };
}

describe('the screen of source maps', { timeout: 120_000 }, () => {
  let culprit: TestCulprit;
  let browser: Browser;
  let shop: BuiltShop;
  beforeAll(async () => {
    [culprit, browser, shop] = await Promise.all([startWithDashboard(), launchBrowser(), buildShop('story')]);
  }, 180_000);
  afterAll(async () => {
    await browser?.close();
    await culprit?.stop();
  });

  const view = (page: Page, name: string): Locator =>
    page.getByRole('group', { name: 'View' }).getByRole('button', { name, exact: true });
  const rowOf = (page: Page, table: string, text: string): Locator =>
    page.getByRole('table', { name: table }).getByRole('row').filter({ hasText: text });

  it('of a project without one has the option and the command of each build tool', async () => {
    const email = 'no-maps@example.test';
    const { project } = await connect(culprit, { email, name: 'fresh' });
    const { page, expectQuiet } = await openSignedIn(browser, culprit, email);
    await page.goto(`${culprit.url}/projects/${project.projectId}/source-maps`);
    await page.getByRole('heading', { level: 1, name: 'Source maps' }).waitFor();
    await page.getByText('No source maps were uploaded in the last 30 days.').waitFor();
    await page.getByText("build: { sourcemap: 'hidden' }").waitFor();
    await choose(page.getByLabel('Build tool', { exact: true }), 'Next.js');
    await page.getByText('culprit sourcemaps upload .next --delete-maps').waitFor();
    await choose(page.getByLabel('Build tool', { exact: true }), 'TypeScript (tsc)');
    // The maps of a server may stay beside its files.
    await page.getByText('culprit sourcemaps upload dist', { exact: true }).waitFor();
    await press(view(page, 'Missing'));
    await page.getByText('No maps are missing.').waitFor();
    await press(view(page, 'Stored'));
    await page.getByText('No source maps.').waitFor();
    expectQuiet();
  });

  it('shows uploads with their verdicts, what is missing, what is stored, and explains a line', async () => {
    const email = 'maps@example.test';
    const client = await connect(culprit, { email, name: 'shop' });
    await uploadMaps(
      culprit,
      client.project,
      [shop, { path: 'assets/page.js', code: 'page()', map: '<html>404</html>', debugId: randomUUID() }],
      'shop@1.0.0',
    );
    const missingId = randomUUID();
    await client.send(failure(shop, missingId));
    const { incident_id: id } = await client.only();
    await client.bundle(id);
    const { page, expectQuiet } = await openSignedIn(browser, culprit, email);
    await page.goto(`${culprit.url}/projects/${client.project.projectId}/source-maps`);

    const uploads = page.getByRole('list', { name: 'Uploads' });
    await uploads.getByText('1 ready, 1 refused').waitFor();
    expect(await uploads.textContent()).toContain(`shop@1.0.0`);
    expect(await uploads.textContent()).toContain(`by ${email}`);
    await press(uploads.getByRole('button', { name: 'Files' }));
    const ready = rowOf(page, 'Files of the upload', 'assets/index.js');
    await ready.getByText('ready', { exact: true }).waitFor();
    // The place that was looked up for proof, in the build and in the source.
    expect(await ready.textContent()).toMatch(/\d+:\d+ → src\/cart\.ts:\d+ \S+/);
    const refused = rowOf(page, 'Files of the upload', 'assets/page.js');
    expect(await refused.textContent()).toMatch(/refused.*assets\/page\.js.* is not JSON/);
    // The upload that is open stands in the address.
    await page.reload();
    await ready.waitFor();
    await press(uploads.getByRole('button', { name: 'Hide files' }));
    await ready.waitFor({ state: 'detached' });

    await press(view(page, 'Missing'));
    const missing = await rowOf(page, 'Missing source maps', 'missing.js').textContent();
    expect(missing).toContain(`No map was uploaded for debug id ${missingId} of missing.js.`);
    expect(missing).toContain('culprit sourcemaps upload DIR');
    expect(missing).toMatch(/shop-web11/);

    await press(view(page, 'Explain'));
    const line = page.getByLabel('Line of a stack');
    await type(line, 'a line without a place in it');
    await page.keyboard.press('Enter');
    await page.getByText('Paste a line of a stack, such as').waitFor();
    const place = shop.place('price.amount');
    await type(line, `    at e (${ADDRESS}:${place.line}:${place.column})`);
    await press(page.getByRole('button', { name: 'Explain' }).last());
    await page.getByText('index.js has no debug id and the event names no release.').waitFor();
    await rowOf(page, 'Files with similar names', 'assets/index.js').getByText(shop.debugId).waitFor();
    await type(page.getByLabel('Debug id'), shop.debugId);
    await page.keyboard.press('Enter');
    await page.getByText('Mapped to src/cart.ts:5:56 Cart.total.<anonymous>').waitFor();
    await page.getByText('item.price!.amount').first().waitFor();

    await press(view(page, 'Stored'));
    await page.getByText('1 source map. Above the budget').waitFor();
    const stored = rowOf(page, 'Source maps', 'assets/index.js');
    expect(await stored.textContent()).toContain(`${shop.debugId.slice(0, 8)}shop@1.0.0`);
    await type(page.getByLabel('Part of the path'), 'elsewhere');
    await page.getByText('No source map matches.').waitFor();
    await type(page.getByLabel('Part of the path'), 'index');
    await press(stored.getByRole('button', { name: 'Delete assets/index.js' }));
    await press(page.getByRole('dialog').getByRole('button', { name: 'Delete the map' }));
    await page.getByText('Deleted the map of assets/index.js').first().waitFor();
    await stored.waitFor({ state: 'detached' });
    expectQuiet();
  });

  it('is where the stack of an incident leads to, which has four views, source lines and reasons', async () => {
    const email = 'stack@example.test';
    const client = await connect(culprit, { email, name: 'shop' });
    await uploadMaps(culprit, client.project, [shop]);
    const missingId = randomUUID();
    await client.send(failure(shop, missingId));
    const { incident_id: id } = await client.only();
    await client.bundle(id);
    const { page, expectQuiet } = await openSignedIn(browser, culprit, email);
    await page.goto(`${culprit.url}/incidents/${id}`);
    const stack = page.getByRole('region', { name: 'Stack', exact: true });
    await stack.getByText('Cart.total.<anonymous>').waitFor();
    // The line that failed is marked, among those around it.
    await stack.getByText(/item\.price!\.amount.*\(the call\)/).waitFor();
    const words = `No map was uploaded for debug id ${missingId} of missing.js.`;
    await stack
      .getByRole('list', { name: 'Source maps' })
      .getByText(`1 frame not mapped: ${words}`)
      .waitFor();
    const frames = stack.getByRole('group', { name: 'Frames' });
    expect(await frames.getByRole('button').allTextContents()).toEqual(['In-app', 'All', 'Generated', 'Raw']);
    await press(frames.getByRole('button', { name: 'Generated' }));
    await stack.getByText(/assets\/index\.js:1:\d+/).waitFor();
    await press(frames.getByRole('button', { name: 'Raw' }));
    await stack.getByText(`at t (${MISSING}:1:20)`).waitFor();
    expect(await stack.textContent()).toContain(`at e (${ADDRESS}:1:`);
    await press(frames.getByRole('button', { name: 'All' }));

    await press(stack.getByRole('button', { name: 'Why? assets/missing.js:1 is not mapped' }));
    await stack.getByRole('paragraph').filter({ hasText: words }).waitFor();
    await press(stack.getByRole('link', { name: 'Explain this frame' }));
    await page.getByRole('heading', { level: 1, name: 'Source maps' }).waitFor();
    expect(await page.getByLabel('Debug id').inputValue()).toBe(missingId);
    expect(await page.getByLabel('Line of a stack').inputValue()).toContain(`${MISSING}:1:20`);
    await press(page.getByRole('button', { name: 'Explain' }).last());
    await page.getByText(words).waitFor();
    expectQuiet();
  });

  it('and every other surface have the words of one table for a map that is damaged, one that is being read, and frames beyond the limit', async () => {
    const email = 'reasons@example.test';
    const client = await connect(culprit, { email, name: 'shop' });
    const { project } = client;
    const { line, column } = shop.place('price.amount');
    const named = (path: string) => ({
      path,
      code: `${shop.code.replace(/^\/\/# debugId=.*$/m, '')}//${path}`,
      map: shop.map.replace(/,?"debugId":"[^"]*"/, ''),
    });
    const release = 'shop@1';
    const [damaged] = (await uploadMaps(culprit, project, [named('damaged.js'), named('right.js')], release))
      .files;
    rmSync(
      join(culprit.objectDirectory, `maps/${project.projectId.slice(5)}/${damaged?.source_map_id}.map1`),
    );
    // One frame of those that are looked up has no map, so that not all is well.
    const right = [...Array(49).fill('right.js'), ...Array(6).fill('absent.js')];
    const stacks: [MapReason, string[]][] = [
      ['map_damaged', ['damaged.js']],
      ['map_processing', ['late.js']],
      ['over_limit', right],
    ];
    const wanted = stacks.map(([reason, files]) => {
      const lines = files.map((file) => `    at e (https://shop.example/${file}:${line}:${column})`);
      return { reason, file: `/${files.at(-1)}`, stack: [`TypeError: ${reason}`, ...lines].join('\n') };
    });
    const mcp = await connectMcp(culprit.url, {
      headers: { authorization: `Bearer ${project.memberToken}` },
    });
    const { home } = await signIn(culprit, project);
    const { page, expectQuiet } = await openSignedIn(browser, culprit, email);
    const { finish } = await sendMaps(culprit, project, [named('late.js')], release);
    // The file has no verdict for so long, because its row cannot be changed.
    const { reading } = await whileLocked(
      culprit,
      'lock table map_upload_files in exclusive mode',
      async () => {
        const reading = finish();
        for (const { reason, file, stack } of wanted) {
          await client.send({
            ...failure(shop, randomUUID()),
            context: { release },
            payload: { name: 'TypeError', message: reason, stack },
          });
          const { incident_id: id } = await eventually(async () => {
            const found = (await client.list({ project_id: project.projectId })).find(({ title }) =>
              title.includes(reason),
            );
            if (found === undefined) throw new Error(`no incident of ${reason}`);
            return found;
          });
          const { words, hint } = mapWords(reason, { file });
          const said = expect.objectContaining({ reason, words, hint, file });
          const state = reason === 'over_limit' ? 'partly' : 'unmapped';
          const { context } = await client.bundle(id);
          expect(context.symbolication).toMatchObject({ state, problems: expect.arrayContaining([said]) });
          expect(context.symbolication?.problems[0]?.reason).toBe(reason);
          expect(context.stack?.frames.at(-1)?.map).toMatchObject({ state: 'unmapped', reason });

          const listed = await client.list({ project_id: project.projectId, symbolication: state });
          expect(listed.map(({ incident_id }) => incident_id)).toContain(id);

          const [row] = await client.logs(id);
          const { body } = await client.get(`/v1/incidents/${id}/events/${row?.event_id}`);
          expect(body).toMatchObject({
            event: { symbolication: { state, problems: expect.arrayContaining([said]) } },
          });

          const printed = await home.run(['bundle', id, '--full']);
          expect(printed.out.replace(/\s+/g, ' ')).toContain(`${words} Next: ${hint}`);

          const answer = await callTool(mcp, 'get_incident', { incident_id: id });
          expect(answer.text).toContain(`maps: ${state} (${reason})`);
          expect(answer.text).toContain(`${words} Next: ${hint}`);

          await page.goto(`${culprit.url}/incidents/${id}`);
          const shown = page
            .getByRole('region', { name: 'Stack' })
            .getByRole('list', { name: 'Source maps' });
          await shown.getByText(`not mapped: ${words} ${hint}`).waitFor();
        }
        return { reading };
      },
    );
    expect((await reading).counts).toMatchObject({ ready: 1 });
    await mcp.close();
    home.remove();
    expectQuiet();
  });
});
