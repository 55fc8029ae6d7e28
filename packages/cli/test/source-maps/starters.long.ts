import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startWithDashboard } from '../../../dashboard/test/support/dashboard.ts';
import { openSignedIn } from '../../../dashboard/test/support/signed-in-page.ts';
import { HOSTS_ROOT, installHosts } from '../../../sdk-test-hosts/hosts.ts';
import { launchBrowser } from '../../../server/test/support/browser.ts';
import type { TestCulprit } from '../../../server/test/support/culprit.ts';
import { eventually } from '../../../server/test/support/eventually.ts';
import { clientOf, type IncidentClient } from '../../../server/test/support/incident-client.ts';
import { newAddress } from '../../../server/test/support/people.ts';
import { type SignedIn, signIn } from '../support/signed-in.ts';
import { type Broken, STARTERS, type Starter } from './starter-applications.ts';

/**
 * Applications of starters in two versions: built, injected and uploaded by the command, broken in Chromium and in Node
 * (docs/contract/source-maps.md 14). With CULPRIT_TEST_PICTURES pictures of the incident pages are written there.
 */

const PICTURES = process.env.CULPRIT_TEST_PICTURES ?? null;
const INSTALL_MAX_MS = 300_000;
const FILLER = `export const rates = [1, 2, 3].map((rate) => rate * 7);
console.debug(rates);
`;

describe('an application of a starter, in two versions', { timeout: 600_000 }, () => {
  let culprit: TestCulprit;
  let browser: Browser;
  let signedIn: SignedIn;
  let client: IncidentClient;
  let email = '';
  beforeAll(async () => {
    await installHosts();
    culprit = await startWithDashboard();
    browser = await launchBrowser();
    mkdirSync(join(HOSTS_ROOT, '.hosts'), { recursive: true });
  }, INSTALL_MAX_MS);
  afterAll(async () => {
    await browser?.close();
    await culprit?.stop();
  });

  /** A project of its own, which the command line is signed in to. */
  async function newProject(): Promise<void> {
    signedIn?.home.remove();
    email = newAddress();
    const project = await culprit.createProject({ email, name: 'Shop' });
    signedIn = await signIn(culprit, project);
    client = clientOf(culprit, project);
  }

  /** Builds a version in a folder of its own. */
  async function built(starter: Starter, filler: string): Promise<string> {
    const folder = mkdtempSync(join(HOSTS_ROOT, '.hosts/starter-'));
    starter.write(folder, filler);
    await starter.build(folder);
    return folder;
  }

  async function upload(folder: string, starter: Starter): Promise<string> {
    const folders = starter.outputs.map((output) => join(folder, output));
    const injected = await signedIn.home.run(['sourcemaps', 'inject', ...folders]);
    expect(injected, injected.err).toMatchObject({ code: 0 });
    const { code, out, err } = await signedIn.home.run(['sourcemaps', 'upload', ...folders, '--no-inject']);
    expect(`${code} ${out}${err}`).toMatch(/^0 /);
    return out;
  }

  /** Breaks it where it runs, and sends what a library would. */
  async function breakIt(folder: string, starter: Starter, only?: 'page'): Promise<void> {
    const { origin, close } = await starter.serve(folder);
    const page = await browser.newPage();
    try {
      await page.goto(origin);
      await page.waitForFunction('globalThis.broken !== undefined');
      await send('frontend_exception', 'shop-page', await page.evaluate('broken()'));
      if (only === undefined)
        await send('backend_exception', 'shop-server', await starter.breakServer(folder, origin));
    } finally {
      await page.close();
      close();
    }
  }

  async function send(type: string, service: string, { name, message, stack, ids }: Broken): Promise<void> {
    const debugIds = Object.entries(ids).flatMap(([of, id]) => {
      const file = /((?:https?|file):\/\/[^\s()]+?|\/[^\s()]+?):\d+:\d+/.exec(of)?.[1];
      return file === undefined ? [] : [[file, id]];
    });
    await client.send({
      event_type: type,
      timestamp: new Date().toISOString(),
      service: { name: service, environment: 'production' },
      sdk: { name: 'custom', version: '1.0.0' },
      payload: {
        ...(type === 'backend_exception' ? { error_class: name, stacktrace: stack } : { name, stack }),
        ...{ message, debug_ids: Object.fromEntries(debugIds) },
      },
    });
  }

  async function picture(incidentId: string, name: string): Promise<void> {
    if (PICTURES === null) return;
    const watched = await openSignedIn(browser, culprit, email, { viewport: { width: 1280, height: 1400 } });
    await watched.page.goto(`${culprit.url}/incidents/${incidentId}`);
    await watched.page.waitForSelector('#stack');
    await watched.page.locator('#stack').scrollIntoViewIfNeeded();
    await watched.page.screenshot({ path: join(PICTURES, `${name}.png`) });
    await watched.page.context().close();
  }

  it.each(Object.entries(STARTERS))(
    '%s: one incident for each failure, with the original place',
    async (name, starter) => {
      await newProject();
      const folders = [await built(starter, ''), await built(starter, FILLER)];
      try {
        for (const folder of folders) {
          expect(await upload(folder, starter)).toContain('ready');
          await breakIt(folder, starter);
        }
        const incidents = await client.counted(2, 2);
        for (const { incident_id: id, matched_fields: fields, service_name: service } of incidents) {
          expect(fields).toContain('mapped_frames');
          const { context } = await client.bundle(id);
          // Callers that a bundler inlined have no frame of their own.
          expect([service, context.stack?.frames[0]]).toMatchObject([
            service,
            {
              ...{ file: expect.stringMatching(starter.file), function: 'total', in_app: true },
              context_line: expect.stringContaining('items.reduce((sum, { price }) => sum + price, 0)'),
              map: { state: 'mapped', reason: null },
            },
          ]);
          await picture(id, `mapped-${name}-${service}`);
        }
      } finally {
        for (const folder of folders) rmSync(folder, { recursive: true, force: true });
      }
    },
  );

  it('maps that are withheld, cut, swapped and late: each frame says why, and then is mapped', async () => {
    const [, starter] = Object.entries(STARTERS)[0] ?? [];
    if (starter === undefined) throw new Error('there is no starter');
    const folders: string[] = [];
    const next = async (filler: string) => {
      const folder = await built(starter, filler);
      folders.push(folder);
      return folder;
    };
    const maps = (folder: string) =>
      readdirSync(join(folder, 'dist/assets'))
        .filter((file) => file.endsWith('.map'))
        .map((file) => join(folder, 'dist/assets', file));
    const run = (...args: string[]) => signedIn.home.run(['sourcemaps', ...args]);
    const problems = async () => {
      const [incident] = await client.list({ project_id: client.project.projectId });
      const { context } = await client.bundle(incident?.incident_id ?? '');
      return { id: incident?.incident_id ?? '', block: context.symbolication, stack: context.stack };
    };
    const expectReason = async (reason: string, words: RegExp) => {
      await client.processed();
      const { id, block, stack } = await problems();
      expect(block).toMatchObject({ state: 'unmapped', problems: [expect.objectContaining({ reason })] });
      expect(block?.problems[0]?.words).toMatch(words);
      expect(stack?.frames.slice(0, 2).map(({ map }) => map?.reason)).toEqual([reason, reason]);
      await picture(id, reason);
    };
    try {
      // Withheld: injected, so that events have an id, and not uploaded.
      await newProject();
      const first = await next('');
      await run('inject', join(first, 'dist'));
      await upload(await next('export const elsewhere = 1;\nconsole.debug(elsewhere);\n'), starter);
      await breakIt(first, starter, 'page');
      await expectReason('no_map_for_debug_id', /No map was uploaded for debug id/);

      // Late: the same build, uploaded now.
      expect((await run('upload', join(first, 'dist'))).code).toBe(0);
      await eventually(async () => {
        expect((await problems()).block).toMatchObject({ state: 'mapped' });
      });
      expect((await client.only(1)).matched_fields).toBeDefined();
      await picture((await problems()).id, 'late-mapped');

      // Swapped: the file of one build with the map of another.
      await newProject();
      const second = await next(FILLER);
      const other = await next(
        `${FILLER}export const more = rates.reduce((a, b) => a + b, 0);\nconsole.debug(more);\n`,
      );
      for (const [at, map] of maps(second).entries()) {
        const from = maps(other)[at];
        if (from !== undefined) cpSync(from, map);
      }
      const swapped = await run('upload', join(second, 'dist'));
      expect(swapped).toMatchObject({ code: 8, out: expect.stringContaining('belongs to another version') });

      // Cut: as a full disk leaves it.
      const third = await next(`${FILLER}export const third = 3;\nconsole.debug(third);\n`);
      for (const map of maps(third)) writeFileSync(map, readFileSync(map).subarray(0, 300));
      const cut = await run('upload', join(third, 'dist'));
      expect(cut).toMatchObject({ code: 8, out: expect.stringContaining('is not JSON') });

      // Another version runs under an id whose map is there.
      const fourth = await next('');
      await upload(fourth, starter);
      const script = join(fourth, 'dist/assets/index.js');
      const text = readFileSync(script, 'utf8');
      writeFileSync(script, text.replace(/^(.*\n)?(?=.*\.reduce\()/m, '$1/*edge*/'));
      await breakIt(fourth, starter, 'page');
      await client.processed();
      const { id, block } = await problems();
      expect(['file_differs', 'position_outside_file']).toContain(block?.problems[0]?.reason);
      await picture(id, 'file_differs');
    } finally {
      for (const folder of folders) rmSync(folder, { recursive: true, force: true });
    }
  });
});
