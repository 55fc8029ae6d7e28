import { afterAll, beforeAll, expect, it } from 'vitest';
import { EVENTS_LANE } from '../../src/pipeline/incidents/processing/incidents.jobs.ts';
import { LEASE_SECONDS } from '../../src/platform/jobs/job-queue.ts';
import { countRows } from '../support/count-rows.ts';
import { SELF_HOSTED, startCulprit, type TestCulprit } from '../support/culprit.ts';
import { eventually } from '../support/eventually.ts';
import { laneIsEmpty } from '../support/lane-jobs.ts';
import { managementClient } from '../support/management-client.ts';
import { moveClock } from '../support/move-clock.ts';
import { type RoleProcess, startWorkerProcess } from '../support/role-process.ts';
import { acknowledgement, sendEvents } from '../support/send-events.ts';

/**
 * Owners of new incidents (docs/contract/team-workflow.md 2.3) while workers die in the middle of their work: the
 * transaction that opens an incident assigns it.
 */

const EVENTS_PER_REQUEST = 40;
const KILLS = 2;
/** Due work is looked for after a fiftieth of the pause, because clocks are moved. */
const WORKER = { plans: SELF_HOSTED, hasBackground: true, retryScale: 0.02 };
const INCIDENTS = (KILLS + 1) * EVENTS_PER_REQUEST;

let culprit: TestCulprit;
const workers: RoleProcess[] = [];
beforeAll(async () => {
  culprit = await startCulprit({ plans: SELF_HOSTED, hasWorker: false });
});
afterAll(async () => {
  await Promise.all(workers.map((each) => each.kill()));
  await culprit.stop();
});

it('an incident that a line of the ownership fits is assigned once, whenever a worker is killed', {
  timeout: 240_000,
}, async () => {
  const project = await culprit.createProject({ email: 'owner@example.test' });
  const owner = managementClient(culprit, project.memberToken);
  const saved = await owner.post(`/v1/projects/${project.projectId}/ownership`, {
    text: '* owner@example.test',
    version: 0,
  });
  expect(saved.status).toBe(200);
  const opened = () => countRows(culprit, 'incidents');
  const unowned = () =>
    countRows(
      culprit,
      `incidents i where not exists (select from incident_triage t
        where t.incident_id = i.incident_id and t.assignee_user_id is not null)`,
    );
  const send = async (from: number) => {
    const events = Array.from({ length: EVENTS_PER_REQUEST }, (_, n) => ({
      event_type: 'backend_exception',
      timestamp: new Date().toISOString(),
      service: { name: 'api', environment: 'production' },
      payload: { name: `Error${letters(from + n)}`, message: 'broke', stack: null },
    }));
    const answer = acknowledgement(await sendEvents(culprit.url, project.projectToken, events));
    expect(answer.accepted).toBe(EVENTS_PER_REQUEST);
  };
  for (let kill = 0; kill < KILLS; kill += 1) {
    const before = await opened();
    await send(kill * EVENTS_PER_REQUEST);
    const worker = await startWorkerProcess(culprit, WORKER);
    workers.push(worker);
    await eventually(async () => expect(await opened()).toBeGreaterThan(before));
    await worker.kill();
    // What was committed is whole: no incident is there without its owner, even for a moment.
    expect(await unowned()).toBe(0);
    // Past its leases, so that the next worker does not wait for them.
    await moveClock(culprit.database, (kill + 1) * LEASE_SECONDS * 1000);
  }
  await send(KILLS * EVENTS_PER_REQUEST);
  workers.push(await startWorkerProcess(culprit, WORKER));
  await laneIsEmpty(culprit, EVENTS_LANE, 90_000);
  expect(await opened()).toBe(INCIDENTS);
  expect(await unowned()).toBe(0);
  // Each was assigned once, however often its events were worked on.
  expect(await countRows(culprit, `lifecycle_events where kind = 'incident.assigned'`)).toBe(INCIDENTS);
});

/** A number as letters: digits in a name are left out of the fingerprint. */
function letters(number: number): string {
  return [...String(number)].map((digit) => 'abcdefghij'[Number(digit)]).join('');
}
