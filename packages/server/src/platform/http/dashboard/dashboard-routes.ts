import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { matchesEntityTag } from '../binding/entity-tag.ts';
import { Problem } from '../binding/problem.ts';
import { html } from '../reference/html.ts';
import { PATHS_OF_PROGRAMS } from '../server/app-address.ts';
import { type HttpServer, sendProblem } from '../server/http-server.ts';
import {
  type DashboardFile,
  type DashboardFiles,
  FAILURE_MARKER,
  formOf,
  readDashboardFiles,
} from './dashboard-files.ts';

/** First segments of the addresses that the dashboard shows something at (docs/contract/dashboard.md 2.10). */
const PAGE_SEGMENTS = [
  'login',
  'invite',
  'unsubscribe',
  'cli',
  'welcome',
  'incidents',
  'i',
  'bundles',
  'improvements',
  'projects',
  'organization',
  'settings',
  'operator',
];
/** An unknown path below these is a mistake of a program, and never a page. */
const RESERVED = [...PATHS_OF_PROGRAMS, '/docs'];

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const DASHBOARD_HEADERS = {
  'content-security-policy': POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=()',
};
const IMMUTABLE = 'public, max-age=31536000, immutable';
/** The page has no style sheet, and asks for itself again. */
const UNBUILT_POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/**
 * Serves the built dashboard (docs/contract/dashboard.md 2.2). Its files are read once; until they are there, each
 * request for a page looks for them.
 */
export function bindDashboard(server: HttpServer, directory: string): void {
  let known: DashboardFiles | null = null;
  const files = (): DashboardFiles | null => {
    known ??= readDashboardFiles(directory);
    return known;
  };

  const sendPage = async (request: FastifyRequest, reply: FastifyReply, status: number) => {
    const index = files()?.get('/index.html');
    if (index !== undefined) return await sendFile(request, reply, index, status);
    return reply
      .code(503)
      .headers({ ...DASHBOARD_HEADERS, 'content-security-policy': UNBUILT_POLICY, refresh: '1' })
      .header('content-type', 'text/html; charset=utf-8')
      .send(renderUnbuiltPage(existsSync(join(directory, '..', FAILURE_MARKER))));
  };
  const sendNamed = async (request: FastifyRequest, reply: FastifyReply) => {
    const file = files()?.get(request.url.split('?', 1)[0] ?? '');
    if (file !== undefined) return await sendFile(request, reply, file, 200);
    return sendProblem(reply.headers(DASHBOARD_HEADERS), new Problem('not_found'));
  };

  const method = ['GET', 'HEAD'];
  const config = { access: 'public' } as const;
  for (const url of ['/', ...PAGE_SEGMENTS.flatMap((segment) => [`/${segment}`, `/${segment}/*`])]) {
    server.app.route({ method, url, config, handler: (request, reply) => sendPage(request, reply, 200) });
  }
  for (const url of ['/assets/*', '/robots.txt']) {
    server.app.route({ method, url, config, handler: sendNamed });
  }
  // People who mistype an address get the page that says so, in the dashboard's own words.
  server.app.addHook('onRequest', async (request, reply) => {
    if (request.is404 && isForPeople(request)) return await sendPage(request, reply, 404);
  });
}

async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  file: DashboardFile,
  status: number,
): Promise<FastifyReply> {
  const { content, encoding } = await formOf(file, request.headers['accept-encoding']);
  // Two forms of the same file must not pass for each other.
  const etag = encoding === null ? file.etag : file.etag.replace(/"$/, `-${encoding}"`);
  reply
    .headers(DASHBOARD_HEADERS)
    .header('content-type', file.type)
    .header('cache-control', file.isImmutable ? IMMUTABLE : 'no-cache')
    .header('vary', 'Accept-Encoding')
    .header('etag', etag);
  if (encoding !== null) reply.header('content-encoding', encoding);
  if (status === 200 && matchesEntityTag(request.headers['if-none-match'], etag)) {
    return reply.code(304).removeHeader('content-encoding').send();
  }
  return reply.code(status).send(content);
}

function isForPeople({ method, headers, url }: FastifyRequest): boolean {
  const path = url.split('?', 1)[0] ?? '';
  const isReserved = RESERVED.some((prefix) => path === prefix || path.startsWith(`${prefix}/`));
  const isPage = (method === 'GET' || method === 'HEAD') && headers.accept?.includes('text/html') === true;
  return isPage && !isReserved;
}

/** Returns the page at the dashboard's addresses while there is no build to show. It reloads by itself. */
function renderUnbuiltPage(hasFailed: boolean): string {
  const title = hasFailed ? 'The dashboard could not be built' : 'The dashboard is not built yet';
  const text = hasFailed
    ? html`See the terminal of the service for the reason. After you fix it, run <code>npm run build:dashboard</code>; you do not have to restart the service.`
    : html`<code>npm start</code> builds it in a few seconds, and it then opens here automatically. If the server was started in another way, run <code>npm run build:dashboard</code> in its folder.`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Culprit</title>
</head>
<body>
<h1>${title}</h1>
<p>${text}</p>
<p>The API is already available: <a href="/docs">its reference</a>.</p>
</body>
</html>
`.text;
}
