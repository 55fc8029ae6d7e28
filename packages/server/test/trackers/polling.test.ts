import { afterAll, beforeAll, expect, it } from 'vitest';
import type { OpenTracker } from '../../src/notify/trackers/open-trackers.queries.ts';
import { TRACKER_APIS } from '../../src/notify/trackers/tracker-apis.ts';
import { callsTo } from '../../src/notify/trackers/tracker-call.ts';
import { Secret } from '../../src/platform/secrets/secret.ts';
import type { RunOutcome } from '../../src/tickets/run-tracker.ts';
import { resultOf } from '../../src/tickets/work-on-trackers.ts';
import { LOCAL_RECEIVERS } from '../support/receivers-allowed.ts';
import { startTrackerServer, TRACKER_TOKEN, type TrackerServer } from '../support/tracker-server.ts';

/** docs/contract/team-workflow.md 20, item 44: a tracker without a webhook is read often enough, and not too often. */

const TICKETS = 500;
const MINUTE_MS = 60_000;
const NOW_MS = 1_800_000_000_000;
const CALLS_MAX = 10;
const RESOLVED_WITHIN_MS = 90_000;

let server: TrackerServer;
beforeAll(async () => {
  server = await startTrackerServer();
});
afterAll(() => server.close());

function tracker(fields: Partial<OpenTracker> = {}): OpenTracker {
  return {
    ...{ trackerId: 't', projectId: 'p', kind: 'github', failures: 0, readUntilMs: 0 },
    ...{ isStopped: false, isReceiving: false, changedAtMs: NOW_MS },
    sync: {
      ...{ closeOnResolve: true, reopenOnRegress: true, resolveOnClose: true, wontFix: 'snooze' },
      ...{ assignee: 'none', notesSinceMs: null },
    },
    connection: {
      ...{ baseUrl: server.url, target: 'acme/shop', token: new Secret(TRACKER_TOKEN), user: null },
      ...{ issueType: null, callbackUrl: null },
    },
    ...fields,
  };
}

function outcome(fields: Partial<RunOutcome>): RunOutcome {
  return {
    ...{ tracker: tracker(), failure: null, isCreating: false, isMoreLeft: false, isMoreToRead: false },
    ...{ isPolled: true, hasChanged: false, readUntilMs: null },
    ...fields,
  };
}

it('is read each minute, and rarely once a webhook comes or nothing changed for a day', () => {
  const waitOf = (fields: Partial<OpenTracker>) =>
    resultOf(outcome({ tracker: tracker(fields) }), NOW_MS).waitMs ?? Number.POSITIVE_INFINITY;
  expect(waitOf({})).toBeLessThanOrEqual(RESOLVED_WITHIN_MS);
  expect(waitOf({ isReceiving: true })).toBe(10 * MINUTE_MS);
  expect(waitOf({ changedAtMs: NOW_MS - 25 * 60 * MINUTE_MS })).toBe(10 * MINUTE_MS);
});

it(`makes at most ${CALLS_MAX} calls in each minute, even when all ${TICKETS} tickets have changed`, async () => {
  const [ticket] = await fill();
  const { readChanged } = TRACKER_APIS.github;
  const { connection } = tracker();
  const calls: number[] = [];
  const seen = new Set<string>();
  let sinceMs = (ticket?.updatedAtMs ?? 0) - 1;
  let atMs = 0;
  while (seen.size < TICKETS && atMs < 10 * MINUTE_MS) {
    const before = server.requests.length;
    const read = await readChanged?.(connection, callsTo(LOCAL_RECEIVERS, server.url), sinceMs);
    for (let call = before; call < server.requests.length; call += 1) calls.push(atMs);
    for (const { id } of read?.tickets ?? []) seen.add(id);
    sinceMs = read?.untilMs ?? sinceMs;
    const isMoreToRead = (read?.untilMs ?? null) !== null;
    atMs += resultOf(outcome({ isMoreToRead, hasChanged: true }), NOW_MS).waitMs ?? 0;
  }
  expect(seen.size).toBe(TICKETS);
  for (const begin of calls) {
    const inMinute = calls.filter((at) => at >= begin && at < begin + MINUTE_MS);
    expect(inMinute.length).toBeLessThanOrEqual(CALLS_MAX);
  }
});

/** Tickets that changed one after the other. */
async function fill() {
  const begin = NOW_MS - TICKETS;
  for (let n = 1; n <= TICKETS; n += 1) {
    server.tickets.push({
      ...{ number: n, uuid: `u-${n}`, title: `Ticket ${n}`, body: '', labels: [], isClosed: n === TICKETS },
      ...{ reason: null, updatedAtMs: begin + n, comments: [], assignee: null },
    });
  }
  return server.tickets;
}
