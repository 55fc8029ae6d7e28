import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createClient } from '@culprit/contract/endpoints/client';
import * as mapUploads from '@culprit/contract/releases/map-uploads';
import * as releases from '@culprit/contract/releases/releases';
import { updateProject } from '@culprit/contract/workspace/projects';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '../../../../scripts/sdk/sdk-packages.ts';
import { serveFolder } from '../../../cli/test/source-maps/static-site.ts';
import { installForeignClients } from '../../../foreign-clients/clients.ts';
import { HOSTS_ROOT, installHosts } from '../../../sdk-test-hosts/hosts.ts';
import { launchBrowser } from '../support/browser.ts';
import { startCulprit, type TestCulprit, type TestProject } from '../support/culprit.ts';
import { expectOk } from '../support/expect-ok.ts';
import { connect, type IncidentClient } from '../support/incident-client.ts';

/**
 * docs/contract/source-maps.md 9 and item 38 with the real `sentry-cli`, of two majors, and the plugins for Vite,
 * webpack, Rollup and esbuild.
 */

const INSTALL_MAX_MS = 300_000;
/** The program of each major, below the folder of packages. */
const SENTRY_CLI = {
  2: 'sentry-cli-2/bin/sentry-cli',
  3: '.bin/sentry-cli',
} as const;
const FILES = {
  'index.html': '<!doctype html><title>shop</title><script type="module" src="/src/main.ts"></script>',
  'src/cart.ts': `export function total(items: { price: number }[] | null): number {
  return items!.reduce((sum, { price }) => sum + price, 0);
}
`,
  'src/main.ts': `import { total } from './cart.ts';
Object.assign(globalThis, { fail: () => total(null) });
`,
  'package.json': '{"name": "shop", "private": true, "type": "module"}',
  // Vite is that of this repository, the plugin that of people.
  'plain.mjs': `import { build } from ${JSON.stringify(join(ROOT, 'node_modules/vite/dist/node/index.js'))};
await build({ configFile: false, logLevel: 'error', build: { sourcemap: 'hidden', rolldownOptions: { output: { entryFileNames: 'assets/main.js' } } } });
`,
  'vite.mjs': `import { build } from ${JSON.stringify(join(ROOT, 'node_modules/vite/dist/node/index.js'))};
import { sentryVitePlugin } from '@sentry/vite-plugin';
${pluginOptions('vite')}
await build({ configFile: false, logLevel: 'error', build: { sourcemap: 'hidden', rolldownOptions: { output: { entryFileNames: 'assets/main.js' } } },
  plugins: [sentryVitePlugin(options)] });
`,
  // The others read JavaScript.
  'js/cart.js': `export function total(items) {
  return items.reduce((sum, { price }) => sum + price, 0);
}
`,
  'js/main.js': `import { total } from './cart.js';
Object.assign(globalThis, { fail: () => total(null) });
`,
  'webpack.mjs': `import webpack from 'webpack';
import { sentryWebpackPlugin } from '@sentry/webpack-plugin';
${pluginOptions('webpack')}
webpack({ mode: 'production', entry: './js/main.js', devtool: 'hidden-source-map', plugins: [sentryWebpackPlugin(options)],
  output: { path: process.cwd() + '/dist', filename: 'assets/main.js' } },
  (error, stats) => { if (error || stats.hasErrors()) { console.error(error ?? stats.toString()); process.exit(1); } });
`,
  'rollup.mjs': `import { rollup } from ${JSON.stringify(join(HOSTS_ROOT, 'node_modules/rollup/dist/es/rollup.js'))};
import { sentryRollupPlugin } from '@sentry/rollup-plugin';
${pluginOptions('rollup')}
const bundle = await rollup({ input: 'js/main.js', plugins: [sentryRollupPlugin(options)] });
await bundle.write({ dir: 'dist', format: 'es', sourcemap: 'hidden', entryFileNames: 'assets/main.js' });
await bundle.close();
`,
  'esbuild.mjs': `import { build } from ${JSON.stringify(join(HOSTS_ROOT, 'node_modules/esbuild/lib/main.js'))};
import { sentryEsbuildPlugin } from '@sentry/esbuild-plugin';
${pluginOptions('esbuild')}
await build({ entryPoints: { 'assets/main': 'src/main.ts' }, bundle: true, minify: true, format: 'esm', sourcemap: 'external',
  outdir: 'dist', logLevel: 'error', plugins: [sentryEsbuildPlugin(options)] });
`,
};

/** The options that people give a plugin, for a release of its own. */
function pluginOptions(tool: string): string {
  return `const { SENTRY_URL: url, SENTRY_AUTH_TOKEN: authToken, SENTRY_PROJECT: project } = process.env;
const release = { name: 'shop-${tool}@5.0.0', setCommits: false };
const options = { url, authToken, org: 'acme', project, release, telemetry: false };`;
}

describe('the build tools that people have', { timeout: 180_000 }, () => {
  let culprit: TestCulprit;
  let browser: Browser;
  let modules: string;
  const folders: string[] = [];
  beforeAll(async () => {
    await installHosts();
    modules = await installForeignClients();
    culprit = await startCulprit();
    browser = await launchBrowser();
  }, INSTALL_MAX_MS);
  afterAll(async () => {
    await browser?.close();
    await culprit?.stop();
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });

  /** A project of its own and an application beside it; tools find both by their environment. */
  async function workspace() {
    const client = await connect(culprit);
    const { project } = client;
    const api = createClient({ baseUrl: culprit.url, token: project.memberToken });
    const slug = `shop-${folders.length}`;
    expectOk(await api.call(updateProject, { params: { id: project.projectId }, body: { slug } }));
    const folder = mkdtempSync(join(tmpdir(), 'culprit-shop-'));
    folders.push(folder);
    for (const [path, text] of Object.entries(FILES)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    symlinkSync(modules, join(folder, 'node_modules'), 'dir');
    const run = (program: string, args: readonly string[], more: NodeJS.ProcessEnv = {}) =>
      runProgram(program, args, folder, {
        // The plugin keeps there under which address it found an organization.
        HOME: folder,
        ...{ SENTRY_URL: culprit.url, SENTRY_AUTH_TOKEN: project.memberToken, SENTRY_ORG: 'acme' },
        ...{ SENTRY_PROJECT: slug, SENTRY_LOG_LEVEL: 'info', ...more },
      });
    const cli = (
      args: string,
      more?: NodeJS.ProcessEnv,
      program: (typeof SENTRY_CLI)[2 | 3] = SENTRY_CLI[3],
    ) => run(join(modules, program), args.split(' '), more);
    return { client, project, api, folder, run, cli };
  }

  /** Breaks the application in a browser and sends what its stack says. */
  async function breakIt(client: IncidentClient, folder: string, release: string | null) {
    const site = await serveFolder(join(folder, 'dist'), 'assets/main.js', true);
    const page = await browser.newPage();
    try {
      await page.goto(site.origin);
      await page.waitForFunction('globalThis.fail !== undefined');
      const { stack, message, ids } = await page.evaluate<{
        stack: string;
        message: string;
        ids: Record<string, string>;
      }>(`(() => {
        try { fail() } catch ({ stack, message }) { return { stack, message, ids: globalThis._sentryDebugIds ?? {} } }
      })()`);
      const debugIds = Object.fromEntries(
        Object.entries(ids).map(([of, id]) => [/(http[^\s()]+?):\d+:\d+/.exec(of)?.[1] ?? '', id]),
      );
      await client.send({
        event_type: 'frontend_exception',
        timestamp: new Date().toISOString(),
        service: { name: 'shop-web', environment: 'production' },
        sdk: { name: 'custom', version: '1.0.0' },
        ...(release === null ? {} : { context: { release } }),
        payload: { name: 'TypeError', message, stack, debug_ids: debugIds },
      });
    } finally {
      await page.close();
      site.close();
    }
    const incident = await client.only();
    const { context } = await client.bundle(incident.incident_id);
    return context.stack?.frames ?? [];
  }

  const MAPPED = {
    file: 'src/cart.ts',
    line: 2,
    function: 'total',
    context_line: expect.stringContaining('items!.reduce'),
    map: { state: 'mapped', reason: null },
  };

  async function verdicts({ api, project }: { api: ReturnType<typeof createClient>; project: TestProject }) {
    const { uploads } = expectOk(
      await api.call(mapUploads.listMapUploads, { params: { id: project.projectId } }),
    );
    return uploads;
  }

  it.each([2, 3] as const)(
    'sentry-cli %i injects, uploads and waits; the stack of a browser is mapped by debug id',
    async (major) => {
      const shop = await workspace();
      const cli = (args: string) => shop.cli(args, {}, SENTRY_CLI[major]);
      await shop.run(process.execPath, ['plain.mjs']);
      expect((await cli('--version')).text).toContain(`sentry-cli ${major}.`);
      await cli('sourcemaps inject dist');
      expect(await cli('sourcemaps upload --wait dist')).toMatchObject({
        code: 0,
        text: expect.stringMatching(/File (?:processing complete|upload complete)/),
      });
      expect(await verdicts(shop)).toMatchObject([
        { via: 'sentry', state: 'done', counts: { ready: 1, refused: 0 } },
      ]);
      expect((await breakIt(shop.client, shop.folder, null))[0]).toMatchObject(MAPPED);
    },
  );

  it.each([
    [2, 'releases deploys 4.0.0 new -e production'],
    [3, 'deploys new --release 4.0.0 -e production'],
  ] as const)(
    'sentry-cli %i uploads for a release, makes it, ends it and deploys it',
    async (major, deploy) => {
      const shop = await workspace();
      const cli = (args: string) => shop.cli(args, {}, SENTRY_CLI[major]);
      await shop.run(process.execPath, ['plain.mjs']);
      for (const command of [
        'releases new 4.0.0',
        'releases finalize 4.0.0',
        deploy,
        'releases info 4.0.0',
      ]) {
        expect(await cli(command), command).toMatchObject({ code: 0 });
      }
      expect(await cli('sourcemaps upload --release 4.0.0 dist')).toMatchObject({ code: 0 });
      const { releases: listed } = expectOk(
        await shop.api.call(releases.listReleases, { params: { id: shop.project.projectId } }),
      );
      expect(listed).toMatchObject([{ version: '4.0.0', created_by: 'api' }]);
      await expect
        .poll(() => verdicts(shop), { timeout: 20_000 })
        .toMatchObject([{ state: 'done', counts: { ready: 1 } }]);
      expect((await breakIt(shop.client, shop.folder, '4.0.0'))[0]).toMatchObject(MAPPED);
    },
  );

  it('sentry-cli shows in words what is wrong with token, project and file', async () => {
    const shop = await workspace();
    await shop.run(process.execPath, ['plain.mjs']);
    const upload = 'sourcemaps upload --wait --release 6 dist';
    expect(await shop.cli(upload, { SENTRY_PROJECT: 'nobody' })).toMatchObject({
      code: 1,
      text: expect.stringContaining('You have no project with the slug or id "nobody"'),
    });
    expect(await shop.cli(upload, { SENTRY_AUTH_TOKEN: `member_${'a'.repeat(43)}` })).toMatchObject({
      code: 1,
      text: expect.stringContaining('This token is unknown or was revoked'),
    });
    mkdirSync(join(shop.folder, 'cut'));
    writeFileSync(join(shop.folder, 'cut/a.js'), 'throw new Error("a");\n//# sourceMappingURL=a.js.map\n');
    writeFileSync(
      join(shop.folder, 'cut/a.js.map'),
      JSON.stringify({ version: 3, sources: ['a.ts'], names: [], mappings: 'AAAAA,CAAC' }),
    );
    expect(await shop.cli('sourcemaps upload --wait --no-rewrite --release 6 cut')).toMatchObject({
      code: 1,
      text: expect.stringContaining('a.js'),
    });
  });

  it.each([
    ['vite', 'src/cart.ts'],
    // The plugin leaves the name of the package in front of what webpack calls its files.
    ['webpack', 'shop/js/cart.js'],
    ['rollup', 'js/cart.js'],
    ['esbuild', 'src/cart.ts'],
  ])('the plugin for %s uploads what it builds, and the stack of a browser is mapped', async (tool, file) => {
    const shop = await workspace();
    const { code, text } = await shop.run(process.execPath, [`${tool}.mjs`]);
    expect({ code, text }).toMatchObject({
      code: 0,
      text: expect.not.stringMatching(/\[sentry-[a-z]+-plugin\] Error/),
    });
    await expect
      .poll(() => verdicts(shop), { timeout: 20_000 })
      .toMatchObject([{ via: 'sentry', state: 'done', counts: { ready: 1 } }]);
    expect((await breakIt(shop.client, shop.folder, null))[0]).toMatchObject({
      ...MAPPED,
      ...{ file, context_line: expect.stringMatching(/items!?\.reduce/) },
    });
  });
});

function runProgram(
  program: string,
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv,
): Promise<{ code: number; text: string }> {
  return new Promise((resolve) => {
    execFile(
      program,
      args,
      { cwd, env: { ...process.env, ...env }, timeout: 120_000 },
      (error, stdout, stderr) => {
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 99;
        resolve({ code, text: `${stdout}${stderr}` });
      },
    );
  });
}
