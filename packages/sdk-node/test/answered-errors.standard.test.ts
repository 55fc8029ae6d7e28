import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isRecord, type RecordingEndpoint, startRecordingEndpoint } from './support/recording-endpoint.ts';
import { connectedTo, type Programs, programs } from './support/run-program.ts';

/** Frameworks that answer their own errors, each with the line that the README names for it. */

const INSTALL_MAX_MS = 300_000;

let endpoint: RecordingEndpoint;
beforeEach(async () => {
  endpoint = await startRecordingEndpoint();
});
afterEach(() => endpoint.close());

const START = `
import { captureException, flush, getDiagnostics, init, withJob } from '@culprit/node';
init({ capture: { outgoing: false } });
const ready = async () => { while (getDiagnostics().policyPreset === null) await new Promise((done) => setTimeout(done, 20)); };
const get = async (port, path, options) => { const answer = await fetch('http://127.0.0.1:' + port + path, options); await answer.text(); return answer.status; };
const end = async (stop) => { await flush(); await stop?.(); process.exit(0); };
`;

async function broken(
  packages: Readonly<Record<string, string>>,
  source: string,
  version: '20' | '24' = '24',
) {
  const host = await programs(packages);
  try {
    return await runProgram(host, START + source, version);
  } finally {
    await host.folder.remove();
  }
}

async function runProgram(host: Programs, source: string, version: '20' | '24') {
  const ended = await host.run('app.mjs', source, { version, env: connectedTo(endpoint.url) });
  expect(ended, ended.stderr).toMatchObject({ code: 0 });
  expect(endpoint.faults).toEqual([]);
  const events = endpoint.events().map(({ event_type: type, payload, correlation }) => {
    const { name, message, path, response_status, request, response, logs } = isRecord(payload)
      ? payload
      : {};
    const asked = isRecord(request) ? request : {};
    const { status_code: status = response_status } = isRecord(response) ? response : {};
    return {
      type,
      failure: name === undefined ? null : `${name}: ${message}`,
      path: path ?? asked.path ?? null,
      template: asked.route_template ?? null,
      status: status ?? null,
      logs: Array.isArray(logs) ? logs.map((line) => Object(line).message) : [],
      request: Object(correlation).request_id,
    };
  });
  return { events, stdout: ended.stdout, stderr: ended.stderr };
}

const failureAt = (path: string | null, failure = 'TypeError: no stock', status: number | null = 500) => ({
  type: 'backend_exception',
  failure,
  path,
  status,
});

describe('NestJS, as its starter begins', () => {
  const STARTER = {
    'src/app.service.ts': `import { Injectable } from '@nestjs/common';
      @Injectable() export class AppService { getHello(): string { return 'Hello World!'; } }`,
    'src/app.controller.ts': `
      import { MessagePattern, Payload, RpcException } from '@nestjs/microservices';
      import { setTag, setUser } from '@culprit/node';
      import { BadRequestException, CanActivate, Catch, Controller, Get, ParseIntPipe, Param, Sse, UnauthorizedException, UseFilters, UseGuards } from '@nestjs/common';
      import { concat, of, throwError } from 'rxjs';
      import { AppService } from './app.service';
      @Catch() class AnswersAll { catch(error, host) { host.switchToHttp().getResponse().status(error instanceof RangeError ? 409 : 500).end(); } }
      @Catch(RangeError) class OwnFilter { catch(_error, host) { host.switchToHttp().getResponse().status(503).end(); } }
      class Refuses { canActivate() { throw new UnauthorizedException(); } }
      class Breaks { canActivate() { throw new TypeError('no guard'); } }
      @Controller() export class AppController {
        constructor(private readonly appService: AppService) {}
        @Get() getHello(): string { return this.appService.getHello(); }
        @Get('boom/:id') boom(): string { const order: any = undefined; return String(order.total!.cents); }
        @Get('later/:id') async later() { throw new TypeError('later'); }
        @Get('bad/:id') bad(@Param('id', ParseIntPipe) id: number) { throw new BadRequestException(id); }
        @UseFilters(new OwnFilter()) @Get('filtered') filtered() { throw new RangeError('filtered'); }
        @UseGuards(new Refuses()) @Get('refused') refused() { return ''; }
        @UseGuards(new Breaks()) @Get('guarded') guarded() { return ''; }
        @UseFilters(AnswersAll) @UseGuards(Breaks) @Get('hidden/:id') hidden() { return ''; }
        @UseFilters(AnswersAll) @Get('conflict') conflict() { throw new RangeError('conflict'); }
        @Sse('events') events() { return concat(of({ data: 'first' }), throwError(() => new TypeError('no events'))); }
        @MessagePattern('sum') async sum(@Payload() id: string) { setUser({ id }); setTag('of', id); console.log('sum of', id); await new Promise((done) => setTimeout(done, 20)); throw new TypeError('no sum'); }
        @MessagePattern('told') told() { throw new RpcException('not yours'); }
      }`,
    'src/app.module.ts': `
      import { Module } from '@nestjs/common';
      import { culpritModule } from '@culprit/node/nest';
      import { AppController } from './app.controller';
      import { AppService } from './app.service';
      @Module({ imports: [culpritModule()], controllers: [AppController], providers: [AppService] })
      export class AppModule {}`,
    'src/main.ts': `${START}
      import { NestFactory } from '@nestjs/core';
      import { AppModule } from './app.module';
      const app = await NestFactory.create(AppModule);
      const { createServer } = await import('node:net');
      const freePort = () => new Promise((done) => { const probe = createServer().listen(0, () => { const { port } = probe.address(); probe.close(() => done(port)); }); });
      const { ClientProxyFactory, Transport } = await import('@nestjs/microservices');
      const options = { transport: Transport.TCP, options: { port: await freePort() } };
      app.connectMicroservice(options, { inheritAppConfig: true });
      await app.startAllMicroservices();
      await app.listen(0);
      await ready();
      const { port } = app.getHttpServer().address();
      const client = ClientProxyFactory.create(options);
      const sent = [['sum', 'ada'], ['sum', 'bob'], ['told', '']];
      const answers = sent.map(([pattern, id]) => new Promise((done) => client.send(pattern, id).subscribe({ error: ({ message }) => done('/' + pattern + ' ' + message) })));
      process.stdout.write((await Promise.all(answers)).join('\\n') + '\\n');
      client.close();
      for (const path of ['/', '/boom/7', '/later/7', '/bad/x', '/filtered', '/refused', '/guarded', '/hidden/7', '/conflict', '/events'])
        process.stdout.write(path + ' ' + (await get(port, path, { headers: { 'x-request-id': path } })) + '\\n');
      await end(() => app.close());`,
  };

  it(
    'reports what handlers, pipes, guards and messages throw, and leaves answers and filters alone',
    async () => {
      const packages = [
        '@nestjs/common',
        '@nestjs/core',
        '@nestjs/microservices',
        '@nestjs/platform-express',
        'reflect-metadata',
        'rxjs',
      ];
      const host = await programs(Object.fromEntries(packages.map((name) => [name, name])));
      try {
        for (const [name, text] of Object.entries(STARTER)) host.folder.write(name, text);
        const bundler = await rolldown({
          input: join(host.folder.path, 'src/main.ts'),
          platform: 'node',
          external: [/^@nestjs/, /^@culprit/, 'rxjs', 'reflect-metadata'],
          transform: { decorator: { legacy: true, emitDecoratorMetadata: true } },
          onLog: () => {},
        });
        const { output } = await bundler.generate({ format: 'esm', codeSplitting: false });
        await bundler.close();
        const { events, stdout } = await runProgram(host, output[0].code, '24');
        expect(stdout.split('\n').filter((line) => line.startsWith('/'))).toEqual([
          ...[
            '/sum Internal server error',
            '/sum Internal server error',
            '/told not yours',
            '/ 200',
            '/boom/7 500',
            '/later/7 500',
            '/bad/x 400',
            '/filtered 503',
            '/refused 401',
          ],
          '/guarded 500',
          ...['/hidden/7 500', '/conflict 409', '/events 200'],
        ]);
        expect(events).toMatchObject([
          { ...failureAt(null, 'TypeError: no sum', null), logs: ['sum of ada'] },
          { ...failureAt(null, 'TypeError: no sum', null), logs: ['sum of bob'] },
          {
            ...failureAt('/boom/7', "TypeError: Cannot read properties of undefined (reading 'total')"),
            template: '/boom/:id',
          },
          { ...failureAt('/later/7', 'TypeError: later'), template: '/later/:id' },
          failureAt('/filtered', 'RangeError: filtered', 503),
          { ...failureAt('/guarded', 'TypeError: no guard'), template: '/guarded' },
          { ...failureAt('/hidden/7', 'TypeError: no guard'), template: '/hidden/:id' },
          failureAt('/events', 'TypeError: no events', 200),
        ]);
        expect(events).toHaveLength(8);
        const job = { name: 'AppController.sum' };
        expect(endpoint.events().slice(0, 2)).toMatchObject([
          { context: { job, user: { id: 'ada' }, tags: { of: 'ada' } } },
          { context: { job, user: { id: 'bob' }, tags: { of: 'bob' } } },
        ]);
      } finally {
        await host.folder.remove();
      }
    },
    INSTALL_MAX_MS,
  );
});

describe('Koa', () => {
  const APP = `
    import Koa from 'koa';
    import { middleware } from '@culprit/node/koa';
    const app = new Koa();
    app.use(middleware());
    app.use(async (context, next) => {
      try { await next(); } catch (error) {
        context.status = error.status || 500;
        context.body = error.message;
        context.app.emit('error', error, context);
      }
    });
    app.use((context) => {
      if (context.path === '/refused') context.throw(403, 'not yours');
      throw new TypeError('no stock');
    });`;

  it.each(['20', '24'] as const)(
    'reports what an error handler of the application emits, and Koa prints it as ever, on Node %s',
    async (version) => {
      const { events, stderr } = await broken(
        { koa: 'koa' },
        `${APP}
        const server = app.listen(0, async () => {
          await ready();
          for (const path of ['/', '/refused', '/again']) await get(server.address().port, path);
          await end();
        });`,
        version,
      );
      expect(events).toMatchObject([failureAt('/'), failureAt('/again')]);
      expect(events).toHaveLength(2);
      expect(stderr.match(/TypeError: no stock/g)).toHaveLength(2);
    },
    INSTALL_MAX_MS,
  );
});

describe('requests that come by no server of node:http', () => {
  it(
    'Fastify by inject: a failure has its request and its own trail, a refusal is none',
    async () => {
      const { events } = await broken(
        { fastify: 'fastify' },
        `
        import fastify from 'fastify';
        const app = fastify();
        app.setErrorHandler((error, _request, reply) => {
          if (error.message === 'unauthorized') return reply.code(401).send('');
          throw error;
        });
        app.get('/orders/:id', async (request) => { console.log('order', request.params.id); throw new TypeError('no stock'); });
        app.get('/bad', async () => { throw Object.assign(new Error('bad'), { statusCode: 400 }); });
        app.get('/own', async () => { throw new Error('unauthorized'); });
        app.get('/quiet', (_request, reply) => { reply.code(503).send(''); });
        app.get('/response', async () => { throw new Response('', { status: 302 }); });
        await ready();
        for (const url of ['/orders/7?x=1', '/orders/8', '/bad', '/own', '/quiet', '/missing'])
          await app.inject({ url, headers: { 'x-request-id': url } });
        await end();`,
      );
      expect(events).toMatchObject([
        { ...failureAt('/orders/7'), template: '/orders/:id', logs: ['order 7'], request: '/orders/7?x=1' },
        { ...failureAt('/orders/8'), logs: ['order 8'] },
        { type: 'request_event', path: '/quiet', status: 503 },
      ]);
      expect(events).toHaveLength(3);
    },
    INSTALL_MAX_MS,
  );

  it(
    'Hono: what is thrown as far as the server, although it is no Error',
    async () => {
      const { events } = await broken(
        { hono: 'hono' },
        `
        import { Hono } from 'hono';
        import { middleware } from '@culprit/node/hono';
        const app = new Hono();
        app.use(middleware());
        app.get('/orders/:id', () => { throw 'no stock'; });
        await ready();
        console.log(await app.request('/orders/7').catch((thrown) => thrown));
        await end();`,
      );
      expect(events).toMatchObject([
        { ...failureAt('/orders/7', 'Error: no stock'), template: '/orders/:id' },
      ]);
      expect(events).toHaveLength(1);
    },
    INSTALL_MAX_MS,
  );

  it(
    'Express in a function: a failure has method and path, a refusal is none',
    async () => {
      const { events } = await broken(
        { express: 'express', 'serverless-http': 'serverless-http' },
        `
        import express from 'express';
        import serverless from 'serverless-http';
        import { withLambda } from '@culprit/node/lambda';
        const app = express();
        app.get('/orders/:id', () => { throw new TypeError('no stock'); });
        app.get('/refused', () => { throw Object.assign(new Error('bad'), { status: 400 }); });
        const wrapped = withLambda(serverless(app));
        const bare = serverless(app);
        await ready();
        const event = (path) => ({ version: '2.0', rawPath: path, rawQueryString: 'page=2', headers: { 'X-Request-Id': path }, routeKey: '$default', requestContext: { http: { method: 'GET', path } } });
        for (const path of ['/orders/7', '/refused']) for (const handler of [wrapped, bare]) await handler(event(path), {});
        await end();`,
      );
      expect(events).toMatchObject([
        { ...failureAt('/orders/7'), request: '/orders/7' },
        failureAt('/orders/7', 'TypeError: no stock', null),
      ]);
      expect(events).toHaveLength(2);
    },
    INSTALL_MAX_MS,
  );

  it(
    'HTTP/2: a failure has its request and its trail',
    async () => {
      const { events } = await broken(
        {},
        `
        import { connect, createServer } from 'node:http2';
        const server = createServer((request, response) => {
          console.log('asked', request.url);
          if (request.url === '/error') { console.error(new TypeError('no stock')); }
          response.statusCode = request.url === '/missing' ? 404 : 500;
          response.end();
        });
        await new Promise((done) => server.listen(0, done));
        await ready();
        const session = connect('http://127.0.0.1:' + server.address().port);
        for (const path of ['/error', '/quiet?x=1', '/missing']) {
          const stream = session.request({ ':path': path, 'x-request-id': path });
          stream.resume();
          await new Promise((done) => stream.on('close', done));
        }
        await new Promise((done) => setTimeout(done, 50));
        session.close();
        await end();`,
      );
      expect(events).toMatchObject([
        { ...failureAt('/error'), logs: ['asked /error', 'TypeError: no stock'], request: '/error' },
        { type: 'request_event', path: '/quiet', status: 500, logs: ['asked /quiet?x=1'] },
      ]);
      expect(events).toHaveLength(2);
    },
    INSTALL_MAX_MS,
  );
});

describe('functions of AWS Lambda', () => {
  it(
    'are reported before they end: of a promise, of a callback and of a stream; they return what they return',
    async () => {
      const { events, stdout } = await broken(
        {},
        `
        import { withLambda } from '@culprit/node/lambda';
        const streaming = Symbol.for('aws.lambda.runtime.handler.streaming');
        const sent = () => getDiagnostics().waiting;
        const attempt = async (run) => { try { return await run(); } catch (error) { return error.message + ' ' + sent(); } };
        await ready();
        const http = { httpMethod: 'POST', path: '/orders/7', resource: '/orders/{id}', headers: {}, queryStringParameters: { page: '2' } };
        const stream = Object.assign(async (event, out) => { out.push(1); throw new TypeError('streamed'); }, { [streaming]: 'response' });
        const wrapped = withLambda(stream);
        const out = [];
        console.log(JSON.stringify([
          await attempt(() => withLambda(async () => ({ statusCode: 200 }))(http, {})),
          await attempt(() => withLambda(async () => ({ statusCode: 502 }))(http, {})),
          await attempt(() => withLambda(async () => { throw new TypeError('no stock'); })(http, {})),
          await attempt(() => withLambda((_event, _context, callback) => callback(null, 'called'))({}, {})),
          await attempt(() => withLambda((_event, _context, callback) => setTimeout(callback, 5, new TypeError('called')))({ Records: [] }, { functionName: 'orders' })),
          await attempt(() => wrapped({}, out, { functionName: 'stream' })),
          [wrapped[streaming], out],
        ]));
        await end();`,
      );
      expect(JSON.parse(stdout)).toEqual([
        { statusCode: 200 },
        { statusCode: 502 },
        ...['no stock 0', 'called', 'called 0', 'streamed 0'],
        ['response', [1]],
      ]);
      expect(events).toMatchObject([
        { type: 'request_event', path: '/orders/7', status: 502 },
        { ...failureAt('/orders/7'), template: '/orders/{id}' },
        failureAt(null, 'TypeError: called', null),
        failureAt(null, 'TypeError: streamed', null),
      ]);
    },
    INSTALL_MAX_MS,
  );
});

describe('an invocation of AWS Lambda that runs out of time', () => {
  it(
    'is reported while it still runs, with its trail and its id',
    async () => {
      const { events } = await broken(
        {},
        `
        import { withLambda } from '@culprit/node/lambda';
        await ready();
        const context = { functionName: 'orders', awsRequestId: 'r-1', getRemainingTimeInMillis: () => 300 };
        void withLambda(async () => { console.log('asking the store'); await new Promise(() => {}); })({ Records: [] }, context);
        const alive = setInterval(() => { if (getDiagnostics().sent > 0) process.exit(0); }, 10);`,
      );
      expect(events).toMatchObject([
        { failure: 'LambdaTimeout: orders did not end in its time', logs: ['asking the store'] },
      ]);
      expect(endpoint.events()[0]).toMatchObject({
        context: { job: { name: 'orders' }, lambda: { request_id: 'r-1' } },
      });
    },
    INSTALL_MAX_MS,
  );

  it(
    'waits no longer than the time that is left for an endpoint that does not answer',
    async () => {
      const { stdout } = await broken(
        {},
        `
        import { withLambda } from '@culprit/node/lambda';
        import { createServer } from 'node:net';
        const silent = createServer(() => {});
        await new Promise((done) => silent.listen(0, '127.0.0.1', done));
        await (await import('@culprit/node')).close();
        init({ endpoint: 'http://127.0.0.1:' + silent.address().port, spool: false, crashTimeoutMs: 0 });
        const fails = withLambda(async () => { throw new TypeError('no stock'); });
        const invoked = fails({}, { getRemainingTimeInMillis: () => 110 }).catch((error) => error.message);
        console.log(await Promise.race([invoked, new Promise((done) => setTimeout(done, 450, 'frozen'))]));
        process.exit(0);`,
      );
      expect(stdout).toBe('no stock\n');
    },
    INSTALL_MAX_MS,
  );
});

describe('clients that hang up', () => {
  const HANG_UP = `
    import { connect } from 'node:net';
    const hangUp = (port) => new Promise((done) => {
      const socket = connect(port, '127.0.0.1', () => {
        socket.write('POST /upload HTTP/1.1\\r\\nhost: a\\r\\ncontent-type: application/json\\r\\ncontent-length: 100000\\r\\n\\r\\n{"a": 1');
        setTimeout(() => { socket.destroy(); setTimeout(done, 100); }, 50);
      });
    });`;

  it.each([
    [
      'Express 5',
      { express: 'express' },
      `import express from 'express';
      const app = express();
      app.use(express.json());
      app.post('/upload', (_request, response) => response.end());
      const server = app.listen(0, async () => { await ready(); await hangUp(server.address().port); await end(); });`,
    ],
    [
      'Express 4 with a handler that prints',
      { express: 'express-4' },
      `import express from 'express';
      import { errorHandler } from '@culprit/node/express';
      const app = express();
      app.use(express.json());
      app.post('/upload', (_request, response) => response.end());
      app.use(errorHandler());
      app.use((error, _request, response, _next) => { console.error(error); response.status(500).end(); });
      const server = app.listen(0, async () => { await ready(); await hangUp(server.address().port); await end(); });`,
    ],
    [
      'Fastify 5',
      { fastify: 'fastify' },
      `import fastify from 'fastify';
      const app = fastify();
      app.post('/upload', async () => '');
      await app.listen({ port: 0, host: '127.0.0.1' });
      await ready();
      await hangUp(app.server.address().port);
      await end();`,
    ],
  ] as const)(
    '%s: no incident',
    async (_name, packages, source) => {
      const { events } = await broken(packages, HANG_UP + source);
      expect(events).toEqual([]);
    },
    INSTALL_MAX_MS,
  );
});

describe('servers that answer by their own rules', () => {
  it(
    'Fastify: a stream that fails behind the first byte, which it logs as a warning, and without a logger nowhere',
    async () => {
      const { events } = await broken(
        { fastify: 'fastify' },
        `
        import fastify from 'fastify';
        import { Readable } from 'node:stream';
        const app = fastify({ logger: { stream: { write() {} } } });
        const quiet = fastify();
        for (const each of [app, quiet]) each.get('/report', async (_request, reply) => reply.send(Readable.from((async function* () { yield 'first'; throw new TypeError('no stock'); })())));
        app.get('/warned', async (request) => { request.log.warn(new Error('slow'), 'slow'); return 'fine'; });
        for (const each of [app, quiet]) await each.listen({ port: 0, host: '127.0.0.1' });
        await ready();
        for (const path of ['/report', '/warned']) await get(app.server.address().port, path).catch(() => {});
        await get(quiet.server.address().port, '/report').catch(() => {});
        await end(() => app.close());`,
      );
      expect(events).toMatchObject([
        failureAt('/report', 'TypeError: no stock', null),
        { type: 'log_event' },
        failureAt('/report', 'TypeError: no stock', null),
      ]);
      expect(events).toHaveLength(3);
    },
    INSTALL_MAX_MS,
  );

  it(
    'hapi: what a handler throws, before it is answered, also by the application itself',
    async () => {
      const { events } = await broken(
        { '@hapi/hapi': '@hapi/hapi' },
        `
        import hapi from '@hapi/hapi';
        import { plugin } from '@culprit/node/hapi';
        const server = hapi.server({ port: 0, host: '127.0.0.1', debug: false });
        server.ext('onPreResponse', ({ response, path }, h) => path.startsWith('/own') ? h.response('own').code(path === '/own/7' ? 500 : 404) : h.continue);
        await server.register(plugin);
        server.route({ method: 'GET', path: '/orders/{id}', handler: () => { throw new TypeError('no stock'); } });
        server.route({ method: 'GET', path: '/refused', handler: () => { throw Object.assign(new Error('no'), { isBoom: true, output: { statusCode: 403, payload: {}, headers: {} } }); } });
        server.route({ method: 'GET', path: '/own/{id}', handler: () => { throw new TypeError('no stock'); } });
        await server.start();
        await ready();
        for (const path of ['/orders/7', '/refused', '/missing', '/own/7', '/own/8']) await get(server.info.port, path);
        await end(() => server.stop());`,
      );
      expect(events).toMatchObject([
        { ...failureAt('/orders/7'), template: '/orders/{id}' },
        { ...failureAt('/own/7'), template: '/own/{id}' },
      ]);
      expect(events).toHaveLength(2);
    },
    INSTALL_MAX_MS,
  );

  it(
    'tRPC: what its onError is given, refusals of procedures left out',
    async () => {
      const { events } = await broken(
        { '@trpc/server': '@trpc/server' },
        `
        import { initTRPC, TRPCError } from '@trpc/server';
        import { createHTTPServer } from '@trpc/server/adapters/standalone';
        const t = initTRPC.create();
        const router = t.router({
          order: t.procedure.query(() => { throw new TypeError('no stock'); }),
          refused: t.procedure.query(() => { throw new TRPCError({ code: 'FORBIDDEN' }); }),
        });
        const server = createHTTPServer({ router, onError: ({ error }) => {
          if (error.code === 'INTERNAL_SERVER_ERROR') captureException(error.cause ?? error);
        } });
        server.listen(0);
        await ready();
        for (const path of ['/order', '/refused', '/missing']) await get(server.address().port, path);
        await end();`,
      );
      expect(events).toMatchObject([failureAt('/order')]);
      expect(events).toHaveLength(1);
    },
    INSTALL_MAX_MS,
  );

  const QUERIES = `
    const ask = (port, query) => get(port, '/graphql', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ query }) });
    const resolvers = { Query: {
      order: () => { throw new TypeError('no stock'); },
      orders: () => [{}, {}, {}],
      refused: () => { throw new GraphQLError('not yours', { extensions: { code: 'FORBIDDEN' } }); },
      plain: () => { throw new GraphQLError('too late to cancel'); },
    }, Order: { name: async () => { await 1; throw new RangeError('no name'); } } };
    const typeDefs = 'type Query { order: String, orders: [Order], refused: String, plain: String } type Order { name: String }';`;

  it(
    'GraphQL Yoga: what a resolver throws, although the answer is 200, once for all items of a list',
    async () => {
      const { events } = await broken(
        { 'graphql-yoga': 'graphql-yoga', graphql: 'graphql' },
        `
        import { createServer } from 'node:http';
        import { GraphQLError } from 'graphql';
        import { createSchema, createYoga, useErrorHandler } from 'graphql-yoga';
        import { reportErrors } from '@culprit/node/graphql';
        ${QUERIES}
        const yoga = createYoga({ schema: createSchema({ typeDefs, resolvers }), logging: false, plugins: [useErrorHandler(({ errors }) => reportErrors(errors))] });
        const server = createServer(yoga).listen(0);
        await ready();
        for (const query of ['{ order }', '{ refused }', '{ plain }', '{ missing }', '{ orders { name } }']) await ask(server.address().port, query);
        await end();`,
      );
      expect(events).toMatchObject([
        failureAt('/graphql', 'TypeError: no stock', 200),
        failureAt('/graphql', 'RangeError: no name', 200),
      ]);
      expect(events).toHaveLength(2);
    },
    INSTALL_MAX_MS,
  );

  it(
    'Apollo Server: the same by a plugin',
    async () => {
      const { events } = await broken(
        { '@apollo/server': '@apollo/server', graphql: 'graphql' },
        `
        import { ApolloServer } from '@apollo/server';
        import { startStandaloneServer } from '@apollo/server/standalone';
        import { GraphQLError } from 'graphql';
        import { reportErrors } from '@culprit/node/graphql';
        ${QUERIES}
        const report = { async requestDidStart() { return { async didEncounterErrors({ errors }) { reportErrors(errors); } }; } };
        const server = new ApolloServer({ typeDefs, resolvers, plugins: [report] });
        const { url } = await startStandaloneServer(server, { listen: { port: 0 } });
        await ready();
        for (const query of ['{ order }', '{ refused }', '{ plain }', '{ missing }']) await ask(new URL(url).port, query);
        await end();`,
      );
      expect(events).toMatchObject([failureAt('/graphql', 'TypeError: no stock', 200)]);
      expect(events).toHaveLength(1);
    },
    INSTALL_MAX_MS,
  );

  it(
    'Next.js: what onRequestError is given, whatever was answered, with the template below basePath',
    async () => {
      const { events } = await broken(
        {},
        `
        import { createServer } from 'node:http';
        import { onRequestError } from '@culprit/node/next';
        const server = createServer((request, response) => {
          response.write('<html>');
          onRequestError(new TypeError('no stock'), { path: request.url, method: 'GET', headers: request.headers }, { routePath: '/(shop)/orders/[id]' });
          response.end();
        }).listen(0);
        await ready();
        await get(server.address().port, '/base/orders/7?x=1');
        await end();`,
      );
      expect(events).toMatchObject([
        { ...failureAt('/base/orders/7', 'TypeError: no stock', 200), template: '/base/orders/[id]' },
      ]);
      expect(events).toHaveLength(1);
    },
    INSTALL_MAX_MS,
  );
});
