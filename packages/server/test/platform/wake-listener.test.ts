import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../src/platform/db/database.ts';
import { listenForWakeUps, WAKE_CHANNEL } from '../../src/platform/jobs/wake-listener.ts';
import { eventually } from '../support/eventually.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { startTestPostgres, type TestPostgres } from '../support/test-postgres.ts';

describe('whoever listens for wake-ups', () => {
  let postgres: TestPostgres;
  let database: Database;
  let proxy: TcpProxy;
  beforeAll(async () => {
    postgres = await startTestPostgres();
    const url = await postgres.createDatabase();
    database = openDatabase({ url, connectionsMax: 1, applicationName: 'culprit-test' });
    proxy = await startTcpProxy(url);
  });
  afterAll(async () => {
    await proxy.close();
    await database.close();
    await postgres.stop();
  });

  it.each([
    ['is cut', () => proxy.cut()],
    [
      'is lost on the way',
      async () => {
        proxy.hang();
        await proxy.mend({ forgets: true });
      },
    ],
  ])('is woken by each lane, and again after the connection %s', async (_what, goWrong) => {
    const woken: (string | null)[] = [];
    const listener = listenForWakeUps(proxy.url, (lane) => woken.push(lane), {
      beatIntervalMs: 100,
      beatTimeoutMs: 200,
    });
    const notify = () =>
      database.query({ name: 'test-notify', text: `select pg_notify('${WAKE_CHANNEL}', 'events')` });
    try {
      await eventually(() => expect(woken).toEqual([null]));
      await notify();
      await eventually(() => expect(woken).toEqual([null, 'events']));
      await goWrong();
      // What was queued in between is looked for.
      await eventually(() => expect(woken).toEqual([null, 'events', null]));
      await notify();
      await eventually(() => expect(woken).toEqual([null, 'events', null, 'events']));
    } finally {
      await listener.close();
    }
  });
});
