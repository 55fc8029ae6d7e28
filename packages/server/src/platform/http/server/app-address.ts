import { isLoopbackHost } from '../../loopback-url.ts';
import type { HttpServer } from './http-server.ts';

/** The paths that programs request, not people; they answer under every host name, and none is a page. */
export const PATHS_OF_PROGRAMS = [
  '/v1',
  '/api',
  '/openapi.json',
  '/health',
  '/live',
  '/ready',
  '/metrics',
  '/mcp',
  '/assets',
  '/npm',
  '/script',
  '/llms.txt',
  '/setup',
];

/**
 * Leads people to the one address at which cookies and the check of origins agree (docs/contract/dashboard.md 2.2).
 */
export function bindAppAddress(server: HttpServer, appUrl: string): void {
  server.app.addHook('onRequest', (request, reply, done) => {
    const { method, headers, url } = request.raw;
    const target = addressForPage(
      { method, host: headers.host, accept: headers.accept, target: url },
      appUrl,
    );
    if (target === null) done();
    else void reply.redirect(target, 307);
  });
}

/** The parts of a request that decide the address of a page. */
interface PageRequest {
  method: string | undefined;
  host: string | undefined;
  accept: string | undefined;
  /** The raw path and query. */
  target: string | undefined;
}

/**
 * Returns the address to which a page request under another name of this machine is redirected; null when it is
 * answered here. A cookie of `127.0.0.1` is not sent to `localhost`, and only the origin of the app can write.
 */
export function addressForPage(request: PageRequest, appUrl: string): string | null {
  const { method, host, accept = '', target = '' } = request;
  const isPage = (method === 'GET' || method === 'HEAD') && accept.includes('text/html');
  if (!isPage || !target.startsWith('/') || isForPrograms(target)) return null;
  const app = new URL(appUrl);
  const asked = `http://${host}`;
  if (host === undefined || !isLoopbackHost(app.hostname) || !URL.canParse(asked)) return null;
  const { hostname, port } = new URL(asked);
  // Another port is another program, perhaps one that passes requests on to us.
  const isSameServer = isLoopbackHost(hostname) && port === app.port;
  return isSameServer && hostname !== app.hostname ? `${app.origin}${target}` : null;
}

function isForPrograms(target: string): boolean {
  const path = target.split('?', 1)[0] ?? '';
  return PATHS_OF_PROGRAMS.some((prefix) => path === prefix || path.startsWith(`${prefix}/`));
}
