import { addToSketch, estimateDistinct } from '@culprit/evidence/incidents/distinct-counter';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createMembersMemory,
  type MembersMemory,
} from '../../src/pipeline/incidents/processing/incident-members.ts';
import { recordMembers } from '../../src/pipeline/incidents/processing/record-members.ts';
import { type Database, openDatabase } from '../../src/platform/db/database.ts';
import { newUuid } from '../../src/platform/ids.ts';
import { createTestDatabase } from '../support/test-database.ts';

/** The sets of users and requests of an incident, over claims of one worker and of several. */

let database: Database;
beforeAll(async () => {
  database = openDatabase({ url: await createTestDatabase(), connectionsMax: 2, applicationName: 'test' });
});
afterAll(() => database.close());

const projectId = newUuid();
const MEMORY_BYTES = 1_000_000;

/** A hash that is spread over all bits, as those of texts are. */
function hashOf(n: number): bigint {
  return BigInt.asIntN(64, (BigInt(n) + 1n) * 0x9e37_79b9_7f4a_7c15n);
}

const hashes = (from: number, to: number) =>
  new Set(Array.from({ length: to - from }, (_, n) => hashOf(from + n)));

interface Claim {
  users?: ReadonlySet<bigint>;
  requests?: ReadonlySet<bigint>;
  isNew?: boolean;
  fails?: boolean;
}

async function count(incidentId: string, memory: MembersMemory, claim: Claim) {
  const { users = new Set<bigint>(), requests = new Set<bigint>(), isNew = false, fails = false } = claim;
  return await database.transaction(async (transaction) => {
    const met = { incidentId, isNew, users, requests };
    const counts = await recordMembers(transaction, projectId, [met], memory);
    if (fails) throw new Error('the claim fails');
    return counts.get(incidentId);
  });
}

const expected = (all: ReadonlySet<bigint>) =>
  all.size <= 1000
    ? all.size
    : estimateDistinct({ exactCount: 1000, registers: addToSketch(null, all).registers });

describe.concurrent('the users and requests of an incident', () => {
  it('count each once in claims of any size, exactly to a thousand and then as one sketch of all', async () => {
    const incidentId = newUuid();
    const memory = createMembersMemory(MEMORY_BYTES);
    let isNew = true;
    let end = 0;
    for (const [from, to] of [
      [0, 3],
      [0, 40],
      [20, 180],
      [150, 151],
      [151, 999],
      [998, 1000],
      [0, 1000],
      [1000, 1001],
      [990, 1060],
      [1000, 5000],
      [4990, 5040],
    ] as const) {
      const counted = await count(incidentId, memory, {
        users: hashes(from, to),
        requests: hashes(from + 7, to + 7),
        isNew,
      });
      isNew = false;
      end = Math.max(end, to);
      expect(counted).toEqual({ users: expected(hashes(0, end)), requests: expected(hashes(7, end + 7)) });
    }
    // What is stored is the same as what is remembered.
    const read = await count(incidentId, createMembersMemory(MEMORY_BYTES), { users: hashes(0, 1) });
    expect(read).toEqual({ users: expected(hashes(0, 5040)), requests: expected(hashes(7, 5047)) });
  });

  it('are those of all workers, whatever one of them remembers', async () => {
    const incidentId = newUuid();
    const workers = [createMembersMemory(MEMORY_BYTES), createMembersMemory(MEMORY_BYTES)];
    for (let claim = 0; claim < 130; claim += 1) {
      // One of them counts twice in a row, with what it remembers.
      const memory = workers[claim % 3 === 2 ? 1 : 0] ?? createMembersMemory(MEMORY_BYTES);
      const users = hashes(claim * 9, claim * 9 + 10);
      const counted = await count(incidentId, memory, { users, isNew: claim === 0 });
      expect(counted?.users).toBe(expected(hashes(0, claim * 9 + 10)));
    }
  });

  it('do not have those of a claim that failed, and have them once it is repeated', async () => {
    const incidentId = newUuid();
    const memory = createMembersMemory(MEMORY_BYTES);
    const first = { users: hashes(0, 5), requests: hashes(0, 2) };
    await expect(count(incidentId, memory, { ...first, isNew: true, fails: true })).rejects.toThrow('fails');
    expect(await count(incidentId, memory, { ...first, isNew: true })).toEqual({ users: 5, requests: 2 });
    await expect(count(incidentId, memory, { users: hashes(5, 900), fails: true })).rejects.toThrow('fails');
    expect(await count(incidentId, memory, { users: hashes(4, 6) })).toEqual({ users: 6, requests: 2 });
    await expect(count(incidentId, memory, { users: hashes(0, 2000), fails: true })).rejects.toThrow('fails');
    expect(await count(incidentId, memory, { users: hashes(6, 7) })).toEqual({ users: 7, requests: 2 });
  });

  it('are forgotten by a worker beyond its memory, and read again', async () => {
    const memory = createMembersMemory(2500);
    const incidents = Array.from({ length: 5 }, newUuid);
    for (const incidentId of incidents) await count(incidentId, memory, { users: hashes(0, 9), isNew: true });
    expect(incidents.filter((incidentId) => memory.take(incidentId) !== undefined).length).toBeLessThan(5);
    for (const incidentId of incidents) {
      expect((await count(incidentId, memory, { users: hashes(8, 10) }))?.users).toBe(10);
    }
  });

  it('write nothing where all were known', async () => {
    const incidentId = newUuid();
    const memory = createMembersMemory(MEMORY_BYTES);
    await count(incidentId, memory, { users: hashes(0, 9), isNew: true });
    const stamps = async () =>
      await database.query<{ stamp: string }>(
        {
          name: 'test-stamp',
          text: `select stamp::text as stamp from incident_members where project_id = $1 and incident_id = $2`,
        },
        [projectId, incidentId],
      );
    const before = await stamps();
    await count(incidentId, memory, { users: hashes(3, 9) });
    expect(await stamps()).toEqual(before);
    await count(incidentId, memory, { users: hashes(3, 10) });
    expect(await stamps()).not.toEqual(before);
  });
});
