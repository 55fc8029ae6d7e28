import { afterAll, beforeAll, expect, it } from 'vitest';
import type { OpenTracker } from '../../src/notify/trackers/open-trackers.queries.ts';
import { TRACKER_APIS } from '../../src/notify/trackers/tracker-apis.ts';
import { callsTo } from '../../src/notify/trackers/tracker-call.ts';
import { Secret } from '../../src/platform/secrets/secret.ts';
import type { RunOutcome } from '../../src/tickets/run-tracker.ts';
import { resultOf } from '../../src/tickets/work-on-trackers.ts';
import { LOCAL_RECEIVERS } from '../support/receivers-allowed.ts';
import { startTrackerServer, type TrackerServer } from '../support/tracker-server.ts';
import { TRACKER_TOKEN } from '../support/trackers/tracker-store.ts';

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
    ...{ trackerId: 't', projectId: 'p', kind: 'github', failures: 0, readUntilMs: 0, etag: null },
    ...{ isStopped: false, isReceiving: false, changedAtMs: NOW_MS },
    connection: {
      ...{ baseUrl: server.url, target: 'acme/shop', token: new Secret(TRACKER_TOKEN), user: null },
      ...{ issueType: null, extraFields: [], callbackUrl: null },
    },
    ...fields,
  };
}

function outcome(fields: Partial<RunOutcome>): RunOutcome {
  return {
    ...{ tracker: tracker(), failure: null, isCreating: false, isMoreLeft: false, isMoreToRead: false },
    ...{ isPolled: true, hasChanged: false, readUntilMs: null, etag: null },
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

it.each([
  ['github', 'acme/shop', null],
  ['gitlab', 'acme/shop', null],
  ['jira', 'ENG', 'ada@acme.example'],
  ['jira', 'ENG', null],
  ['linear', 'ENG', null],
] as const)(
  `of %s reads the last of ${TICKETS} tickets that changed in time, by few calls`,
  async (kind, target, user) => {
    // All of them in one moment, right after a reading.
    const begin = Date.now();
    const before = server.requests.length;
    server.tickets.length = 0;
    for (let n = 1; n <= TICKETS; n += 1) {
      server.tickets.push({
        ...{ number: n, uuid: `u-${n}`, title: `Ticket ${n}`, body: '', labels: [], isClosed: true },
        ...{ reason: null, updatedAtMs: begin, comments: [], backLinks: {}, assignee: null },
      });
    }
    const { readChanged } = TRACKER_APIS[kind];
    const connection = { ...tracker().connection, target, user };
    const call = callsTo(LOCAL_RECEIVERS, server.url);
    const calls: number[] = [];
    const seen = new Set<string>();
    let sinceMs = begin - 1;
    let atMs = waitAfter({});
    while (seen.size < TICKETS && atMs < 10 * MINUTE_MS) {
      const read = await readChanged?.(connection, call, sinceMs, null);
      for (let count = before + calls.length; count < server.requests.length; count += 1) calls.push(atMs);
      for (const { id } of read?.tickets ?? []) seen.add(id);
      if (seen.size === TICKETS) break;
      sinceMs = read?.untilMs ?? sinceMs;
      atMs += waitAfter({ isMoreToRead: (read?.untilMs ?? null) !== null, hasChanged: true });
    }
    expect(seen.size).toBe(TICKETS);
    expect(atMs).toBeLessThanOrEqual(RESOLVED_WITHIN_MS);
    for (const first of calls) {
      const inMinute = calls.filter((at) => at >= first && at < first + MINUTE_MS);
      expect(inMinute.length).toBeLessThanOrEqual(CALLS_MAX);
    }
  },
);

function waitAfter(fields: Partial<RunOutcome>): number {
  return resultOf(outcome(fields), NOW_MS).waitMs ?? Number.POSITIVE_INFINITY;
}
