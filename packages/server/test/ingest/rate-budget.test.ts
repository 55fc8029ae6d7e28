// Proves 26.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { bootstrap } from '../../src/admin/bootstrap.ts';
import {
  type AdmissionInput,
  admitRequests,
  returnRateBudget,
} from '../../src/pipeline/ingest/ingest.queries.ts';
import { type Database, openDatabase } from '../../src/platform/db/database.ts';
import { tokenHash } from '../../src/workspace/tokens/token.ts';
import { SELF_HOSTED } from '../support/culprit.ts';
import { moveClock } from '../support/move-clock.ts';
import { createTestDatabase } from '../support/test-database.ts';

/**
 * The statements of docs/contract/ingestion.md 3.7 alone: a limit of 60 requests and events in a window of a minute.
 */

const PLAN = { override: null, rateLimits: { free: 60, solo: 60, team: 60 } };

let database: Database;
let hashes: Buffer[];

beforeAll(async () => {
  const url = await createTestDatabase();
  database = openDatabase({ url, connectionsMax: 8, applicationName: 'culprit-test' });
});
afterAll(() => database.close());
beforeEach(async () => {
  await moveClock(database, 0);
  hashes = [];
  for (let n = 0; n < 4; n += 1) {
    const options = {
      email: 'owner@example.test',
      projectName: `project ${n}`,
      baseUrl: 'http://localhost:4800',
      plans: SELF_HOSTED,
    };
    hashes.push(tokenHash((await bootstrap(database, options)).project_token));
  }
});

describe('an admission', () => {
  it('answers in the order of the requests, and counts those of one token in that order', async () => {
    const [a, b, c] = hashes.toSorted((left, right) => right.compare(left));
    const unknown = Buffer.alloc(32, 1);
    const admissions = await admit([
      [a, 50],
      [unknown, 1],
      [b, 61],
      [a, 20],
      [c, 1],
      [a, 1],
    ]);
    expect(admissions.map(({ verdict, eventsTaken }) => [verdict, eventsTaken])).toEqual([
      ['admitted', 50],
      ['invalid_project_token', 1],
      ['admitted', 60],
      ['rate_limited', 0],
      ['admitted', 1],
      ['admitted', 1],
    ]);
    expect(new Set([0, 3, 5].map((index) => admissions[index]?.tokenId)).size).toBe(1);
    expect(new Set([0, 2, 4].map((index) => admissions[index]?.tokenId)).size).toBe(3);
  });

  it('takes a batch whole or not at all, unless no window could ever take it', async () => {
    const [a, b] = hashes;
    const first = await admit([
      [a, 10],
      [a, 51],
      [a, 50],
      [a, 1],
      [b, 10],
      [b, 61],
      [b, 1],
    ]);
    expect(first.map(({ verdict, eventsTaken }) => [verdict, eventsTaken])).toEqual([
      ['admitted', 10],
      ['rate_limited', 0],
      ['admitted', 50],
      ['rate_limited', 0],
      ['admitted', 10],
      ['admitted', 50],
      ['rate_limited', 0],
    ]);
    expect(await readWindow(a)).toEqual({ requests: 2, events: 60 });
    expect(first[1]?.retryAfterSeconds).toBe(60);
    await moveClock(database, 61_000);
    expect((await admit([[a, 51]])).map(({ eventsTaken }) => eventsTaken)).toEqual([51]);
  });

  it('refuses no batch without events that count while there is budget left', async () => {
    const [a] = hashes;
    const admissions = await admit([
      [a, 59],
      [a, 0],
      [a, 2],
      [a, 1],
      [a, 0],
    ]);
    expect(admissions.map(({ verdict }) => verdict)).toEqual([
      'admitted',
      'admitted',
      'rate_limited',
      'admitted',
      'rate_limited',
    ]);
  });

  it('never waits in a circle with others that name the same tokens in another order', async () => {
    const [a, b, c, d] = hashes;
    const there = [a, b, c, d].flatMap((hash) => Array(50).fill([hash, 0]));
    for (let round = 0; round < 5; round += 1) {
      const admitted = await Promise.all([there, there.toReversed(), there, there.toReversed()].map(admit));
      expect(admitted.map((each) => each.length)).toEqual([200, 200, 200, 200]);
    }
  });
});

describe('rate budget that is given back', () => {
  it('is that of each request, also where several are of one token', async () => {
    const [a, b] = hashes;
    await admit([
      [a, 3],
      [b, 7],
    ]);
    const failed = await admit([
      [a, 5],
      [b, 2],
      [a, 50],
      [a, 61],
    ]);
    expect(failed.map((admission) => admission.eventsTaken)).toEqual([5, 2, 50, 2]);
    await returnRateBudget(database, failed);
    expect(await readWindow(a)).toEqual({ requests: 1, events: 3 });
    expect(await readWindow(b)).toEqual({ requests: 1, events: 7 });
  });

  it('is not added to a later window', async () => {
    const [a] = hashes;
    const failed = await admit([[a, 40]]);
    await moveClock(database, 61_000);
    await admit([[a, 30]]);
    await returnRateBudget(database, failed);
    expect(await readWindow(a)).toEqual({ requests: 1, events: 30 });
  });
});

function admit(requests: readonly (readonly [Buffer | undefined, number])[]) {
  const inputs = requests.map(
    ([hash, shapeValidCount]): AdmissionInput => ({
      tokenHash: hash ?? Buffer.alloc(32),
      origin: null,
      isBeacon: false,
      isCountable: true,
      shapeValidCount,
    }),
  );
  return admitRequests(database, inputs, PLAN);
}

async function readWindow(
  hash: Buffer | undefined,
): Promise<{ requests: number; events: number } | undefined> {
  const [row] = await database.query<{ requests: number; events: number }>(
    {
      name: 'test-rate-window',
      text: `select requests, events from rate_windows join project_tokens using (token_id) where token_hash = $1`,
    },
    [hash ?? null],
  );
  return row;
}
