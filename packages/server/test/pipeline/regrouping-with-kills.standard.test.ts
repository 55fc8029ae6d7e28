import { isJsonObject } from '@culprit/evidence/events/envelope/json';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Queryable } from '../../src/platform/db/database.ts';
import { startCulprit, type TestCulprit } from '../support/culprit.ts';
import { eventually } from '../support/eventually.ts';
import { connect, type IncidentClient } from '../support/incident-client.ts';

/** docs/contract/grouping.md 8: a regrouping and its undoing are whole or nothing, wherever their connection dies. */

let culprit: TestCulprit;
beforeAll(async () => {
  culprit = await startCulprit();
});
afterAll(() => culprit.stop());

const INNER = ['http', 'queue', 'stream', 'mail'];
const RULES = ['*/shared/* ignore'];

function failure(inner: string): object {
  return {
    event_type: 'backend_exception',
    timestamp: new Date().toISOString(),
    service: { name: 'shop', environment: 'production' },
    sdk: { name: 'custom', version: '1.0.0' },
    payload: {
      name: 'Error',
      message: 'no answer',
      stack: `Error: no answer\n    at ask (/app/shared/${inner}.js:1:1)\n    at pay (/app/pay.js:1:1)`,
    },
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

/** The answer to a call whose connection is ended where it first changes a table. */
async function killedAt(table: string, call: () => Promise<{ status: number; body: unknown }>) {
  const { answer } = await culprit.database.transaction(async (transaction) => {
    await transaction.query(
      { name: `test-lock-${table}`, text: `lock table ${table} in share row exclusive mode` },
      [],
    );
    const answer = call();
    await killWaiting(transaction);
    return { answer };
  });
  return await answer;
}

async function regroupings(client: IncidentClient): Promise<{ id: string; isUndone: boolean }[]> {
  const { body } = await client.get(`/v1/projects/${client.project.projectId}/regroupings`);
  const rows = isJsonObject(body) && Array.isArray(body.regroupings) ? body.regroupings : [];
  return rows
    .filter(isJsonObject)
    .map((row) => ({ id: String(row.regrouping_id), isUndone: row.undone_at !== null }));
}

describe('a regrouping while its connection is killed', () => {
  it.each(['incident_aliases', 'incidents', 'projects', 'regroupings', 'lifecycle_events'])(
    'at its first change of %s is whole or nothing, forth and back',
    async (table) => {
      const client = await connect(culprit);
      for (const inner of INNER) {
        await client.send(failure(inner));
        await client.processed();
      }
      await client.counted(1, 1, 1, 1);
      await client.settled();
      const path = `/v1/projects/${client.project.projectId}/regroupings`;
      const apply = () => client.post(path, { stack_rules: RULES, hours: 1 });
      const statuses = async () => (await client.list()).map(({ status }) => status).sort();

      const applying = await killedAt(table, apply);
      if (applying.status !== 201) {
        expect(await regroupings(client)).toEqual([]);
        expect(await statuses()).toEqual(['open', 'open', 'open', 'open']);
        expect((await apply()).status).toBe(201);
      }
      expect(await statuses()).toEqual(['open', 'resolved', 'resolved', 'resolved']);
      const [made, ...others] = await regroupings(client);
      expect(others).toEqual([]);
      await client.send(failure('disk'));
      await client.counted(2, 1, 1, 1);
      await client.settled();

      const undo = () => client.post(`${path}/undo`, { regrouping_id: made?.id });
      const undoing = await killedAt(table, undo);
      if (undoing.status !== 200) {
        expect(await regroupings(client)).toEqual([{ id: made?.id, isUndone: false }]);
        expect(await statuses()).toEqual(['open', 'resolved', 'resolved', 'resolved']);
        expect((await undo()).status).toBe(200);
      }
      expect(await regroupings(client)).toEqual([{ id: made?.id, isUndone: true }]);
      expect(await statuses()).toEqual(['open', 'open', 'open', 'open']);
      await client.counted(2, 1, 1, 1);
      for (const inner of INNER) {
        await client.send(failure(inner));
        await client.processed();
      }
      await client.counted(3, 2, 2, 2);
    },
  );
});
