import { isJsonObject } from '@culprit/evidence/events/envelope/json';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { OpenTracker } from '../../src/notify/trackers/open-trackers.queries.ts';
import { TRACKER_APIS } from '../../src/notify/trackers/tracker-apis.ts';
import { callsTo } from '../../src/notify/trackers/tracker-call.ts';
import { parseId } from '../../src/platform/ids.ts';
import { Secret } from '../../src/platform/secrets/secret.ts';
import { type RunOutcome, runTracker } from '../../src/tickets/run-tracker.ts';
import { resultOf } from '../../src/tickets/work-on-trackers.ts';
import { copyIncidents } from '../support/copy-incidents.ts';
import { linkedBench } from '../support/linked-bench.ts';
import { LOCAL_RECEIVERS } from '../support/receivers-allowed.ts';
import { runSize } from '../support/run-size.ts';
import { ticketOptions } from '../support/ticket-options.ts';
import { startTrackerServer, type TrackerServer } from '../support/tracker-server.ts';
import { TRACKER_TOKEN } from '../support/trackers/tracker-store.ts';

/** docs/contract/team-workflow.md 20, item 44: a tracker without a webhook is read often enough, and not too often. */

const TICKETS = 500;
const LINKS = runSize('CULPRIT_TEST_LINKS', { standard: 150, long: 500 });
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
    expect(mostInMinute(calls)).toBeLessThanOrEqual(CALLS_MAX);
  },
);

it(`with ${LINKS} links resolves the incidents of all that are closed at once, by few calls`, {
  timeout: 120_000,
}, async () => {
  const { culprit, world, linkId } = await linkedBench();
  const { client, server: github, trackerId } = world;
  const projectId = parseId(['proj'], client.project.projectId) ?? '';
  const changed = `jsonb_build_object('incident_id', ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid,
    'number', 1000000 + n, 'fingerprint', '\\x' || encode(sha256(n::text::bytea), 'hex'))`;
  const from = `incidents i, generate_series(2, ${LINKS}) n where i.project_id = $1`;
  await copyIncidents(culprit.database, { changed, from }, [projectId]);
  await culprit.database.query(
    {
      name: 'test-many-links',
      text: `insert into incident_links select (jsonb_populate_record(k, jsonb_build_object(
          'link_id', gen_random_uuid(), 'incident_id', i.incident_id, 'remote_id', (i.number - 1000000)::text))).*
        from incident_links k, incidents i where k.link_id = $1 and i.project_id = $2 and i.number > 1000000`,
    },
    [linkId, projectId],
  );
  const [first] = github.tickets;
  for (let number = 2; number <= LINKS && first !== undefined; number += 1)
    github.tickets.push({ ...first, number, uuid: `uuid-${number}`, comments: [] });
  for (let number = 1; number <= LINKS; number += 1) github.move(number, true, 'completed');

  const options = await ticketOptions(culprit);
  const calls: number[] = [];
  const begin = github.requests.length;
  let isResolved = false;
  let atMs = waitAfter({});
  while (!isResolved && atMs < 10 * MINUTE_MS) {
    // Due by hand, because another worker is not to take it: its times are those of the test.
    const set =
      'update trackers set is_stopped = $2, due_at = null, read_until = coalesce($3, read_until) where tracker_id = $1';
    const save = (isStopped: boolean, readUntilMs: number | null) =>
      culprit.database.query({ name: 'test-tracker-due', text: set }, [
        ...[trackerId, isStopped, readUntilMs === null ? null : new Date(readUntilMs)],
      ]);
    await save(false, null);
    const run = await runTracker(options, trackerId, new AbortController().signal);
    await save(true, run?.readUntilMs ?? null);
    for (let count = begin + calls.length; count < github.requests.length; count += 1) calls.push(atMs);
    const { body } = await client.get(
      `/v1/incidents/count?project_id=${client.project.projectId}&q=is:resolved`,
    );
    isResolved = isJsonObject(body) && body.count === LINKS;
    if (!isResolved) atMs += run === null ? MINUTE_MS : (resultOf(run, Date.now()).waitMs ?? MINUTE_MS);
  }
  expect(atMs).toBeLessThanOrEqual(RESOLVED_WITHIN_MS);
  expect(mostInMinute(calls)).toBeLessThanOrEqual(CALLS_MAX);
});

function mostInMinute(calls: readonly number[]): number {
  return Math.max(
    ...calls.map((first) => calls.filter((at) => at >= first && at < first + MINUTE_MS).length),
  );
}

function waitAfter(fields: Partial<RunOutcome>): number {
  return resultOf(outcome(fields), NOW_MS).waitMs ?? Number.POSITIVE_INFINITY;
}
