// Proves 17.
import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../src/platform/db/database.ts';
import { parseId } from '../../src/platform/ids.ts';
import { recordFigure } from '../proof/record-figure.ts';
import { eventually } from '../support/eventually.ts';
import { moveClock } from '../support/move-clock.ts';
import { chooseSeed, seededRandom } from '../support/seeded-random.ts';
import { sendRequest } from '../support/send-events.ts';
import { tokenIn } from '../support/token-answers.ts';
import { webhookClient } from '../support/webhook-client.ts';
import { startReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';
import { createEventLedger, KEPT, readCountedEvents } from './event-ledger.ts';
import { startEventLoad } from './event-load.ts';
import { findLeftOverWork } from './left-over-work.ts';
import { createRealService, type RealService } from './real-service.ts';
import { settleWork } from './settle-work.ts';
import { CLOCK_FILE_VARIABLE } from './shifted-clock.ts';

/**
 * docs/contract/reliability.md test 17: the clock of the machine jumps under load, that of our processes and that of
 * the database together. By a moved clock: setting the real one takes a machine of one's own.
 */

const HOURS = 3_600_000;
const JUMPS_MS = [2 * HOURS, 0, -2 * HOURS, 0, 2 * HOURS];
const PHASE_MS = 1500;
const CLIENTS = 4;
const SEED = chooseSeed();

describe(`a clock that jumps two hours, both ways (seed ${SEED})`, () => {
  let directory: string;
  let service: RealService;
  let receiver: WebhookReceiver;
  let database: Database;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'culprit-clock-'));
    process.env[CLOCK_FILE_VARIABLE] = join(directory, 'offset');
    service = await createRealService([fileURLToPath(new URL('./shifted-clock.ts', import.meta.url))]);
    delete process.env[CLOCK_FILE_VARIABLE];
    receiver = await startReceiver();
    await service.start();
    database = openDatabase({
      url: await service.databaseUrl(),
      connectionsMax: 2,
      applicationName: 'test-clock',
    });
  });
  afterAll(async () => {
    await database?.close();
    await service.remove();
    await receiver.stop();
    await rm(directory, { recursive: true, force: true });
  });

  async function jumpTo(offsetMs: number): Promise<void> {
    writeFileSync(join(directory, 'offset'), String(offsetMs));
    await moveClock(database, offsetMs);
  }

  it('loses nothing, counts and tells nothing twice, and revives nothing', { timeout: 240_000 }, async () => {
    const project = await service.bootstrap('shop');
    const ids = [parseId(['proj'], project.projectId) ?? ''];
    await webhookClient(service, project).create(receiver.url, { events: ['bundle.created'] });
    const revoked = await revokedToken(project.memberToken);
    const ledger = createEventLedger();
    const random = seededRandom(SEED);
    const load = startEventLoad({
      url: service.url,
      token: project.projectToken,
      clients: CLIENTS,
      random,
      ledger,
    });

    await delay(PHASE_MS);
    for (const offsetMs of JUMPS_MS) {
      await jumpTo(offsetMs);
      expect(
        (await sendRequest(`${service.url}/v1/projects`, { method: 'GET', token: revoked })).status,
      ).toBe(401);
      await delay(PHASE_MS);
    }
    await load.finish();
    // What was queued at the latest time is due by now, whatever the clock said in between.
    await jumpTo(3 * HOURS);
    // What is processed only now has waits of its own.
    await (await settleWork(service, ids, { offsetMs: 3 * HOURS, jumpTo })).close();

    // The jump also makes the hourly cleaning of the project due, which may have just begun.
    await eventually(async () => expect(await findLeftOverWork(database, ids)).toEqual({}));
    expect({
      verdict: ledger.judge(await readCountedEvents(database, ids)),
      surprises: load.surprises(),
    }).toEqual({ verdict: KEPT, surprises: [] });
    expect(ledger.count('accepted')).toBeGreaterThan(100);
    const incidents = await incidentCount();
    await eventually(async () => expect(deliveryIds().size).toBe(incidents));
    recordFigure(
      17,
      `moved clock; ${JUMPS_MS.length} jumps, ${ledger.count('accepted')} events, ${incidents} incidents each told once (seed ${SEED})`,
    );
  });

  async function revokedToken(memberToken: string): Promise<string> {
    const made = await sendRequest(`${service.url}/v1/member/tokens`, {
      token: memberToken,
      body: JSON.stringify({ label: 'to be revoked' }),
    });
    const { token, token_id } = tokenIn(made.body);
    const answer = await sendRequest(`${service.url}/v1/member/tokens/${token_id}/revoke`, {
      token: memberToken,
    });
    expect(answer.status).toBe(200);
    return String(token);
  }

  async function incidentCount(): Promise<number> {
    const [row] = await database.query<{ count: number }>({
      name: 'test-incidents',
      text: 'select count(*)::integer as count from incidents',
    });
    return row?.count ?? 0;
  }

  function deliveryIds(): Set<unknown> {
    return new Set(receiver.requests.map(({ headers }) => headers['x-service-delivery']));
  }
});
