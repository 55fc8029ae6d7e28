import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HostFolder, hostFolder } from '../../../sdk-test-hosts/hosts.ts';
import { startCulprit, type TestCulprit } from '../support/culprit.ts';
import { eventually } from '../support/eventually.ts';
import { connect, type IncidentClient } from '../support/incident-client.ts';
import { type SentryTarget, sentryTarget } from '../support/sentry-client.ts';

/** What becomes of the events of Sentry's own libraries for Node, in an Express application that they are told nothing but the address. */

const VERSIONS = ['11', '9', '7'] as const;

/** The same application for each major; only what a major calls differently differs. */
const APPLICATION = `
const Sentry = require(process.env.SENTRY_LIBRARY);
const isOld = Sentry.Handlers !== undefined;
Sentry.init({ dsn: process.env.SENTRY_DSN, release: 'shop@1.4.2', environment: 'staging', tracesSampleRate: 1 });
const express = require('express');
const app = express();
if (isOld) app.use(Sentry.Handlers.requestHandler());
function checkout(cart) {
  try {
    return cart.items.total;
  } catch (cause) {
    throw new Error('cart could not be priced', { cause });
  }
}
app.get('/checkout/:id', (request) => {
  Sentry.setUser({ id: '42', email: ['anna', 'example.test'].join('@') });
  console.log('pricing the cart');
  checkout({ id: request.params.id });
});
app.get('/fine', (_request, response) => response.send('fine'));
if (isOld) app.use(Sentry.Handlers.errorHandler());
else Sentry.setupExpressErrorHandler(app);
app.use((_error, _request, response, _next) => response.status(500).send('broken'));
const server = app.listen(0, '127.0.0.1', () => console.info('listening on ' + server.address().port));
process.on('SIGTERM', () => void Sentry.close(5000).then(() => process.exit()));
`;

describe('the libraries of Sentry for Node', { timeout: 300_000 }, () => {
  let culprit: TestCulprit;
  let client: IncidentClient;
  let target: SentryTarget;
  let host: HostFolder;
  let file: string;
  beforeAll(async () => {
    host = await hostFolder({
      express: 'express',
      ...Object.fromEntries(VERSIONS.map((version) => [`sentry-${version}`, `sentry-node-${version}`])),
    });
    file = host.write('application.cjs', APPLICATION);
    culprit = await startCulprit();
    client = await connect(culprit);
    target = await sentryTarget(culprit, client.project);
  }, 600_000);
  afterAll(async () => {
    await culprit?.stop();
    await host?.remove();
  });

  /** Runs the application while something is asked of it. */
  async function run(version: string, ask: (address: string) => Promise<void>): Promise<void> {
    const dsn = target.record.dsn.replace(/@[^/]+/, `@${new URL(culprit.url).host}`);
    const child = spawn(process.execPath, [file], {
      env: { ...process.env, SENTRY_LIBRARY: `sentry-${version}`, SENTRY_DSN: dsn },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const port = await portOf(child);
    await ask(`http://127.0.0.1:${port}`);
    child.kill('SIGTERM');
    await once(child, 'exit');
  }

  it('F-23, F-47 three majors make one incident, and stop sending what is not taken', async () => {
    for (const version of VERSIONS) {
      await run(version, async (address) => {
        expect((await fetch(`${address}/checkout/7`)).status).toBe(500);
        // The second one has heard what not to send.
        await eventually(async () => {
          const answer = await client.get(`/v1/projects/${client.project.projectId}/dsn-keys`);
          expect(JSON.stringify(answer.body)).toMatch(/"last_used_at":"/);
        });
        expect((await fetch(`${address}/fine`)).status).toBe(200);
      });
    }
    const incident = await client.only(VERSIONS.length);
    expect(incident.title).toContain('cart could not be priced');
    expect(incident.environment).toBe('staging');
    const bundle = JSON.stringify(await client.bundle(incident.incident_id));
    for (const part of ['checkout', '/checkout/', 'shop@1.4.2', 'Cannot read properties of undefined']) {
      expect(bundle).toContain(part);
    }
    expect(bundle).not.toContain('anna@example.test');
    const { body } = await client.get(`/v1/projects/${client.project.projectId}/event-fates`);
    const { by_kind: kinds } = body as { by_kind: { kind: string; taken: number; not_taken: number }[] };
    expect(kinds.find(({ kind }) => kind === 'event')?.taken).toBe(VERSIONS.length);
    console.info(kinds.map(({ kind, taken, not_taken: not }) => `${kind} ${taken}/${not}`).join(', '));
  });
});

async function portOf(child: ChildProcess): Promise<number> {
  let out = '';
  let err = '';
  child.stderr?.on('data', (chunk) => {
    err += String(chunk);
  });
  return await new Promise((resolve, reject) => {
    child.once('exit', () => reject(new Error(`the application ended: ${err}`)));
    child.stdout?.on('data', (chunk) => {
      out += String(chunk);
      const port = /listening on (\d+)/.exec(out)?.[1];
      if (port !== undefined) resolve(Number(port));
    });
  });
}
