import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EVENTS_LANE } from '../../src/pipeline/incidents/processing/incidents.jobs.ts';
import { newUuid, parseId } from '../../src/platform/ids.ts';
import type { Plan } from '../../src/workspace/billing/plan.ts';
import { tokenHash } from '../../src/workspace/tokens/token.ts';
import { countRows, readNumber } from '../support/count-rows.ts';
import { HOSTED, startCulprit, type TestCulprit } from '../support/culprit.ts';
import { laneIsEmpty } from '../support/lane-jobs.ts';
import { holdClock } from '../support/move-clock.ts';
import { type RoleProcess, startWorkerProcess } from '../support/role-process.ts';
import { runSize } from '../support/run-size.ts';
import { chooseSeed, type SeededRandom, seededRandom } from '../support/seeded-random.ts';
import { sendEvents, sendRequest } from '../support/send-events.ts';
import { readOccurrences } from '../support/stored-events.ts';
import {
  createModelProject,
  createModelToken,
  expectBatch,
  type ModelEvent,
  type ModelProject,
  type ModelToken,
  type Preset,
  randomEvent,
} from './fate-model.ts';

/** Low enough that every plan meets its limit. */
const PLANS = { ...HOSTED, ingestionRatePerMinute: { free: 40, solo: 90, team: 140 } };
const PROJECTS: readonly (readonly [Plan, Preset])[] = [
  ['free', 'minimal'],
  ['free', 'investigative'],
  ['solo', 'balanced'],
  ['team', 'investigative'],
];
const ORIGIN = 'https://app.example.com';
const ROUNDS = runSize('CULPRIT_TEST_ROUNDS', { standard: 3, long: 8 });
const REQUESTS_PER_ROUND = 5;
const EVENTS_PER_REQUEST_MAX = 25;

const SEED = chooseSeed();

interface Sender {
  token: string;
  tokenId: string;
  headers: Record<string, string>;
  model: ModelToken;
  earlier: ModelEvent[];
}

interface Tenant {
  projectId: string;
  model: ModelProject;
  senders: Sender[];
}

describe(`fates of random events (seed ${SEED})`, () => {
  const random = seededRandom(SEED);
  let culprit: TestCulprit;
  let tenants: Tenant[];
  let worker: RoleProcess | null = null;
  let nowMs = Date.now();

  beforeAll(async () => {
    culprit = await startCulprit({ plans: PLANS, hasWorker: false });
    tenants = [];
    for (const [plan, preset] of PROJECTS) tenants.push(await createTenant(culprit, plan, preset));
  });
  afterAll(async () => {
    await worker?.kill();
    await culprit.stop();
  });

  it('are those of the model, however often the worker dies', { timeout: 120_000 }, async () => {
    const senders = tenants.flatMap((tenant) => tenant.senders);
    let killsWhileWorking = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      await holdClock(culprit.database, nowMs);
      worker = await startWorkerProcess(culprit, { plans: PLANS });
      const sending = senders.map((sender) => sendRound(culprit, sender, random, nowMs));
      const dieAfter = random.integer(1, 40);
      await Promise.race([Promise.all(sending), processedBatches(culprit, dieAfter)]);
      await worker.kill();
      worker = null;
      if ((await leasedJobs(culprit)) > 0) killsWhileWorking += 1;
      await Promise.all(sending);
      // Past the leases of the dead worker, and past the rate windows now and then.
      nowMs += random.pick([31_000, 45_000, 61_000]);
    }
    await holdClock(culprit.database, nowMs);
    worker = await startWorkerProcess(culprit, { plans: PLANS });
    await laneIsEmpty(culprit, EVENTS_LANE);
    expect(killsWhileWorking).toBeGreaterThan(0);

    for (const tenant of tenants) {
      for (const sender of tenant.senders) await expectTokenFates(culprit, tenant, sender);
      await expectProject(culprit, tenant);
    }
    expect(await countRows(culprit, 'dead_letters')).toBe(0);
    expect(await countRows(culprit, 'batches where processed_at is null and split_at is null')).toBe(0);
  });
});

async function createTenant(culprit: TestCulprit, plan: Plan, preset: Preset): Promise<Tenant> {
  const { projectId, projectToken } = await culprit.createProject({ plan, preset });
  const boundToken = await culprit.createProjectToken(projectId, [ORIGIN]);
  const model = createModelProject(plan, preset);
  const earlier: ModelEvent[] = [];
  const senders: Sender[] = [];
  for (const [token, headers] of [
    [projectToken, {}],
    [boundToken, { origin: ORIGIN }],
  ] as const) {
    const tokenId = await findTokenId(culprit, token);
    const limit = PLANS.ingestionRatePerMinute[plan];
    senders.push({ token, tokenId, headers, model: createModelToken(model, limit), earlier });
  }
  return { projectId, model, senders };
}

async function findTokenId(culprit: TestCulprit, token: string): Promise<string> {
  const [row] = await culprit.database.query<{ token_id: string }>(
    { name: 'test-token-id', text: 'select token_id from project_tokens where token_hash = $1' },
    [tokenHash(token)],
  );
  return row?.token_id ?? '';
}

/** One token's requests, one after the other, each answered as the model says. */
async function sendRound(
  culprit: TestCulprit,
  { token, headers, model, earlier }: Sender,
  random: SeededRandom,
  nowMs: number,
): Promise<void> {
  const batches = Array.from({ length: REQUESTS_PER_ROUND }, () =>
    Array.from({ length: random.integer(0, EVENTS_PER_REQUEST_MAX) }, () =>
      randomEvent(random, earlier, newUuid),
    ),
  );
  const breaksAt = random.chance(0.5) ? random.integer(0, REQUESTS_PER_ROUND - 1) : null;
  for (const [index, batch] of batches.entries()) {
    if (index === breaksAt) await sendBroken(culprit, token, headers);
    const wanted = expectBatch(model, batch, nowMs);
    const answer = await sendEvents(
      culprit.url,
      token,
      batch.map((event) => event.body),
      headers,
    );
    if (wanted.status === 429) {
      expect(answer).toMatchObject({ status: 429, body: { error: 'rate_limited' } });
    } else {
      expect(answer).toMatchObject({
        status: 202,
        body: { accepted: wanted.accepted, rejected: wanted.errors.length, errors: wanted.errors },
      });
    }
  }
}

/** Refused as a whole: no fate, no budget. */
async function sendBroken(
  culprit: TestCulprit,
  token: string,
  headers: Record<string, string>,
): Promise<void> {
  const url = `${culprit.url}/v1/events`;
  expect((await sendRequest(url, { token, headers, body: '{"events":[{}' })).status).toBe(400);
  expect((await sendRequest(url, { token: `${token}0`, headers, body: '{"events":[{}]}' })).status).toBe(401);
}

async function processedBatches(culprit: TestCulprit, more: number): Promise<void> {
  const processed = () => countRows(culprit, 'batches where processed_at is not null');
  const target = (await processed()) + more;
  while ((await processed()) < target) await new Promise((resolve) => setTimeout(resolve, 2));
}

async function leasedJobs(culprit: TestCulprit): Promise<number> {
  return await countRows(culprit, 'jobs where leased_until > culprit_now()');
}

async function expectTokenFates(culprit: TestCulprit, tenant: Tenant, sender: Sender): Promise<void> {
  const rows = await culprit.database.query<{ fate: string; events: number; project_id: string }>(
    {
      name: 'test-token-fates',
      text: `select fate, project_id, sum(events)::bigint as events from event_fates
        where token_id = $1 group by fate, project_id`,
    },
    [sender.tokenId],
  );
  expect(rows.every((row) => row.project_id === parseId(['proj'], tenant.projectId))).toBe(true);
  const {
    submitted,
    processed = 0,
    duplicate = 0,
    ...refused
  } = Object.fromEntries(rows.map((row) => [row.fate, row.events]));
  const { accepted, ...fates } = sender.model.fates;
  // Which of two tokens a repeated id counts for is theirs to race for.
  expect({ ...refused, submitted, accepted: processed + duplicate }).toEqual({
    ...Object.fromEntries(Object.entries(fates).filter(([, events]) => events > 0)),
    accepted,
  });
  const others = rows.filter((row) => row.fate !== 'submitted').reduce((sum, row) => sum + row.events, 0);
  expect(others).toBe(submitted);
}

async function expectProject(culprit: TestCulprit, { projectId, model }: Tenant): Promise<void> {
  const id = [parseId(['proj'], projectId) ?? ''];
  expect({
    processed: await readNumber(
      culprit,
      'sum(events)',
      `event_fates where project_id = $1 and fate = 'processed'`,
      id,
    ),
    events: await countRows(culprit, 'events where project_id = $1', id),
    ids: await countRows(culprit, 'events where project_id = $1 and id_hash is not null', id),
    billed: await readNumber(
      culprit,
      'sum(used)',
      `usage_counters join projects using (organization_id)
        where project_id = $1 and meter = 'monthly_raw_ingested_events'`,
      id,
    ),
  }).toEqual({
    processed: model.processed,
    events: model.processed,
    ids: model.seen.size,
    billed: model.billed,
  });
  const wanted = [...model.occurrences].map(([title, occurrences]) => ({ title, occurrences }));
  expect(await readOccurrences(culprit, projectId)).toEqual(
    wanted.sort((a, b) => (a.title < b.title ? -1 : 1)),
  );
}
