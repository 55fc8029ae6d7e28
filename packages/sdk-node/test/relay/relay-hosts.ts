import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { type HostFolder, hostFolder } from '../../../sdk-test-hosts/hosts.ts';

/** Applications with a relay, one for each way of mounting it, on the packed library. */

/** Behind the relay each has a handler for everything else, which answers with this. */
export const HOST_STATUS = 299;

interface HostProgram {
  packages: Readonly<Record<string, string>>;
  source: string;
}

const LISTEN = `
export async function listen(make) {
  const ports = {};
  for (const [name, options] of Object.entries(JSON.parse(process.env.RELAYS))) {
    const server = await make(options);
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    ports[name] = server.address().port;
  }
  console.log(JSON.stringify(ports));
  process.stdin.on('end', () => process.exit()).resume();
}`;

const EXPRESS = `
import http from 'node:http';
import express from 'express';
import { relay } from '@culprit/node/express';
import { listen } from './listen.mjs';
listen(({ isBehindParser, ...options }) => {
  const app = express();
  if (isBehindParser) app.use(express.json({ limit: '1mb' }));
  app.use('/culprit/browser', relay(options));
  app.use((request, response) => response.status(${HOST_STATUS}).send('host'));
  return http.createServer(app);
});`;

const FASTIFY = `
import Fastify from 'fastify';
import { relay } from '@culprit/node/fastify';
import { listen } from './listen.mjs';
listen(async ({ isBehindParser, ...options }) => {
  const app = Fastify();
  app.register(relay, { path: '/culprit/browser', ...options });
  app.setNotFoundHandler((request, reply) => reply.code(${HOST_STATUS}).send('host'));
  await app.ready();
  return app.server;
});`;

const KOA = `
import http from 'node:http';
import Koa from 'koa';
import { relay } from '@culprit/node/koa';
import { listen } from './listen.mjs';
listen(({ isBehindParser, ...options }) => {
  const app = new Koa();
  app.use(relay(options));
  app.use((context) => { context.status = ${HOST_STATUS}; context.body = 'host'; });
  return http.createServer(app.callback());
});`;

/** Every mount of docs/contract/clients.md 12.3 but Next.js, which has to be built. */
export const HOST_PROGRAMS: Readonly<Record<string, HostProgram>> = {
  'express 4': { packages: { express: 'express-4' }, source: EXPRESS },
  'express 5.0': { packages: { express: 'express-5.0' }, source: EXPRESS },
  express: { packages: { express: 'express' }, source: EXPRESS },
  'fastify 4': { packages: { fastify: 'fastify-4' }, source: FASTIFY },
  fastify: { packages: { fastify: 'fastify' }, source: FASTIFY },
  'koa 2': { packages: { koa: 'koa-2' }, source: KOA },
  koa: { packages: { koa: 'koa' }, source: KOA },
  hono: {
    packages: { hono: 'hono', '@hono/node-server': '@hono/node-server' },
    source: `
import { Hono } from 'hono';
import { createAdaptorServer } from '@hono/node-server';
import { relay } from '@culprit/node/hono';
import { listen } from './listen.mjs';
listen(({ isBehindParser, ...options }) => {
  const app = new Hono();
  app.all('/culprit/browser', relay(options));
  app.all('*', (context) => context.body('host', ${HOST_STATUS}));
  return createAdaptorServer(app);
});`,
  },
  'node:http': {
    packages: {},
    source: `
import http from 'node:http';
import { relayHandler } from '@culprit/node/http';
import { listen } from './listen.mjs';
listen(({ isBehindParser, ...options }) => {
  const relay = relayHandler(options);
  return http.createServer((request, response) => {
    if (relay(request, response)) return;
    response.statusCode = ${HOST_STATUS};
    response.end('host');
  });
});`,
  },
  fetch: {
    packages: { '@hono/node-server': '@hono/node-server' },
    source: `
import { createAdaptorServer } from '@hono/node-server';
import { relay } from '@culprit/node/fetch';
import { listen } from './listen.mjs';
listen(({ isBehindParser, ...options }) => {
  const answer = relay({ clientIp: () => '192.0.2.1', ...options });
  return createAdaptorServer({
    fetch: (request) =>
      new URL(request.url).pathname === '/culprit/browser' ? answer(request) : new Response('host', { status: ${HOST_STATUS} }),
  });
});`,
  },
};

/** A started application: the port of each of its relays, by name. */
export interface StartedHost {
  ports: Readonly<Record<string, number>>;
  output: () => string;
  stop: () => Promise<void>;
}

/** Starts one application with several relays, each with options of its own. */
export async function startHost(
  program: HostProgram,
  relays: Readonly<Record<string, object>>,
  env: Readonly<Record<string, string>> = {},
): Promise<StartedHost> {
  const folder = await hostFolder(program.packages);
  folder.write('listen.mjs', LISTEN);
  const file = folder.write('host.mjs', program.source);
  const child = spawn(process.execPath, [file], {
    cwd: folder.path,
    env: { PATH: process.env.PATH, RELAYS: JSON.stringify(relays), ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  return { ...(await readPorts(child)), stop: () => stop(child, folder) };
}

async function readPorts(child: ChildProcess): Promise<Omit<StartedHost, 'stop'>> {
  let output = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  if (child.stdout === null) throw new Error('no output');
  for await (const line of createInterface({ input: child.stdout })) {
    return { ports: JSON.parse(line), output: () => output };
  }
  throw new Error(`The application did not start.\n${output}`);
}

async function stop(child: ChildProcess, folder: HostFolder): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  await folder.remove();
}
