// Proves 8.
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/platform/db/database.ts';
import { newUuid, parseId } from '../../src/platform/ids.ts';
import { recordFigure } from '../proof/record-figure.ts';
import { eventually } from '../support/eventually.ts';
import { sendEvents } from '../support/send-events.ts';
import { ledgerEvent } from './event-ledger.ts';
import { createRealService, type RealService } from './real-service.ts';

/**
 * docs/contract/reliability.md test 8: a project that sent far more than is processed at once does not hold up its
 * neighbour.
 */

const EVENTS = 100_000;
const EVENTS_PER_REQUEST = 50;
const SENDERS = 8;
const GROUPS = 200;
const COUNTED_WITHIN_MS = 100_000;
const FRESH_WITHIN_MS = 10_000;

describe(`a backlog of ${EVENTS} events`, () => {
  let service: RealService;
  beforeAll(async () => {
    service = await createRealService();
    await service.start();
  });
  afterAll(() => service.remove());

  it('is counted in time, and an event of another project is not held up by it', {
    timeout: 5 * 60_000,
  }, async () => {
    const busy = await service.bootstrap('busy');
    const quiet = await service.bootstrap('quiet');
    const database = openDatabase({
      url: await service.databaseUrl(),
      connectionsMax: 2,
      applicationName: 'test-backlog',
    });
    const startedAt = performance.now();
    let requests = EVENTS / EVENTS_PER_REQUEST;
    async function send(): Promise<void> {
      while (requests > 0) {
        requests -= 1;
        const events = Array.from(
          { length: EVENTS_PER_REQUEST },
          (_, index) => ledgerEvent(newUuid(), `group${(requests * 7 + index) % GROUPS}`, true).body,
        );
        // A full server says so and is asked again.
        while ((await sendEvents(service.url, busy.projectToken, events)).status !== 202) await delay(100);
      }
    }
    try {
      const sending = Promise.all(Array.from({ length: SENDERS }, send));
      await eventually(async () => expect(await waiting()).toBeGreaterThan(100), 60_000);
      const freshAt = performance.now();
      expect(
        (await sendEvents(service.url, quiet.projectToken, [ledgerEvent(newUuid(), 'fresh', true).body]))
          .status,
      ).toBe(202);
      await eventually(async () => expect(await counted(quiet.projectId)).toBe(1), FRESH_WITHIN_MS);
      const freshMs = performance.now() - freshAt;
      await sending;
      await eventually(async () => expect(await counted(busy.projectId)).toBe(EVENTS), COUNTED_WITHIN_MS);
      const allMs = performance.now() - startedAt;
      recordFigure(
        8,
        `all counted after ${Math.round(allMs / 1000)} s, the fresh event after ${Math.round(freshMs)} ms`,
      );
    } finally {
      await database.close();
    }

    async function waiting(): Promise<number> {
      const [row] = await database.query<{ count: number }>({
        name: 'test-waiting',
        text: `select count(*)::integer as count from jobs where lane = 'events'`,
      });
      return row?.count ?? 0;
    }

    async function counted(projectId: string): Promise<number> {
      const [row] = await database.query<{ count: number }>(
        {
          name: 'test-counted',
          text: 'select coalesce(sum(occurrence_count), 0)::integer as count from incidents where project_id = $1',
        },
        [parseId(['proj'], projectId)],
      );
      return row?.count ?? 0;
    }
  });
});
