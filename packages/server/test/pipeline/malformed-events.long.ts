// Proves 49.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { malformedCorpus } from '../../../evidence/test/events/malformed-corpus.ts';
import { BUNDLES_LANE, REFRESHES_LANE } from '../../src/pipeline/bundles/queue/bundles.jobs.ts';
import { EVENTS_LANE } from '../../src/pipeline/incidents/processing/incidents.jobs.ts';
import { countRows, readNumber } from '../support/count-rows.ts';
import { startCulprit, type TestCulprit, type TestProject } from '../support/culprit.ts';
import { laneIsEmpty } from '../support/lane-jobs.ts';
import { moveClock } from '../support/move-clock.ts';
import { acknowledgement, sendRequest } from '../support/send-events.ts';

/** docs/contract/reliability.md test 49: the corpus over HTTP, through intake, worker and bundles. */

const SENDERS = 4;
const DRAIN_TIMEOUT_MS = 120_000;
const REFRESHES_WAIT_MS = 3_600_000;

const OVER_LIMITS = /^invalid_event: (?:nested deeper than 32 levels|more than 20000 values)$/;
/** The forms of docs/contract/ingestion.md 3.6. */
const REASON =
  /^(?:invalid_event|Invalid event_type: .{0,64}|invalid_event: (?:missing|unknown|invalid) field ".{0,256}"|invalid_event: conflicting fields ".{1,256}" and ".{1,256}"|capture_policy_rejected)$/su;

describe('the corpus of malformed events', () => {
  let culprit: TestCulprit;
  let project: TestProject;
  beforeAll(async () => {
    culprit = await startCulprit();
    project = await culprit.createProject({ preset: 'investigative' });
  });
  afterAll(() => culprit.stop());

  it('is answered case by case as the contract says, and never with a 5xx', {
    timeout: 120_000,
  }, async () => {
    const waiting = malformedCorpus.values();
    async function sendAll(): Promise<void> {
      for (const each of waiting) {
        const body = `{"events":[${each.json}]}`;
        const answer = await sendRequest(`${culprit.url}/v1/events`, { token: project.projectToken, body });
        const isOverLimits = depthOf(each.event) > 32 || countValues(each.event) > 20_000;
        expect([each.name, answer.status]).toEqual([each.name, 202]);
        const { accepted, rejected, errors } = acknowledgement(answer);
        const isRefusedForLimits = errors.some(({ reason }) => OVER_LIMITS.test(reason));
        expect([each.name, isRefusedForLimits]).toEqual([each.name, isOverLimits]);
        expect([each.name, accepted + rejected, errors.length]).toEqual([each.name, 1, rejected]);
        for (const { index, reason } of errors) {
          expect([each.name, index]).toEqual([each.name, 0]);
          if (!isOverLimits) expect(reason, each.name).toMatch(REASON);
          expect(reason.isWellFormed(), each.name).toBe(true);
        }
      }
    }
    await Promise.all(Array.from({ length: SENDERS }, sendAll));
  });

  it('is processed to its end without a dead letter or a failed bundle', { timeout: 300_000 }, async () => {
    await laneIsEmpty(culprit, EVENTS_LANE, DRAIN_TIMEOUT_MS);
    await laneIsEmpty(culprit, BUNDLES_LANE, DRAIN_TIMEOUT_MS);
    // Refreshes wait for more occurrences to come.
    await moveClock(culprit.database, REFRESHES_WAIT_MS);
    await laneIsEmpty(culprit, REFRESHES_LANE, DRAIN_TIMEOUT_MS);
    expect(await readNumber(culprit, 'sum(events)', `event_fates where fate = 'processed'`)).toBeGreaterThan(
      300,
    );
    expect({
      deadLetters: await countRows(culprit, 'dead_letters'),
      unprocessed: await countRows(culprit, 'batches where processed_at is null'),
      failedBundles: await countRows(culprit, `bundles where status = 'failed'`),
      incidentsWithoutBundle: await countRows(
        culprit,
        `incidents left join bundles b using (incident_id) where b.status is distinct from 'ready'`,
      ),
    }).toEqual({ deadLetters: 0, unprocessed: 0, failedBundles: 0, incidentsWithoutBundle: 0 });
  });

  it('leaves a service that still works', async () => {
    const headers = { authorization: `Bearer ${project.memberToken}` };
    for (const path of ['/v1/incidents?limit=100', '/v1/services?limit=100', '/ready']) {
      expect([path, (await fetch(culprit.url + path, { headers })).status]).toEqual([path, 200]);
    }
  });
});

/** Levels of objects and lists; without recursion, because some cases are deeper than a stack. */
function depthOf(value: unknown): number {
  let level = [value];
  let depth = 0;
  for (;;) {
    const containers = level.filter((each) => typeof each === 'object' && each !== null);
    if (containers.length === 0) return depth;
    depth += 1;
    level = containers.flatMap((each) => Object.values(each as object));
  }
}

function countValues(value: unknown): number {
  let count = 0;
  let level = [value];
  while (level.length > 0) {
    count += level.length;
    level = level.flatMap((each) => (typeof each === 'object' && each !== null ? Object.values(each) : []));
  }
  return count;
}
