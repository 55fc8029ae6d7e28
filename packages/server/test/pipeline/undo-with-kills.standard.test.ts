import { isJsonObject } from '@culprit/evidence/events/envelope/json';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Queryable } from '../../src/platform/db/database.ts';
import { startCulprit, type TestCulprit } from '../support/culprit.ts';
import { eventually } from '../support/eventually.ts';
import { connect, type IncidentClient } from '../support/incident-client.ts';

/** docs/contract/grouping.md 5: undoing a merge brings exact counts back, wherever its connection dies. */

let culprit: TestCulprit;
beforeAll(async () => {
  culprit = await startCulprit();
});
afterAll(() => culprit.stop());

const USERS = ['alice', 'bob', 'chen', 'dana', 'emil', 'farid'];

function signIn(user: string, secondsAgo: number): object {
  return {
    event_type: 'log_event',
    timestamp: new Date(Date.now() - secondsAgo * 1000).toISOString(),
    service: { name: 'shop', environment: 'production' },
    sdk: { name: 'custom', version: '1.0.0' },
    payload: { level: 'error', message: `User '${user}' could not sign in`, attributes: {} },
  };
}

/** Ends the connection that waits for a lock in the test's database. */
async function killWaiting(transaction: Queryable): Promise<void> {
  await eventually(async () => {
    const killed = await transaction.query<{ killed: boolean }>(
      {
        name: 'test-kill-waiting',
        text: `select pg_terminate_backend(pid) as killed from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock' and pid <> pg_backend_pid()`,
      },
      [],
    );
    if (killed.length === 0) throw new Error('nobody waits for a lock');
  });
}

async function slotIds(client: IncidentClient, incidentId: string): Promise<unknown[]> {
  const { body } = await client.get(`/v1/incidents/${incidentId}/grouping`);
  const grouping = isJsonObject(body) && isJsonObject(body.grouping) ? body.grouping : {};
  const slots = Array.isArray(grouping.slots) ? grouping.slots.filter(isJsonObject) : [];
  return slots.map(({ slot_id }) => slot_id);
}

describe('closing a slot while its connection is killed', () => {
  it.each(['incident_slots', 'incident_aliases', 'incidents', 'lifecycle_events'])(
    'at its first change of %s changes all or nothing, and is exact in the end',
    async (table) => {
      const client = await connect(culprit);
      for (const [index, user] of USERS.entries()) {
        await client.send(signIn(user, 60 - index));
        await client.processed();
      }
      const [fused] = await client.counted(3, 1, 1, 1);
      const root = fused?.incident_id ?? '';
      await client.settled();
      const slots = await slotIds(client, root);
      expect(slots).toHaveLength(1);
      const close = () => client.post(`/v1/incidents/${root}/split`, { slot_ids: slots });

      const answer = await culprit.database.transaction(async (transaction) => {
        await transaction.query(
          { name: `test-lock-${table}`, text: `lock table ${table} in share row exclusive mode` },
          [],
        );
        const closing = close();
        await killWaiting(transaction);
        return { closing };
      });
      const { status } = await answer.closing;
      const statuses = () => client.list().then((found) => found.map((incident) => incident.status).sort());
      if (status !== 200) {
        expect(await statuses()).toEqual(['open', 'resolved', 'resolved', 'resolved']);
        expect(await slotIds(client, root)).toEqual(slots);
        expect((await close()).status).toBe(200);
      }
      expect(await statuses()).toEqual(['open', 'open', 'open', 'open']);
      await client.counted(3, 1, 1, 1);
      expect(await slotIds(client, root)).toEqual([]);
      for (const user of USERS) {
        await client.send(signIn(user, 0));
        await client.processed();
      }
      await client.counted(4, 2, 2, 2, 1, 1);
    },
  );
});
