import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { startRecordingEndpoint as startEndpointOfPages } from '../../sdk-browser/test/support/recording-endpoint.ts';
import { type HostFolder, installedFolder } from '../../sdk-test-hosts/hosts.ts';
import { launchBrowser } from '../../server/test/support/browser.ts';
import { eventually } from '../../server/test/support/eventually.ts';
import { failuresOf, routesOf, startBuilt } from './support/built-server.ts';
import { type RecordingEndpoint, startRecordingEndpoint } from './support/recording-endpoint.ts';

/** SvelteKit on Node, built and started as its starter is, with the line of the README for pages. */

const INSTALL_MAX_MS = 300_000;

let host: HostFolder;
let endpoint: RecordingEndpoint;
beforeAll(async () => {
  host = await installedFolder({
    ...{ '@sveltejs/kit': '3.2.0', '@sveltejs/adapter-node': '6.0.1', svelte: '5.57.3', vite: '8.4.0' },
    '@sveltejs/vite-plugin-svelte': '7.3.1',
  });
  const breaks = (where: string, more = '') => `throw new TypeError('${where}'${more});`;
  const page = '<p>page</p>';
  const files: Record<string, string> = {
    'vite.config.js': `import adapter from '@sveltejs/adapter-node'; import { sveltekit } from '@sveltejs/kit/vite';
      export default { plugins: [sveltekit({ adapter: adapter() })] };`,
    'src/app.html':
      '<!doctype html><html lang="en"><head>%sveltekit.head%</head><body>%sveltekit.body%</body></html>',
    'src/hooks.server.js': `import { currentScope } from '@culprit/node';
      export const handle = ({ event, resolve }) => { currentScope().setRoute(event.route.id); return resolve(event); };`,
    'src/hooks.client.js': `import { captureException, init } from '@culprit/browser';
      init({ token: '${'svc_proj_'}' + 'a'.repeat(43), endpoint: new URLSearchParams(location.search).get('to'), service: 'page' });
      export const handleError = ({ error, status = error?.status }) => { if (!(status < 500)) captureException(error); };`,
    'src/routes/+page.svelte': `{#each ['client', 'gone', 'drawn'] as to}<a id={to} href={'/' + to}>{to}</a>{/each}`,
    'src/routes/(shop)/load/[id]/+page.server.js': `export const load = () => { ${breaks('of a load', ", { cause: new Error('of a cause') }")} };`,
    'src/routes/(shop)/load/[id]/+page.svelte': page,
    'src/routes/refused/+page.server.js': `import { error } from '@sveltejs/kit'; export const load = () => error(403, 'no');`,
    'src/routes/refused/+page.svelte': page,
    'src/routes/moved/+page.server.js': `import { redirect } from '@sveltejs/kit'; export const load = () => redirect(303, '/');`,
    'src/routes/moved/+page.svelte': page,
    'src/routes/render/+page.svelte': `<script>${breaks('of a render')}</script>`,
    'src/routes/stream/+page.server.js': `export const load = () => ({ late: new Promise((_, fail) => setTimeout(fail, 50, new TypeError('of a stream'))) });`,
    'src/routes/stream/+page.svelte': `<script>let { data } = $props();</script>{#await data.late}wait{:catch}sorry{/await}`,
    'src/routes/api/[id]/+server.js': `export const GET = () => { ${breaks('of an endpoint')} };`,
    'src/routes/client/+page.js': `export const ssr = false; export const load = () => { ${breaks('of a client load')} };`,
    'src/routes/client/+page.svelte': page,
    'src/routes/gone/+page.js': `import { error } from '@sveltejs/kit'; export const load = () => error(404, 'gone');`,
    'src/routes/gone/+page.svelte': page,
    'src/routes/drawn/+page.svelte': `<script>if (typeof window !== 'undefined') ${breaks('of a drawing')}</script>`,
    'src/routes/+error.svelte': '<main id="failed">failed</main>',
  };
  for (const [name, text] of Object.entries(files)) host.write(name, text);
  await promisify(execFile)(process.execPath, [join(host.path, 'node_modules/vite/bin/vite.js'), 'build'], {
    cwd: host.path,
  });
}, INSTALL_MAX_MS);
afterAll(() => host?.remove());
beforeEach(async () => {
  endpoint = await startRecordingEndpoint();
});
afterEach(() => endpoint.close());

it('reports what loads, renders, streams and endpoints throw, by the error and not by its cause, and no refusal', async () => {
  const server = await startBuilt(endpoint, host, ['build/index.js']);
  try {
    for (const path of ['/load/7', '/render', '/api/7']) expect(await server.status(path)).toBe(500);
    expect(await server.status('/refused')).toBe(403);
    expect(await server.status('/moved', { redirect: 'manual' })).toBe(303);
    expect(await server.status('/missing')).toBe(404);
    expect(await server.status('/stream')).toBe(200);
    await eventually(() =>
      expect(failuresOf(endpoint)).toEqual([
        'of a load /load/7 500',
        'of a render /render 500',
        'of an endpoint /api/7 500',
        'of a stream /stream 200',
      ]),
    );
    expect(routesOf(endpoint)).toEqual(['/load/[id]', '/render', '/api/[id]', '/stream']);
    expect(endpoint.events()[0]).toMatchObject({ payload: { causes: [{ message: 'of a cause' }] } });
  } finally {
    await server.stop();
  }
}, 120_000);

it('reports what fails in the page, and no answer of a route', async () => {
  const server = await startBuilt(endpoint, host, ['build/index.js']);
  const [browser, received] = await Promise.all([launchBrowser(), startEndpointOfPages()]);
  try {
    const found = () => received.ofType('frontend_exception').map(({ payload }) => payload.message);
    for (const id of ['gone', 'client', 'drawn']) {
      const page = await browser.newPage();
      await page.goto(`${server.origin}/?to=${encodeURIComponent(received.origin)}`, {
        waitUntil: 'networkidle',
      });
      await page.click(`#${id}`);
      await page.waitForSelector('#failed');
    }
    await eventually(() => expect(found()).toEqual(['of a client load', 'of a drawing']));
  } finally {
    await browser.close();
    await received.close();
    await server.stop();
  }
}, 120_000);
