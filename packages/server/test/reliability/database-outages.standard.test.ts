// Proves 10.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startEmbeddedPostgres } from '../../src/platform/db/embedded/embedded-postgres.ts';
import { createLogger } from '../../src/platform/log.ts';
import { prepareDatabase } from '../../src/roles/prepare-database.ts';
import { startCulprit, type TestCulprit } from '../support/culprit.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { createTestDatabase } from '../support/test-database.ts';
import { type OutageClient, outageClient } from './outage-client.ts';

/**
 * docs/contract/reliability.md test 10: PostgreSQL refuses, hangs, is cut off or restarts. Clients are told within 1 s,
 * of a server that hangs within 3 s, and everything works again within 5 s after it is back, or 10 s.
 */

const GONE = { recoverMs: 5000 };
const HANGING = { recoverMs: 10_000 };
const TIMEOUT_MS = 60_000;
const SENDERS = 4;
const CUTS = 8;
const CUT_INTERVAL_MS = 120;

describe('while PostgreSQL', () => {
  let proxy: TcpProxy;
  let culprit: TestCulprit;
  let client: OutageClient;
  beforeAll(async () => {
    const directUrl = await createTestDatabase();
    proxy = await startTcpProxy(directUrl);
    culprit = await startCulprit({ databaseUrl: proxy.url });
    client = outageClient(culprit, await culprit.createProject(), () => directUrl);
  });
  afterAll(async () => {
    await proxy.mend();
    await culprit.stop();
    await proxy.close();
  });

  it.each([
    ['refuses connections', GONE, () => proxy.refuse(), () => proxy.mend()],
    ['hangs and then goes on', HANGING, () => proxy.hang(), () => proxy.mend()],
    ['is lost to every connection', HANGING, () => proxy.hang(), () => proxy.mend({ forgets: true })],
  ])(
    '%s, clients are told while it lasts, and everything works again',
    {
      timeout: TIMEOUT_MS,
    },
    async (_what, limits, begin, end) => {
      expect((await client.post()).status).toBe(202);
      await begin();
      await client.expectRefusals();
      await end();
      await client.expectRecovery(limits.recoverMs);
      await client.expectPromisesKept();
    },
  );

  it('is cut off again and again, every request is answered and no promise is broken', async () => {
    let isOver = false;
    const sending = Array.from({ length: SENDERS }, async () => {
      while (!isOver) {
        const { status } = await client.post();
        expect([202, 503]).toContain(status);
      }
    });
    for (let cut = 0; cut < CUTS; cut += 1) {
      await delay(CUT_INTERVAL_MS);
      proxy.cut();
    }
    isOver = true;
    await Promise.all(sending);
    await client.expectRecovery(GONE.recoverMs);
    await client.expectPromisesKept();
  });
});

it('PostgreSQL restarts, clients are told while it lasts, and everything works again', {
  timeout: TIMEOUT_MS,
}, async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'culprit-outage-'));
  const log = createLogger({ level: 'error', role: 'test', toStandardError: true });
  const start = () => startEmbeddedPostgres({ dataDir, log: () => {} });
  let server = await start();
  await prepareDatabase(server.url, { isVouchedFor: false, log });
  const proxy = await startTcpProxy(server.url);
  const culprit = await startCulprit({ databaseUrl: proxy.url });
  try {
    const client = outageClient(culprit, await culprit.createProject(), () => server.url);
    expect((await client.post()).status).toBe(202);
    await server.stop();
    await client.expectRefusals();
    server = await start();
    proxy.retarget(server.url);
    await client.expectRecovery(GONE.recoverMs);
    await client.expectPromisesKept();
  } finally {
    await culprit.stop();
    await proxy.close();
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
});
