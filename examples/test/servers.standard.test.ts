import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { hostFolder, installHosts } from '../../packages/sdk-test-hosts/hosts.ts';
import { connect, type IncidentClient } from '../../packages/server/test/support/incident-client.ts';
import { reservePort } from '../../packages/server/test/support/reserved-port.ts';
import { shareCulprit } from '../../packages/server/test/support/shared-culprit.ts';
import { connectedTo, prepareExample, type RunningExample } from './support/running-example.ts';

/** The examples of servers as their READMEs say: started against a real service, and broken. */

const INSTALL_MAX_MS = 300_000;
const TEST_MAX_MS = 120_000;
const TRACE_ID = '5f1d7a84c3a94c7f9b0e2d6a8c4e1f37';

let running: RunningExample | null = null;
beforeAll(async () => void (await installHosts()), INSTALL_MAX_MS);
afterEach(async () => {
  await running?.stop();
  running = null;
});

async function start(name: string, packages: Record<string, string>): Promise<IncidentClient> {
  const culprit = await shareCulprit();
  const client = await connect(culprit);
  const example = prepareExample(name, await hostFolder(packages), '');
  running = await example.start(await reservePort(), connectedTo(culprit.url, client.project.projectToken));
  return client;
}

async function ask(path: string, init: RequestInit = {}): Promise<number> {
  const headers = { ...init.headers, 'x-service-trace-id': TRACE_ID };
  const answer = await fetch(`${running?.origin}${path}`, { ...init, headers });
  await answer.text();
  return answer.status;
}

describe('the example of Express', () => {
  it('has the failing route in an incident, with its request, the call and the line before it', {
    timeout: TEST_MAX_MS,
  }, async () => {
    const client = await start('express', { express: 'express' });
    expect(await ask('/orders/7')).toBe(200);
    expect(await ask('/orders/8?page=2')).toBe(500);
    const incident = await client.only();
    expect(incident).toMatchObject({
      title: "TypeError: Cannot read properties of undefined (reading 'cents')",
      service_name: 'example-express',
      environment: 'production',
      severity: 'high',
    });
    const { context, summary, service, impact } = await client.bundle(incident.incident_id);
    expect(summary.first_application_frame).toMatchObject({ file: expect.stringMatching(/\/server\.js$/) });
    expect(context.error?.top_frames[0]).toMatch(/server\.js:\d+/);
    expect(context.request).toMatchObject({
      method: 'GET',
      path: '/orders/8',
      route_template: '/orders/:id',
      query: { page: '2' },
      headers: { 'x-service-trace-id': TRACE_ID },
    });
    expect(context.response).toMatchObject({ status_code: 500 });
    expect(context.logs?.items.map(({ message }) => message)).toEqual([
      'Order 8 is wanted',
      expect.stringMatching(/^GET http:\/\/localhost:\d+\/prices\/8: 404 after /),
    ]);
    expect(context.dependencies?.items).toMatchObject([{ status: 'ok' }]);
    expect(service).toMatchObject({ framework: 'express' });
    expect(impact.affected_users_estimate).toBe(1);
  });
});

describe('the example of Fastify', () => {
  it('has the failing route in an incident, with its body and the lines of its logger', {
    timeout: TEST_MAX_MS,
  }, async () => {
    const client = await start('fastify', { fastify: 'fastify' });
    const headers = { 'content-type': 'application/json' };
    const send = (product: string) =>
      ask('/carts/1/items', {
        method: 'POST',
        headers,
        body: JSON.stringify({ product, quantity: 2, password: 'never-sent' }),
      });
    expect(await send('lamp')).toBe(200);
    expect(await send('sofa')).toBe(500);
    const [incident] = await client.counted(1);
    expect(incident).toMatchObject({
      title: 'RangeError: there is no price of sofa',
      service_name: 'example-fastify',
    });
    const { context, summary, service } = await client.bundle(incident?.incident_id ?? '');
    expect(summary.first_application_frame).toMatchObject({ function: 'priceOf' });
    expect(context.request).toMatchObject({
      method: 'POST',
      path: '/carts/1/items',
      route_template: '/carts/:id/items',
      body: { product: 'sofa', quantity: 2, password: '[REDACTED]' },
      headers: { 'x-service-trace-id': TRACE_ID },
    });
    expect(context.response).toMatchObject({ status_code: 500 });
    expect(context.logs?.items).toContainEqual(
      expect.objectContaining({
        level: 'warning',
        message: 'Prices are old',
        attributes: expect.objectContaining({ product: 'sofa' }),
      }),
    );
    expect(service).toMatchObject({ framework: 'fastify' });
    // The logger's own output stays what it was.
    expect(running?.output()).toContain('"msg":"there is no price of sofa"');
  });
});
