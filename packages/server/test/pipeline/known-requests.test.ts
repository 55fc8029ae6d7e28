import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  ensureEventPartition,
  findKnownRequests,
} from '../../src/pipeline/incidents/processing/evidence.queries.ts';
import { type Database, openDatabase } from '../../src/platform/db/database.ts';
import { newUuid } from '../../src/platform/ids.ts';
import { plansOf } from '../support/plans-of.ts';
import { createTestDatabase } from '../support/test-database.ts';

let database: Database;
beforeAll(async () => {
  database = openDatabase({ url: await createTestDatabase(), connectionsMax: 2, applicationName: 'test' });
});
afterAll(() => database.close());

const incidentId = newUuid();

it('looks for known requests by their hashes, not through all events of an incident, on a day without statistics', async () => {
  await ensureEventPartition(database, Date.now());
  await database.query(
    {
      name: 'test-events',
      text: `insert into events (project_id, service_id, incident_id, batch_id, occurred_at, received_at, frame_offset,
        frame_length, record_offset, library, event_type, event_class, level, is_counted, event_id, request_hash)
      select gen_random_uuid(), gen_random_uuid(), $1, gen_random_uuid(), now(), now(), 0, 0, n, 0, 0, 0, 0, true, n, n
      from generate_series(1, 20000) n`,
    },
    [incidentId],
  );
  const asked = [
    { incidentId, requestHash: 1n },
    { incidentId, requestHash: 30_000n },
    { incidentId: newUuid(), requestHash: 1n },
  ];
  let known = new Set<string>();
  const plans = await plansOf(database, async (queryable) => {
    known = await findKnownRequests(queryable, asked, Date.now() - 7 * 24 * 3_600_000);
  });
  expect([...known]).toEqual([`${incidentId} 1`]);
  expect(plans).toMatch(/Index Cond: \(request_hash = /);
  expect(plans).not.toMatch(/Index Cond: .*incident_id/);
});
