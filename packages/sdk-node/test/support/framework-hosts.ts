/** Small applications with one route that throws, one that answers 500 and one that refuses with 400. */

export interface FrameworkHost {
  name: string;
  /** What `hostFolder` links. */
  packages: Record<string, string>;
  framework: string;
  /** Lines that import what the application needs, as `[names, module]`. */
  imports: readonly (readonly [names: string, from: string])[];
  /** Defines `listen(done)`, which calls `done` with the port, and `stop()`. */
  body: string;
}

const LISTEN = `
const server = createServer(listener);
const listen = (done) => server.listen(0, '127.0.0.1', () => done(server.address().port));
const stop = () => { server.close(); server.closeAllConnections(); };`;

const ROUTES = `
const setScope = () => { setTag('plan', 'solo'); };
const fail = () => { setScope(); throw new TypeError('no stock'); };
const refuse = () => { throw Object.assign(new Error('bad input'), { status: 400, statusCode: 400 }); };`;

function express(name: string, installed: string, last: string): FrameworkHost {
  return {
    name,
    packages: { express: installed },
    framework: 'express',
    imports: [
      ['express', 'express'],
      ['{ createServer }', 'node:http'],
      ...(last === '' ? [] : [['{ errorHandler }', '@culprit/node/express'] as const]),
    ],
    body: `${ROUTES}
const app = express();
const router = express.Router();
router.get('/:id', (request, response, next) => { try { fail(); } catch (error) { next(error); } });
app.use('/orders', router);
app.get('/items/:id', (request, response) => fail());
app.get('/refused', () => refuse());
app.get('/quiet', (request, response) => response.status(500).end());
${last}
const listener = app;${LISTEN}`,
  };
}

function fastify(name: string, installed: string): FrameworkHost {
  return {
    name,
    packages: { fastify: installed },
    framework: 'fastify',
    imports: [['fastify', 'fastify']],
    body: `${ROUTES}
const app = fastify();
app.get('/orders/:id', async () => fail());
app.get('/items/:id', (request, reply) => { try { fail(); } catch (error) { reply.send(error); } });
app.get('/refused', async () => refuse());
app.get('/quiet', (request, reply) => { reply.code(500).send(''); });
const listen = (done) => app.listen({ port: 0, host: '127.0.0.1' }).then(() => done(app.server.address().port));
const stop = () => { app.server.closeAllConnections(); return app.close(); };`,
  };
}

function koa(name: string, installed: string): FrameworkHost {
  return {
    name,
    packages: { koa: installed, '@koa/router': '@koa/router' },
    framework: 'koa',
    imports: [
      ['Koa', 'koa'],
      ['Router', '@koa/router'],
      ['{ createServer }', 'node:http'],
      ['{ middleware }', '@culprit/node/koa'],
    ],
    body: `${ROUTES}
const app = new Koa();
app.use(middleware());
const router = new (Router.default ?? Router.Router ?? Router)();
router.get('/orders/:id', async () => fail());
router.get('/items/:id', () => fail());
router.get('/refused', () => refuse());
router.get('/quiet', (context) => { context.status = 500; });
app.use(router.routes());
const listener = app.callback();${LISTEN}`,
  };
}

/** Those that need no line, then those with their one line (docs/contract/clients.md 4.4). */
export const FRAMEWORK_HOSTS: readonly FrameworkHost[] = [
  express('Express 5.3', 'express', ''),
  fastify('Fastify 5', 'fastify'),
  fastify('Fastify 4', 'fastify-4'),
  express('Express 5.0', 'express-5.0', 'app.use(errorHandler());'),
  express('Express 4', 'express-4', 'app.use(errorHandler());'),
  koa('Koa 3', 'koa'),
  koa('Koa 2', 'koa-2'),
  {
    name: 'Hono 4',
    packages: { hono: 'hono', '@hono/node-server': '@hono/node-server' },
    framework: 'hono',
    imports: [
      ['{ Hono }', 'hono'],
      ['{ serve }', '@hono/node-server'],
      ['{ middleware }', '@culprit/node/hono'],
    ],
    body: `${ROUTES}
const app = new Hono();
app.use(middleware());
app.onError((error, context) => context.text('failed', error.status ?? 500));
app.get('/orders/:id', async () => fail());
app.get('/items/:id', () => fail());
app.get('/refused', () => refuse());
app.get('/quiet', (context) => context.text('', 500));
let server;
const listen = (done) => { server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => done(port)); };
const stop = () => { server.close(); server.closeAllConnections(); };`,
  },
];

const MAIN = `
listen(async (port) => {
  const get = async (path) => (await fetch('http://127.0.0.1:' + port + path, { headers: { 'x-request-id': path } })).text();
  while (getDiagnostics().policyPreset === null) await new Promise((done) => setTimeout(done, 20));
  for (const path of ['/orders/7?page=2', '/items/9', '/refused', '/quiet']) await get(path);
  await flush();
  await stop();
});`;

const OWN = '{ flush, getDiagnostics, init, setTag }';

/** The program as a module, with every import before `init`. */
export function asModule({ imports, body }: FrameworkHost): string {
  const lines = [...imports, [OWN, '@culprit/node'] as const].map(
    ([names, from]) => `import ${names} from '${from}';`,
  );
  return `${lines.join('\n')}\ninit({ capture: { outgoing: false } });\n${body}${MAIN}`;
}

/** The same as CommonJS. */
export function asCommonJs({ imports, body }: FrameworkHost): string {
  const lines = [...imports, [OWN, '@culprit/node'] as const].map(
    ([names, from]) => `const ${names} = require('${from}');`,
  );
  return `${lines.join('\n')}\ninit({ capture: { outgoing: false } });\n${body}${MAIN}`;
}
