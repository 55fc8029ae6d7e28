import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  request as sendOn,
} from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { TestCulprit } from '../../server/test/support/culprit.ts';
import { clientOf, type IncidentClient } from '../../server/test/support/incident-client.ts';
import { shareCulprit } from '../../server/test/support/shared-culprit.ts';
import { readStoredBatches } from '../../server/test/support/stored-events.ts';
import {
  announceDeploy,
  captureException,
  close,
  flush,
  getDiagnostics,
  init,
  type NodeOptions,
  probe,
  verifySetup,
  withRequest,
} from '../src/index.ts';
import { until } from './support/moved-clock.ts';
import { portOf } from './support/recording-endpoint.ts';

/** What only the real service can prove of docs/contract/clients.md: C-08, C-31, C-34, C-42 and C-43. */

let culprit: TestCulprit;
beforeAll(async () => {
  culprit = await shareCulprit();
});
afterEach(() => close(2_000));

async function connected(options: NodeOptions = {}, preset = 'balanced'): Promise<IncidentClient> {
  const project = await culprit.createProject({ preset });
  const isStarted = init({
    token: project.projectToken,
    endpoint: culprit.url,
    service: 'shop',
    environment: 'production',
    // The service answers in this process: what it does is no work of the host.
    capture: { requests: false, outgoing: false, console: 'off', warnings: false },
    spool: false,
    ...options,
  });
  expect(isStarted).toBe(true);
  await until(() => getDiagnostics().policyPreset !== null);
  return clientOf(culprit, project);
}

describe('the setup', () => {
  it('is verified by one event, and a revoked token is named', async () => {
    const { project, get, post } = await connected();
    expect(await verifySetup()).toEqual({ ok: true, status: 202, reason: null });
    const { body } = await get(`/v1/projects/${project.projectId}/tokens`);
    const [token] = Object(body).tokens;
    const revoked = await post(`/v1/projects/${project.projectId}/tokens/${token.token_id}/revoke`, {});
    expect(revoked.status).toBe(200);
    const refused = { ok: false, status: 401, reason: 'invalid_project_token' };
    await vi.waitUntil(async () => (await verifySetup()).status === 401, { timeout: 20_000, interval: 250 });
    expect(await verifySetup()).toEqual(refused);
    // And again when the library has stopped.
    expect(getDiagnostics().state).toBe('disconnected');
    expect(await verifySetup()).toEqual(refused);
    expect(await announceDeploy({ version: '1.2.3' })).toBe(false);
  });

  it('says at once when an event of it does not get as far as the service', async () => {
    await connected({ beforeSend: () => null });
    expect(await verifySetup()).toEqual({ ok: false, status: null, reason: 'filtered' });
    expect(await announceDeploy()).toBe(false);
  });

  it('announces a deploy, which the service then knows', async () => {
    const { project } = await connected({ release: '2.0.1' });
    expect(await announceDeploy({ commit: 'a'.repeat(40), branch: 'main', deployedAt: 'no date' })).toBe(
      true,
    );
    const events = (await readStoredBatches(culprit, project.projectId)).length;
    expect(events).toBe(1);
  });
});

describe('every failure is counted', () => {
  it('1,000 equal ones in a moment are 1,000 occurrences after the last report', async () => {
    const { counted } = await connected();
    for (let i = 0; i < 1_000; i++) captureException(new Error('again'));
    await close(10_000);
    expect(await counted(1_000)).toHaveLength(1);
  });

  describe('over connections that break', () => {
    let proxy: Server;
    let cuts = 0;
    beforeAll(async () => {
      proxy = createServer((incoming, outgoing) => passOn(incoming, outgoing));
      await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    });
    afterAll(() => {
      proxy.closeAllConnections();
      proxy.close();
    });

    /** Passes on; of batches it cuts every other connection, before or after the service has answered. */
    function passOn(incoming: IncomingMessage, outgoing: ServerResponse): void {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('end', () => {
        const isBatch = incoming.method === 'POST';
        const turn = isBatch ? cuts++ % 4 : 0;
        if (turn === 1) return incoming.socket.destroy();
        const { method = 'GET', headers } = incoming;
        const onward = sendOn(`${culprit.url}${incoming.url}`, { method, headers }, (answer) => {
          if (turn === 2) {
            answer.resume();
            return incoming.socket.destroy();
          }
          outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
          return answer.pipe(outgoing);
        });
        onward.end(Buffer.concat(chunks));
        return undefined;
      });
    }

    it('each once: sent and counted are the same', { timeout: 60_000 }, async () => {
      const { counted } = await connected({ endpoint: `http://127.0.0.1:${portOf(proxy)}`, batchEvents: 20 });
      const failures = 60;
      for (let i = 0; i < failures; i++) {
        const error = new Error('broken');
        error.name = `Broken${String.fromCharCode(65 + (i % 20))}Error`;
        captureException(error);
      }
      expect(await flush(40_000)).toBe(true);
      const { captured, sent, dropped, retries } = getDiagnostics();
      expect(retries).toBeGreaterThan(0);
      expect(captured).toBe(sent + Object.values(dropped).reduce((sum, count) => sum + count, 0));
      await close(5_000);
      await counted(...Array.from({ length: 20 }, () => 3));
    });
  });
});

describe('remote probes', () => {
  it('send their value while the service asks, and for the request that brings a trigger token', async () => {
    const { project, post } = await connected({}, 'investigative');
    const calls: string[] = [];
    const heavy = (name: string) => () => calls.push(name) && { name };
    probe('checkout.total', heavy('dormant'), { heavy: true });
    const activated = await post(`/v1/projects/${project.projectId}/probes/activate`, {
      label_pattern: 'checkout.*',
      service: 'shop',
    });
    expect(activated.status).toBe(201);
    const { activation, trigger_token, compat_trigger_token } = Object(activated.body);
    // The answer to any batch brings the directive.
    captureException(new Error('carrier'));
    await flush();
    await until(() => getDiagnostics().activeProbes === 1);
    probe('checkout.total', heavy('active'), { heavy: true });
    probe('billing.total', heavy('other label'), { heavy: true });
    expect(await flush()).toBe(true);
    const off = await post(`/v1/projects/${project.projectId}/probes/deactivate`, {
      activation_id: activation.activation_id,
    });
    expect(off.status).toBe(200);
    captureException(new RangeError('carrier'));
    await flush();
    await until(() => getDiagnostics().activeProbes === 0);
    for (const [token, name] of [
      [trigger_token, 'own prefix'],
      [compat_trigger_token, 'other prefix'],
      [`${trigger_token.slice(0, -2)}xx`, 'forged'],
    ]) {
      withRequest({ headers: { 'x-service-probe-trigger': token } }, () =>
        probe('checkout.total', heavy(name), { heavy: true }),
      );
    }
    probe('checkout.total', heavy('outside'), { heavy: true });
    expect(await flush()).toBe(true);
    expect(calls).toEqual(['active', 'own prefix', 'other prefix']);
    expect(getDiagnostics().dropped).toMatchObject({ policy: 0, rejected: 0 });
  });
});
