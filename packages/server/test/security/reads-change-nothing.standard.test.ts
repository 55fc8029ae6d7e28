import { api } from '@culprit/contract/endpoints/api';
import { type Endpoint, needsFullAccess } from '@culprit/contract/endpoints/endpoint';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { LATE_MAPS_LANE, MAPS_LANE } from '../../src/maps/maps.jobs.ts';
import { BUNDLES_LANE, REFRESHES_LANE } from '../../src/pipeline/bundles/queue/bundles.jobs.ts';
import { EVENTS_LANE } from '../../src/pipeline/incidents/processing/incidents.jobs.ts';
import { FACTS_LANE } from '../../src/pipeline/incidents/searching/facts.jobs.ts';
import { countRows } from '../support/count-rows.ts';
import { snapshotDatabase } from '../support/database-snapshot.ts';
import { eventually } from '../support/eventually.ts';
import { type CallerStage, callers } from './callers.ts';
import { sendOperation } from './operation-request.ts';
import { operationRequests } from './operation-requests.ts';
import { openTheatre, type Theatre } from './stage.ts';

/**
 * What a token that may only read is let in to changes nothing in the database: the right to change hangs on the
 * endpoint's constant, and this asks the database whether the constant is true.
 */

/** Tables in which each request may leave that it happened, and nothing else. */
const TRACES = new Set(['member_tokens']);

let theatre: Theatre;
let stage: CallerStage;
beforeAll(async () => {
  theatre = await openTheatre();
  stage = await theatre.newStage();
});
afterAll(() => theatre?.stop());

const open = api.filter((each) => each.auth === 'member' && !needsFullAccess(each));
const reader = callers.find(({ isReading }) => isReading === true);

it.each(open.map((endpoint): [string, Endpoint] => [`${endpoint.method} ${endpoint.path}`, endpoint]))(
  '%s changes nothing',
  async (_name, endpoint) => {
    const make = operationRequests[endpoint.id];
    if (make === undefined || reader === undefined) throw new Error(`no request for ${endpoint.id}`);
    const request = await make(stage, stage.tenant.owner);
    const presented = await reader.present(stage);
    const before = await settledDatabase();
    const { status } = await sendOperation(stage.culprit.url, endpoint, request, presented);
    const after = await snapshotDatabase(stage.culprit.database);
    // The installation is its operator's alone.
    expect(status).toBe(endpoint.scope?.of === 'installation' ? 404 : 200);
    expect(
      Object.keys(after).filter((table) => after[table] !== before[table] && !TRACES.has(table)),
    ).toEqual([]);
  },
);

/** The database once what the preparations began is done. */
async function settledDatabase(): Promise<Record<string, string>> {
  // Facts of signals wait some seconds for company, and maps cause further jobs; their look a minute later is none of these.
  const waiting = "jobs where lane = any($1) and run_at < culprit_now() + interval '15 seconds'";
  const lanes = [EVENTS_LANE, BUNDLES_LANE, REFRESHES_LANE, FACTS_LANE, MAPS_LANE, LATE_MAPS_LANE];
  await eventually(async () => expect(await countRows(stage.culprit, waiting, [lanes])).toBe(0));
  // During an attempt, the next one is due at the end of its claim.
  const underway =
    "webhook_deliveries where leased_until is not null or next_attempt_at < culprit_now() + interval '15 seconds'";
  await eventually(async () => expect(await countRows(stage.culprit, underway)).toBe(0));
  const unplanned = 'weekly_report_channels where is_enabled and next_due_at is null';
  await eventually(async () => expect(await countRows(stage.culprit, unplanned)).toBe(0));
  let last = await snapshotDatabase(stage.culprit.database);
  return await eventually(async () => {
    const before = last;
    last = await snapshotDatabase(stage.culprit.database);
    expect(last).toEqual(before);
    return last;
  });
}
