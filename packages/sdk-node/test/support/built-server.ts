import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect } from 'vitest';
import type { HostFolder } from '../../../sdk-test-hosts/hosts.ts';
import { eventually } from '../../../server/test/support/eventually.ts';
import type { RecordingEndpoint } from './recording-endpoint.ts';
import { connectedTo } from './run-program.ts';

/** What arrived, as message, path and status. */
export const failuresOf = (endpoint: RecordingEndpoint) =>
  endpoint.events().map(({ payload }) => {
    const { message, request, path, response, response_status: status } = Object(payload);
    return `${message ?? status} ${request?.path ?? path} ${response?.status_code ?? status}`;
  });

/** The templates of the routes of what arrived. */
export const routesOf = (endpoint: RecordingEndpoint) =>
  endpoint.events().map(({ payload }) => Object(payload).request?.route_template);

/** Starts a built server, and waits until it answers. */
export async function startBuilt(
  endpoint: RecordingEndpoint,
  host: HostFolder,
  args: readonly string[],
  env: Record<string, string> = {},
) {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  probe.close();
  const server: ChildProcess = spawn(process.execPath, ['--import', '@culprit/node/register', ...args], {
    cwd: host.path,
    env: {
      PATH: process.env.PATH ?? '',
      NODE_ENV: 'production',
      HOST: '127.0.0.1',
      PORT: String(port),
      ...connectedTo(endpoint.url),
      ...env,
    },
    stdio: 'ignore',
  });
  const origin = `http://127.0.0.1:${port}`;
  await eventually(async () => expect((await fetch(origin)).status).toBe(200));
  return {
    origin,
    async status(path: string, init: RequestInit = {}): Promise<number> {
      const answer = await fetch(`${origin}${path}`, init);
      await answer.text().catch(() => '');
      return answer.status;
    },
    async stop() {
      server.kill();
      if (server.exitCode === null && server.signalCode === null) await once(server, 'exit');
    },
  };
}
