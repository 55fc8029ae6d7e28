import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type HostFolder, installedFolder } from '../../sdk-test-hosts/hosts.ts';
import { eventually } from '../../server/test/support/eventually.ts';
import { failuresOf, routesOf, startBuilt } from './support/built-server.ts';
import { type RecordingEndpoint, startRecordingEndpoint } from './support/recording-endpoint.ts';

/** Servers of the README that need one line or none, as their documentation begins, each with two users at once. */

const INSTALL_MAX_MS = 300_000;
const USER_AGENT = 'Mozilla/5.0 (X11; Linux x64) Chrome/140.0.0.0 Safari/537.36';

let endpoint: RecordingEndpoint;
beforeEach(async () => {
  endpoint = await startRecordingEndpoint();
});
afterEach(() => endpoint.close());

const usersOf = () =>
  endpoint
    .events()
    .map(({ payload, context }) => `${Object(payload).request?.path} ${Object(context).user?.id}`)
    .sort();

const LATER = `const later = (id) => { setUser({ id }); return new Promise((done) => setTimeout(done, 30)); };`;
const IMPORTS = `import { captureException, currentScope, setUser } from '@culprit/node';\n${LATER}`;
const PORT = 'Number(process.env.PORT)';
const STREAM = `new Response(new ReadableStream({ async start(c) { c.enqueue(new TextEncoder().encode('a')); await later(); c.error(new Error('of a stream')); } }))`;

describe('small servers', () => {
  let host: HostFolder;
  beforeAll(async () => {
    host = await installedFolder({
      ...{ elysia: '1.4.30', '@elysiajs/node': '1.4.5', h3: '2.0.8', srvx: '1.0.8' },
      ...{ '@hattip/adapter-node': '0.0.49', '@hattip/router': '0.0.49' },
    });
  }, INSTALL_MAX_MS);
  afterAll(() => host?.remove());

  it.each([
    [
      'Elysia',
      `import { Elysia } from 'elysia'; import { node } from '@elysiajs/node';
       new Elysia({ adapter: node() })
         .onError(({ error, route, set }) => { currentScope().setRoute(route); if (!(Number(set.status) < 500)) captureException(error); })
         .get('/', () => 'home')
         .get('/orders/:id', async ({ params }) => { await later(params.id); throw new TypeError('of a route'); })
         .get('/refused', ({ status }) => status(403, 'no'))
         .listen(${PORT});`,
      ['/orders/:id', '/orders/:id'],
      [],
    ],
    [
      'h3 2',
      `import { H3, HTTPError, serve } from 'h3';
       const app = new H3().get('/', () => 'home')
         .get('/orders/:id', async (event) => { await later(event.context.params.id); throw new TypeError('of a route'); })
         .get('/refused', () => { throw new HTTPError({ status: 403 }); });
       serve(app, { port: ${PORT} });`,
      [null, null],
      [],
    ],
    [
      'Hattip',
      `import { createServer } from '@hattip/adapter-node'; import { createRouter } from '@hattip/router';
       const router = createRouter();
       router.get('/', () => new Response('home'));
       router.get('/orders/:id', async ({ params }) => { await later(params.id); throw new TypeError('of a route'); });
       router.get('/refused', () => new Response('no', { status: 403 }));
       router.get('/stream', () => ${STREAM});
       createServer(router.buildHandler()).listen(${PORT});`,
      [null, null],
      ['of a stream /stream 200'],
    ],
    [
      'srvx',
      `import { serve } from 'srvx';
       serve({ port: ${PORT}, async fetch({ url }) {
         const { pathname } = new URL(url);
         if (pathname === '/refused') return new Response('no', { status: 403 });
         if (!pathname.startsWith('/orders/')) return new Response('home');
         await later(pathname.slice(8));
         throw new TypeError('of a route');
       } });`,
      [null, null],
      [],
    ],
  ])(
    '%s: what routes and streams throw, and no refusal',
    async (name, source, routes, streams) => {
      const file = host.write(`${name}.mjs`, `${IMPORTS}\n${source}`);
      const server = await startBuilt(endpoint, host, [file]);
      try {
        const answers = ['/orders/7', '/orders/8', '/refused'].map((path) => server.status(path));
        expect(await Promise.all(answers)).toEqual([500, 500, 403]);
        if (streams.length > 0) await server.status('/stream').catch(() => {});
        const thrown = ['of a route /orders/7 500', 'of a route /orders/8 500'];
        await eventually(() => expect(failuresOf(endpoint).sort()).toEqual([...thrown, ...streams]));
        expect(usersOf().slice(0, 2)).toEqual(['/orders/7 7', '/orders/8 8']);
        expect(routesOf(endpoint).slice(0, 2)).toEqual(routes);
      } finally {
        await server.stop();
      }
    },
    120_000,
  );
});

describe('TanStack Start', () => {
  let host: HostFolder;
  beforeAll(async () => {
    host = await installedFolder({
      ...{ '@tanstack/react-start': '1.169.5', '@tanstack/react-router': '1', srvx: '1.0.8' },
      ...{ react: '19.3.1', 'react-dom': '19.3.1', vite: '8.4.0', '@vitejs/plugin-react': '6' },
    });
    const route = (path: string, options: string, imports = '') =>
      `import { createFileRoute } from '@tanstack/react-router';\n${imports}\nexport const Route = createFileRoute('${path}')({ ${options} });`;
    const files: Record<string, string> = {
      'vite.config.js': `import { tanstackStart } from '@tanstack/react-start/plugin/vite'; import react from '@vitejs/plugin-react';
        export default { plugins: [tanstackStart(), react()] };`,
      'src/router.tsx': `import { createRouter } from '@tanstack/react-router'; import { routeTree } from './routeTree.gen';
        export const getRouter = () => createRouter({ routeTree });`,
      'src/server.ts': `import { createStartHandler, defaultStreamHandler, defineHandlerCallback } from '@tanstack/react-start/server';
        import { createServerEntry } from '@tanstack/react-start/server-entry';
        import { captureException, currentScope } from '@culprit/node';
        export default createServerEntry({ fetch: createStartHandler(defineHandlerCallback((context) => { const { matches } = context.router.state; currentScope().setRoute(matches.at(-1)?.fullPath); for (const { error } of matches) if (error) captureException(error); return defaultStreamHandler(context); })) });`,
      'src/routes/__root.tsx': `import { createRootRoute, HeadContent, Outlet, Scripts } from '@tanstack/react-router';
        export const Route = createRootRoute({ component: () => <html lang="en"><head><HeadContent /></head><body><Outlet /><Scripts /></body></html> });`,
      'src/routes/index.tsx': route('/', 'component: () => <p>home</p>'),
      'src/routes/orders.$id.tsx': route(
        '/orders/$id',
        `loader: async ({ params }) => { await later(params.id); throw new TypeError('of a loader'); }, component: () => null`,
        IMPORTS,
      ),
      'src/routes/api.$id.ts': route(
        '/api/$id',
        `server: { handlers: { GET: async ({ params }) => { await later(params.id); throw new TypeError('of an API'); } } }`,
        IMPORTS,
      ),
      'src/routes/late.tsx': route(
        '/late',
        `loader: () => ({ later: new Promise((_, fail) => setTimeout(fail, 50, new TypeError('of a stream'))) }),
         component: () => <Suspense fallback="wait"><Await promise={Route.useLoaderData().later}>{() => null}</Await></Suspense>`,
        `import { Await } from '@tanstack/react-router'; import { Suspense } from 'react';`,
      ),
    };
    for (const [name, text] of Object.entries(files)) host.write(name, text);
    const build = [join(host.path, 'node_modules/vite/bin/vite.js'), 'build'];
    // In the environment of tests React is built for development.
    const env = { ...process.env, NODE_ENV: 'production' };
    await promisify(execFile)(process.execPath, build, { cwd: host.path, env });
  }, INSTALL_MAX_MS);
  afterAll(() => host?.remove());

  it('reports what loaders, streams and routes of an API throw', async () => {
    const serve = [
      'node_modules/srvx/bin/srvx.mjs',
      'serve',
      '--prod',
      '-s',
      '../client',
      'dist/server/server.js',
    ];
    const server = await startBuilt(endpoint, host, serve);
    try {
      const headers = { 'user-agent': USER_AGENT };
      const paths = ['/orders/7', '/orders/8', '/api/9', '/late', '/none'];
      const answers = paths.map((path) => server.status(path, { headers }));
      expect(await Promise.all(answers)).toEqual([500, 500, 500, 200, 404]);
      await eventually(() =>
        expect(failuresOf(endpoint).sort()).toEqual([
          'of a loader /orders/7 500',
          'of a loader /orders/8 500',
          'of a stream /late 200',
          'of an API /api/9 500',
        ]),
      );
      expect(routesOf(endpoint).filter((route) => route === '/orders/$id')).toHaveLength(2);
    } finally {
      await server.stop();
    }
  }, 120_000);
});
