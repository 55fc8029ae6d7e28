import { setTimeout as delay } from 'node:timers/promises';
import { isJsonObject } from '@culprit/evidence/events/envelope/json';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { named } from '../conformance/incidents-fixtures.ts';
import { SELF_HOSTED, startCulprit, type TestCulprit } from '../support/culprit.ts';
import { eventually } from '../support/eventually.ts';
import { connect } from '../support/incident-client.ts';
import { moveClock } from '../support/move-clock.ts';
import { type RoleProcess, startWorkerProcess } from '../support/role-process.ts';
import { chooseSeed, seededRandom } from '../support/seeded-random.ts';
import { sendRequest } from '../support/send-events.ts';
import { type Fault, startTrackerServer, type TrackerServer } from '../support/tracker-server.ts';
import { TRACKER_TOKEN } from '../support/trackers/tracker-store.ts';

/**
 * docs/contract/team-workflow.md 20, item 39: answers of trackers are cut off at random, before and after the ticket was
 * created, while the worker is killed. Each of 100 links has one ticket in the end.
 */

const SEED = chooseSeed();
const INCIDENTS = 25;
const KILLS = 8;
/** Longer than the lease of a tracker, so that the next worker need not wait for it. */
const STEP_MS = 120_000;
const KINDS = [
  { kind: 'github', target: 'acme/shop' },
  { kind: 'gitlab', target: 'acme/shop' },
  { kind: 'jira', target: 'ENG', user: 'ada@acme.example' },
  { kind: 'linear', target: 'ENG' },
];
const FAULTS: readonly Fault[] = ['lost', 'lost', 'lost', 'cut', { status: 502 }, { status: 429 }];

let culprit: TestCulprit;
let worker: RoleProcess;
const servers: TrackerServer[] = [];
beforeAll(async () => {
  culprit = await startCulprit({ hasWorker: false });
  worker = await startWorker();
});
afterAll(async () => {
  await worker?.kill();
  await culprit?.stop();
  for (const server of servers) await server.close();
});

const startWorker = () =>
  startWorkerProcess(culprit, { plans: SELF_HOSTED, hasBackground: true, retryScale: 0.03 });

it(`each of 100 tickets is created once (seed ${SEED})`, { timeout: 400_000 }, async () => {
  const random = seededRandom(SEED);
  const client = await connect(culprit);
  const { projectId, memberToken: token } = client.project;
  const ask = async (path: string, body?: object) =>
    await sendRequest(`${culprit.url}/v1${path}`, {
      token,
      ...(body === undefined ? { method: 'GET' } : { body: JSON.stringify(body) }),
    });
  await client.send(...Array.from({ length: INCIDENTS }, (_, n) => named(`Cut${n}`)));
  const incidents = await eventually(async () => {
    const found = await client.list({ project_id: projectId, limit: '100' });
    expect(found).toHaveLength(INCIDENTS);
    return found.map(({ incident_id: id }) => id);
  });
  for (const settings of KINDS) {
    const server = await startTrackerServer();
    servers.push(server);
    const made = await ask(`/projects/${projectId}/trackers`, {
      ...{ base_url: server.url, token: TRACKER_TOKEN, ...settings },
    });
    const tracker = isJsonObject(made.body) && isJsonObject(made.body.tracker) ? made.body.tracker : {};
    for (const id of incidents) {
      const linked = await ask(`/incidents/${id}/links`, { tracker_id: String(tracker.tracker_id) });
      expect(linked.status).toBe(201);
    }
    server.fail('POST', ...Array.from({ length: INCIDENTS }, () => random.pick(FAULTS)));
    server.fail('GET', ...Array.from({ length: 5 }, () => 'cut' as const));
  }

  for (let kills = 1; kills <= KILLS; kills += 1) {
    await delay(random.integer(50, 1_500));
    await worker.kill();
    // While no worker lives: a clock that jumps would end the lease of one at work.
    await moveClock(culprit.database, kills * STEP_MS);
    worker = await startWorker();
  }
  await eventually(async () => {
    // Instead of the waits after failures; one at work keeps its lease.
    await culprit.database.query({
      name: 'test-due',
      text: `update trackers set due_at = culprit_now()
        where due_at > culprit_now() and (leased_until is null or leased_until <= culprit_now())`,
    });
    const rows = await culprit.database.query<{ state: string; links: number }>({
      name: 'test-links',
      text: 'select state, count(*)::int as links from incident_links group by state',
    });
    expect(rows).toEqual([{ state: 'open', links: INCIDENTS * KINDS.length }]);
  }, 240_000);
  const tickets = servers.map((server) => server.tickets.length);
  const requests = servers.reduce((sum, server) => sum + server.requests.length, 0);
  console.info(`${tickets.join(', ')} tickets, ${requests} requests, ${KILLS} kills`);
  expect(tickets).toEqual(KINDS.map(() => INCIDENTS));
});
