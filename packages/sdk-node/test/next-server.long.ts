import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type HostFolder, installedFolder } from '../../sdk-test-hosts/hosts.ts';
import { eventually } from '../../server/test/support/eventually.ts';
import { type RecordingEndpoint, startRecordingEndpoint } from './support/recording-endpoint.ts';
import { connectedTo } from './support/run-program.ts';

/** A built application of Next.js, whose server loads the library with its first request: `next start` as users run it. */

const INSTALL_MAX_MS = 300_000;
const NEXT = 'node_modules/next/dist/bin/next';
const FILES: Readonly<Record<string, string>> = {
  'instrumentation.js': `import { init } from '@culprit/node';
    export function register() { if (process.env.NEXT_RUNTIME === 'nodejs') init(); }
    export { onRequestError } from '@culprit/node/next';`,
  'proxy.js': `import { NextResponse } from 'next/server';
    export function proxy({ nextUrl }) { if (nextUrl.pathname === '/guarded') throw new Error('proxy failed'); return NextResponse.next(); }`,
  'app/layout.js': 'export default ({ children }) => <html><body>{children}</body></html>;',
  'app/page.js': 'export default () => <p>home</p>;',
  'app/orders/[id]/page.js': `import { headers } from 'next/headers';
    import { setUser } from '@culprit/node';
    export default async function Page({ params }) { const { id } = await params; await headers(); if (id === '1') setUser({ id: 'u1' }); throw new Error('page failed'); }`,
  'app/api/late/route.js': `import { after } from 'next/server';
    export async function GET() { after(() => { throw new Error('left work failed'); }); return Response.json({}); }`,
  'app/pay/page.js': `async function pay() { 'use server'; throw new Error('action failed'); }
    export default () => <form action={pay}><button>pay</button></form>;`,
};

let host: HostFolder;
let endpoint: RecordingEndpoint;
let server: ChildProcess | undefined;
let origin: string;

beforeAll(async () => {
  host = await installedFolder({ next: '16.4.5', react: '19.3.1', 'react-dom': '19.3.1' });
  for (const [name, text] of Object.entries(FILES)) host.write(name, text);
  const env = { PATH: process.env.PATH ?? '', NEXT_TELEMETRY_DISABLED: '1' };
  await promisify(execFile)(process.execPath, [NEXT, 'build'], { cwd: host.path, env });
}, INSTALL_MAX_MS);
afterAll(() => host?.remove());
beforeEach(async () => {
  endpoint = await startRecordingEndpoint();
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  probe.close();
  server = spawn(process.execPath, [join(host.path, NEXT), 'start', '-p', String(port), '-H', '127.0.0.1'], {
    cwd: host.path,
    env: { PATH: process.env.PATH ?? '', NEXT_TELEMETRY_DISABLED: '1', ...connectedTo(endpoint.url) },
    stdio: 'ignore',
  });
  origin = `http://127.0.0.1:${port}`;
  // Without a request: the first one is that of the test.
  await eventually(async () => {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    socket.destroy();
  });
});
afterEach(async () => {
  server?.kill();
  if (server?.exitCode === null && server.signalCode === null) await once(server, 'exit');
  await endpoint.close();
});

const status = async (path: string, init?: RequestInit) => {
  const answer = await fetch(origin + path, init);
  await answer.text();
  return answer.status;
};

const seen = () =>
  endpoint.events().map(({ payload, context }) => {
    const { message, request, response } = Object(payload);
    return [message, request?.path, response?.status_code ?? null, Object(context).user?.id ?? null];
  });

describe('the first request of a server of Next.js', () => {
  it('that fails in a page keeps its user to itself, and its failure has its answer', async () => {
    expect([await status('/orders/1'), await status('/orders/2')]).toEqual([500, 500]);
    await eventually(() =>
      expect(seen()).toEqual([
        ['page failed', '/orders/1', 500, 'u1'],
        ['page failed', '/orders/2', 500, null],
      ]),
    );
  });

  it('that fails in the proxy is reported', async () => {
    expect(await status('/guarded')).toBe(500);
    await eventually(() => expect(seen()).toEqual([['proxy failed', '/guarded', 500, null]]));
  });

  it('that leaves work which fails is reported', async () => {
    expect(await status('/api/late')).toBe(200);
    await eventually(() => expect(seen()).toMatchObject([['left work failed', '/api/late', null, null]]));
  });

  it('and an action of a form are reported once each', async () => {
    const [field = ''] = /\$ACTION_ID_\w+/.exec(await (await fetch(`${origin}/pay`)).text()) ?? [];
    const body = new FormData();
    body.append(field, '');
    expect(await status('/pay', { method: 'POST', body })).toBe(500);
    await eventually(() => expect(seen()).toEqual([['action failed', '/pay', 500, null]]));
  });
});
