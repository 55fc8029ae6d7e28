import { spawn } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HostFolder, hostFolder } from '../../../sdk-test-hosts/hosts.ts';
import { startCulprit, type TestCulprit } from '../support/culprit.ts';
import { connect, type IncidentClient } from '../support/incident-client.ts';
import { sentryTarget } from '../support/sentry-client.ts';

const MAJORS = [7, 9, 11] as const;

/** The real libraries, installed by the clients of their registries (docs/contract/foreign-protocols.md 16.1). */
describe('real libraries of Sentry', () => {
  let host: HostFolder;
  let culprit: TestCulprit;
  let client: IncidentClient;
  let dsn: string;

  beforeAll(async () => {
    host = await hostFolder({
      express: 'express',
      ...Object.fromEntries(MAJORS.map((major) => [`sentry-${major}`, `sentry-node-${major}`])),
    });
    culprit = await startCulprit();
  }, 600_000);
  afterAll(async () => {
    await culprit?.stop();
    await host?.remove();
  });

  async function project(): Promise<void> {
    client = await connect(culprit, { preset: 'balanced' });
    const { key, number } = await sentryTarget(culprit, client.project);
    dsn = `${culprit.url.replace('://', `://${key}@`)}/${number}`;
  }

  async function run(
    command: string,
    args: readonly string[],
  ): Promise<{ code: number | null; output: string }> {
    const child = spawn(command, args, {
      env: { ...process.env, SENTRY_DSN: dsn ?? '', WORD: 'hunter2' },
    });
    let output = '';
    child.stdout.on('data', (data: Buffer) => (output += data.toString()));
    child.stderr.on('data', (data: Buffer) => (output += data.toString()));
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    return { code, output };
  }

  it('F-23, F-47 an application with Express under three majors for Node is one incident, with all that surrounds it', async () => {
    await project();
    const file = host.write('app.cjs', NODE_APPLICATION);
    for (const major of MAJORS) {
      const { code, output } = await run(process.execPath, [file, String(major)]);
      expect(code, output).toBe(0);
    }
    const incident = await client.only(MAJORS.length);
    await client.settled();
    const { context, impact } = await client.bundle(incident.incident_id);
    expect(incident.title).toBe('OrderError: order could not be saved');
    expect(context.error_chain?.items).toHaveLength(2);
    expect(context.request).toMatchObject({ method: 'GET', path: '/orders/7' });
    expect(context.logs?.items.map(({ message }) => message)).toContain('stock is low');
    expect(context.custom?.context.release).toBe('shop@1');
    expect(context.stack?.frames[0]?.context_line).toContain('order could not be saved');
    expect(impact.affected_users_estimate).toBe(1);
    expect(JSON.stringify(context)).not.toContain('kim@example.com');
    const { body } = await client.get(`/v1/projects/${client.project.projectId}/event-fates`);
    const { by_kind: kinds } = body as { by_kind: { kind: string; taken: number; not_taken: number }[] };
    expect(kinds.find(({ kind }) => kind === 'event')).toMatchObject({ taken: MAJORS.length, not_taken: 0 });
    for (const { kind, taken } of kinds) if (/^(?:session|profile|replay)/.test(kind)) expect(taken).toBe(0);
  }, 120_000);

  it('F-24 Flask and a script of Python with one error are one incident, with its variables', async ({
    skip,
  }) => {
    const python = '/usr/bin/python3';
    const { code: found } = await run(python, ['-c', 'import sentry_sdk, flask']).catch(() => ({ code: 1 }));
    if (found !== 0) return skip('python3-sentry-sdk and python3-flask are not installed');
    await project();
    const file = host.write('shop.py', PYTHON_SHOP);
    for (const kind of ['script', 'flask']) {
      const { code, output } = await run(python, [file, kind]);
      expect(code, output).toBe(0);
    }
    const incident = await client.only(2);
    await client.settled();
    const bundle = await client.bundle(incident.incident_id);
    expect(bundle.context.stack?.frames[0]?.vars).toMatchObject({ count: '2', password: '[REDACTED]' });
    expect(JSON.stringify(bundle)).not.toContain('hunter2');
  }, 120_000);
});

const NODE_APPLICATION = `
const major = Number(process.argv[2]);
const Sentry = require('sentry-' + major);
Sentry.init({ release: 'shop@1', environment: 'production', tracesSampleRate: 1 });
const express = require('express');
const app = express();
if (major === 7) app.use(Sentry.Handlers.requestHandler());
class OrderError extends Error { constructor(m, o) { super(m, o); this.name = 'OrderError'; } }
function load() { throw new TypeError('no rows'); }
app.get('/orders/:id', (request, response) => {
  Sentry.setUser({ id: 'u-1', email: 'kim@example.com' });
  console.log('stock is low');
  try { load(); } catch (cause) { throw new OrderError('order could not be saved', { cause }); }
});
if (major === 7) app.use(Sentry.Handlers.errorHandler());
else Sentry.setupExpressErrorHandler(app);
app.use((error, request, response, next) => response.status(500).end());
const server = app.listen(0, '127.0.0.1', async () => {
  await fetch('http://127.0.0.1:' + server.address().port + '/orders/7?coupon=x').then((answer) => answer.text());
  await Sentry.flush(10000);
  process.exit(0);
});
`;

const PYTHON_SHOP = `
import os
import sys
import sentry_sdk
sentry_sdk.init(release='shop@1', environment='production')

class OrderError(Exception):
    pass

def order(count, password):
    raise OrderError('no stock')

def pay(count):
    order(count, os.environ['WORD'])

def checkout(count):
    pay(count)

if sys.argv[1] == 'script':
    try:
        checkout(2)
    except OrderError:
        sentry_sdk.capture_exception()
else:
    from flask import Flask
    from sentry_sdk.integrations.flask import FlaskIntegration
    sentry_sdk.init(release='shop@1', environment='production', integrations=[FlaskIntegration()])
    app = Flask('shop')
    @app.route('/orders/<int:number>')
    def orders(number):
        checkout(2)
    print(app.test_client().get('/orders/7').status_code)
sentry_sdk.flush(10)
`;
