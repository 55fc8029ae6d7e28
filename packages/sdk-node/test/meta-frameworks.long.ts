import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startRecordingEndpoint as startEndpointOfPages } from '../../sdk-browser/test/support/recording-endpoint.ts';
import { type HostFolder, installedFolder } from '../../sdk-test-hosts/hosts.ts';
import { launchBrowser } from '../../server/test/support/browser.ts';
import { eventually } from '../../server/test/support/eventually.ts';
import { failuresOf, routesOf, startBuilt } from './support/built-server.ts';
import { type RecordingEndpoint, startRecordingEndpoint } from './support/recording-endpoint.ts';

/** React Router in framework mode and Astro, built and started as their starters are, with the lines of the READMEs. */

const INSTALL_MAX_MS = 300_000;

let endpoint: RecordingEndpoint;
beforeEach(async () => {
  endpoint = await startRecordingEndpoint();
});
afterEach(() => endpoint.close());

const failures = () => failuresOf(endpoint);
const started = (host: HostFolder, args: readonly string[], env: Record<string, string> = {}) =>
  startBuilt(endpoint, host, args, env);

describe('React Router in framework mode', () => {
  let host: HostFolder;
  beforeAll(async () => {
    host = await installedFolder({
      ...{ 'react-router': '8.4.0', '@react-router/dev': '8.4.0', '@react-router/node': '8.4.0' },
      ...{
        '@react-router/serve': '8.4.0',
        react: '19.3.1',
        'react-dom': '19.3.1',
        vite: '8.4.0',
        isbot: '5.2.3',
      },
    });
    const breaks = (where: string) => `throw new TypeError('${where}');`;
    const page = 'export default function Page() { return <p>page</p>; }';
    const files: Record<string, string> = {
      'vite.config.js': `import { reactRouter } from '@react-router/dev/vite'; export default { plugins: [reactRouter()] };`,
      'app/root.jsx': `import { Outlet, Scripts } from 'react-router';
        import { currentScope } from '@culprit/node';
        export const middleware = [({ pattern }, next) => { currentScope().setRoute(pattern); return next(); }];
        export const Layout = ({ children }) => <html lang="en"><head /><body>{children}<Scripts /></body></html>;
        export default function App() { return <Outlet />; }
        export const ErrorBoundary = () => <main id="failed">failed</main>;`,
      'app/entry.client.jsx': `import { startTransition } from 'react';
        import { hydrateRoot } from 'react-dom/client';
        import { HydratedRouter } from 'react-router/dom';
        import { init } from '@culprit/browser';
        import { reactErrorHandler } from '@culprit/browser/frameworks';
        init({ token: '${'svc_proj_'}' + 'a'.repeat(43), endpoint: new URLSearchParams(location.search).get('to'), service: 'page' });
        startTransition(() => hydrateRoot(document, <HydratedRouter onError={reactErrorHandler} />));`,
      'app/routes.js': `import { index, route } from '@react-router/dev/routes';
        export default [index('routes/home.jsx'), ...['loader', 'render', 'refused', 'stream', 'action', 'client', 'drawn', 'gone'].map((name) => route(name + '/:id?', 'routes/' + name + '.jsx'))];`,
      'app/routes/home.jsx': `import { Link } from 'react-router';
        export default function Home() { return ['client', 'drawn', 'gone'].map((to) => <Link key={to} id={to} to={'/' + to}>{to}</Link>); }`,
      'app/routes/loader.jsx': `export function loader() { ${breaks('of a loader')} }\n${page}`,
      'app/routes/render.jsx': `export default function Page() { ${breaks('of a render')} }`,
      'app/routes/refused.jsx': `import { data } from 'react-router'; export function loader() { throw data('no', 403); }\n${page}`,
      'app/routes/stream.jsx': `import { Suspense, use } from 'react'; import { useLoaderData } from 'react-router';
        export function loader() { return { later: new Promise((_, fail) => setTimeout(fail, 50, new TypeError('of a stream'))) }; }
        const Late = ({ later }) => use(later);
        export default function Page() { return <Suspense fallback="wait"><Late later={useLoaderData().later} /></Suspense>; }`,
      'app/routes/action.jsx': `export function action() { ${breaks('of an action')} }\n${page}`,
      'app/routes/client.jsx': `export function clientLoader() { ${breaks('of a client loader')} }\n${page}`,
      'app/routes/drawn.jsx': `export default function Page() { if (typeof window !== 'undefined') ${breaks('of a drawing')} return null; }`,
      'app/routes/gone.jsx': `import { data } from 'react-router'; export function clientLoader() { throw data('no', 404); }\n${page}`,
    };
    for (const [name, text] of Object.entries(files)) host.write(name, text);
    const build = [join(host.path, 'node_modules/@react-router/dev/bin.cjs'), 'build'];
    await promisify(execFile)(process.execPath, build, { cwd: host.path });
  }, INSTALL_MAX_MS);
  afterAll(() => host?.remove());

  it('reports what loaders, actions, renders and streams throw on the server, and no refusal', async () => {
    const serve = 'node_modules/@react-router/serve/bin.cjs';
    const server = await started(host, [serve, 'build/server/index.js']);
    try {
      expect(await server.status('/loader/7')).toBe(500);
      expect(await server.status('/render')).toBe(500);
      expect(await server.status('/refused')).toBe(403);
      // For what may be a crawler the whole page is awaited.
      const browser = { 'user-agent': 'Mozilla/5.0 (X11; Linux x64) Chrome/140.0.0.0 Safari/537.36' };
      expect(await server.status('/stream', { headers: browser })).toBe(200);
      const post = {
        method: 'POST',
        body: new URLSearchParams({ a: '1' }),
        headers: { origin: server.origin },
      };
      expect(await server.status('/action', post)).toBe(500);
      await eventually(() =>
        expect(failures()).toEqual([
          'of a loader /loader/7 500',
          'of a render /render 500',
          'of a stream /stream 200',
          'of an action /action 500',
        ]),
      );
      const routes = ['/loader/:id?', '/render/:id?', '/stream/:id?', '/action/:id?'];
      expect(routesOf(endpoint)).toEqual(routes);
    } finally {
      await server.stop();
    }
  }, 120_000);

  it('reports what fails in the page, and no answer of a route', async () => {
    const serve = 'node_modules/@react-router/serve/bin.cjs';
    const server = await started(host, [serve, 'build/server/index.js']);
    const [browser, received] = await Promise.all([launchBrowser(), startEndpointOfPages()]);
    try {
      const found = () => received.ofType('frontend_exception').map(({ payload }) => payload.message);
      const fails = async (id: string) => {
        const page = await browser.newPage();
        await page.goto(`${server.origin}/?to=${encodeURIComponent(received.origin)}`);
        await page.click(`#${id}`);
        await page.waitForSelector('#failed');
        return page;
      };
      await fails('client');
      await eventually(() => expect(found()).toEqual(['of a client loader']));
      await fails('gone');
      await fails('drawn');
      await eventually(() => expect(found()).toEqual(['of a client loader', 'of a drawing']));
    } finally {
      await browser.close();
      await received.close();
      await server.stop();
    }
  }, 120_000);
});

describe('Astro on Node', () => {
  let host: HostFolder;
  beforeAll(async () => {
    host = await installedFolder({ astro: '7.3.5', '@astrojs/node': '11.1.6' });
    const breaks = (where: string) => `throw new TypeError('${where}');`;
    const files: Record<string, string> = {
      'astro.config.mjs': `import node from '@astrojs/node';
        export default { output: 'server', adapter: node({ mode: 'standalone' }) };`,
      'src/middleware.js': `import { currentScope } from '@culprit/node';
        export const onRequest = (context, next) => { currentScope().setRoute(context.routePattern); if (context.url.pathname === '/middle') ${breaks('of middleware')} return next(); };`,
      'src/pages/index.astro': '<p>home</p>',
      'src/pages/orders/[id].astro': `---\nconst { id } = Astro.params;\nif (id) ${breaks('of a page')}\n---\n<p>order</p>`,
      'src/pages/boom.js': `export const GET = () => { ${breaks('of an endpoint')} };`,
      'src/pages/refused.js': `export const GET = () => new Response('no', { status: 403 });`,
      'src/components/Late.astro': `---\nawait new Promise((done) => setTimeout(done, 50));\n${breaks('of a stream')}\n---\n<p>late</p>`,
      'src/pages/stream.astro': `---\nimport Late from '../components/Late.astro';\n---\n<html lang="en"><body><p>first</p><Late /></body></html>`,
    };
    for (const [name, text] of Object.entries(files)) host.write(name, text);
    const build = [join(host.path, 'node_modules/astro/bin/astro.mjs'), 'build'];
    const env = { ...process.env, ASTRO_TELEMETRY_DISABLED: '1' };
    await promisify(execFile)(process.execPath, build, { cwd: host.path, env });
  }, INSTALL_MAX_MS);
  afterAll(() => host?.remove());

  it('reports what pages, endpoints, middleware and streams throw, and no refusal', async () => {
    const server = await started(host, ['dist/server/entry.mjs']);
    try {
      for (const path of ['/orders/7', '/boom', '/middle']) expect(await server.status(path)).toBe(500);
      expect(await server.status('/refused')).toBe(403);
      await server.status('/stream').catch(() => {});
      await eventually(() =>
        expect(failures()).toEqual([
          'of a page /orders/7 500',
          'of an endpoint /boom 500',
          'of middleware /middle 500',
          expect.stringMatching(/^of a stream \/stream /),
        ]),
      );
      expect(routesOf(endpoint).slice(0, 2)).toEqual(['/orders/[id]', '/boom']);
    } finally {
      await server.stop();
    }
  }, 120_000);
});
