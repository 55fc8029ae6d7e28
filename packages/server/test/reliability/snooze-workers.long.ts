import { afterAll, beforeAll, expect, it } from 'vitest';
import { EX } from '../conformance/incidents-fixtures.ts';
import { HOSTED, startCulprit, type TestCulprit } from '../support/culprit.ts';
import { connect } from '../support/incident-client.ts';
import { type RoleProcess, startWorkerProcess } from '../support/role-process.ts';

/** docs/contract/team-workflow.md 3.2: a snooze that several workers could end at once ends once. */

const WORKERS = 8;
const SIGNALS = 500;

let culprit: TestCulprit;
let workers: RoleProcess[];
beforeAll(async () => {
  culprit = await startCulprit({ plans: HOSTED, hasWorker: false });
  workers = await Promise.all(
    Array.from({ length: WORKERS }, () => startWorkerProcess(culprit, { plans: HOSTED })),
  );
}, 300_000);
afterAll(async () => {
  for (const worker of workers) await worker.kill();
  await culprit.stop();
});

it(`wakes once with ${SIGNALS} signals at once and ${WORKERS} workers`, { timeout: 400_000 }, async () => {
  const client = await connect(culprit, { plan: 'team' });
  await client.send(EX());
  const { incident_id: id } = await client.only();
  const until = new Date(Date.now() + 86_400_000).toISOString();
  const answer = await client.post(`/v1/incidents/${id}/snooze`, { until, for_occurrences: 1 });
  expect(answer.status).toBe(200);
  await Promise.all(Array.from({ length: SIGNALS }, () => client.send(EX())));
  await client.only(SIGNALS + 1);
  expect(await client.ledger('incident.woke')).toMatchObject([{ data: { because: 'occurrences' } }]);
});
