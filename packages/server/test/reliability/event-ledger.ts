import { identifierHash } from '@culprit/evidence/events/redact/identifier-hash';
import { hourKey } from '../../src/pipeline/stored-events/hour-keys.ts';
import type { Database } from '../../src/platform/db/database.ts';

/**
 * What a client knows of the events it sent, against what was counted of them. The verdict of every durability test:
 * answered 202 counts exactly once, no answer or 503 at most once, refused never (docs/contract/reliability.md part B).
 */
export interface EventLedger {
  /** Tells of one sending; an event that is sent again under its id is told of again. */
  note(sent: readonly SentEvent[], answer: ClientAnswer): void;
  /** Events with at least one sending of that answer. */
  count(answer: ClientAnswer): number;
  judge(found: readonly CountedEvent[]): Verdict;
}

/** `unknown` is a 503 or no answer at all. */
export type ClientAnswer = 'accepted' | 'unknown' | 'refused';

export interface SentEvent {
  /** Unlike that of every other event; stored with it as its request id. */
  key: string;
  /** Events of one group belong to one incident. */
  group: string;
  /** The JSON value sent. */
  body: object;
  /** Refused whenever it is looked at. */
  isFaulty: boolean;
}

/** A counted occurrence as the database has it: its key as the hash of a request id. */
interface CountedEvent {
  keyHash: string | null;
  title: string | null;
}

/** Keys that break the promise; each list is empty when it was kept. */
export interface Verdict {
  lost: string[];
  twice: string[];
  countedThoughRefused: string[];
  inWrongIncident: string[];
  neverSent: string[];
}

export const KEPT: Verdict = {
  lost: [],
  twice: [],
  countedThoughRefused: [],
  inWrongIncident: [],
  neverSent: [],
};

export function createEventLedger(): EventLedger {
  const entries = new Map<string, { group: string; answers: Set<ClientAnswer> }>();
  const keysByHash = new Map<string, string>();

  return {
    note(sent, answer) {
      for (const { key, group, isFaulty } of sent) {
        const own = isFaulty ? 'refused' : answer;
        const known = entries.get(key);
        if (known === undefined) entries.set(key, { group, answers: new Set([own]) });
        else known.answers.add(own);
        keysByHash.set(keyHashOf(key), key);
      }
    },
    count: (answer) => [...entries.values()].filter(({ answers }) => answers.has(answer)).length,
    judge(found) {
      const counts = new Map<string, number>();
      const verdict: Verdict = structuredClone(KEPT);
      for (const { keyHash, title } of found) {
        const key = keysByHash.get(keyHash ?? '');
        const entry = entries.get(key ?? '');
        if (key === undefined || entry === undefined) {
          verdict.neverSent.push(String(keyHash));
          continue;
        }
        counts.set(key, (counts.get(key) ?? 0) + 1);
        if (title !== titleOf(entry.group)) verdict.inWrongIncident.push(key);
      }
      for (const [key, { answers }] of entries) {
        const count = counts.get(key) ?? 0;
        if (answers.has('accepted') && count === 0) verdict.lost.push(key);
        if (count > 1) verdict.twice.push(key);
        if (answers.size === 1 && answers.has('refused') && count > 0) verdict.countedThoughRefused.push(key);
      }
      return verdict;
    },
  };
}

/** So long ago that no spike is looked for, and recent enough to be believed. */
const TEN_DAYS_AGO = new Date(Date.now() - 10 * 86_400_000).toISOString();

/** An exception of a group. `hasId` gives it an `event_id`, so that it may be sent again. */
export function ledgerEvent(key: string, group: string, hasId: boolean): SentEvent {
  return {
    key,
    group,
    isFaulty: false,
    body: {
      event_type: 'backend_exception',
      timestamp: TEN_DAYS_AGO,
      ...(hasId ? { event_id: key } : {}),
      service: { name: 'api-server', environment: 'production' },
      correlation: { request_id: key },
      payload: {
        name: `${group}Error`,
        message: `${group} broke`,
        stack: `${group}Error: ${group} broke\n    at ${group} (/app/src/${group}.js:4:2)`,
      },
    },
  };
}

/** The same, so that its shape is refused. */
export function makeFaulty(event: SentEvent): SentEvent {
  return { ...event, body: { ...event.body, colour: 'red' }, isFaulty: true };
}

function titleOf(group: string): string {
  return `${group}Error: ${group} broke`;
}

/** The hash of a key as `readCountedEvents` returns it, whatever the hour of its receipt is. */
export function keyHashOf(key: string): string {
  return String(hourKey(identifierHash(key), 0));
}

/** Every event row of the projects. */
export async function readCountedEvents(
  database: Database,
  projectIds: readonly string[],
): Promise<CountedEvent[]> {
  return await database.query<{ keyHash: string | null; title: string | null }>(
    {
      name: 'test-ledger-events',
      text: `select hour_key(e.request_hash, 'epoch')::text as "keyHash", i.title from events e left join incidents i using (incident_id)
        where e.project_id = any ($1::uuid[])`,
    },
    [[...projectIds]],
  );
}

const RELEASES = 3;

/** The same, with the release of its group, so that incidents tell how many events a release has. */
export function withRelease(event: SentEvent): SentEvent {
  return {
    ...event,
    body: { ...event.body, context: { release: `shop@1.${event.group.length % RELEASES}.0` } },
  };
}

/**
 * Releases whose counts are not those of their events and incidents and of the regressions in the ledger, with both;
 * empty where all are right.
 */
export async function findMiscountedReleases(
  database: Database,
  projectIds: readonly string[],
): Promise<object[]> {
  return await database.query(
    {
      name: 'test-ledger-releases',
      text: `with counted as (
          select r.project_id, r.version, coalesce(sum(d.events), 0)::integer as events,
            coalesce(sum(d.new_incidents), 0)::integer as incidents,
            coalesce(sum(d.regressed_incidents), 0)::integer as regressed
          from releases r left join release_days d using (project_id, release_id)
          where r.project_id = any ($1::uuid[]) group by r.project_id, r.version
        ), found as (
          select i.project_id, i.first_release as version, count(distinct i.incident_id)::integer as incidents,
            count(*) filter (where e.is_counted)::integer as events
          from incidents i join events e using (incident_id)
          where i.project_id = any ($1::uuid[]) group by i.project_id, i.first_release
        ), told as (
          select project_id, data->>'release' as version, count(*)::integer as regressed
          from lifecycle_events where project_id = any ($1::uuid[]) and kind = 'incident.regressed'
          group by project_id, data->>'release'
        )
        select coalesce(c.version, f.version) as version, c.events as counted, f.events, c.incidents as "counted incidents",
          f.incidents, c.regressed as "counted regressions", t.regressed as regressions
        from counted c full join found f using (project_id, version) full join told t using (project_id, version)
        where (c.events, c.incidents, c.regressed)
          is distinct from (f.events, f.incidents, coalesce(t.regressed, 0))`,
    },
    [[...projectIds]],
  );
}

/** Regressions of the projects that the ledger tells of. */
export async function countRegressions(database: Database, projectIds: readonly string[]): Promise<number> {
  const [row] = await database.query<{ regressions: number }>(
    {
      name: 'test-ledger-regressions',
      text: `select count(*)::integer as regressions from lifecycle_events
        where project_id = any ($1::uuid[]) and kind = 'incident.regressed'`,
    },
    [[...projectIds]],
  );
  return row?.regressions ?? 0;
}
