import type { Transaction } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/statement.ts';
import { keysBetween } from '../../stored-events/hour-keys.ts';
import type { ServiceEvent } from './hold-groups.ts';

/** Looks of one transaction; calls beyond them open incidents of their page. */
const LOOKS_MAX = 100;
/** The longest delay with which a page may report a call after its server. */
const LATE_MAX_MS = 3_600_000;

/** An event of a page that shows a failure which its server reports as well. */
export interface Answered {
  /** The event to keep: with the incident of the server, and not counted. */
  kept: ServiceEvent;
  /** That incident, or the signal of the same transaction that has it. */
  answer: string | ServiceEvent;
}

/**
 * The failed calls of pages whose request failed at a server of the same environment (docs/contract/incidents.md 5.10).
 * Page and server name the call by one request id, so one failure is one incident: that of the server, which knows why.
 * @param signals that would be counted
 */
export async function findAnsweredCalls(
  transaction: Transaction,
  projectId: string,
  signals: readonly ServiceEvent[],
  nowMs: number,
): Promise<Map<ServiceEvent, Answered>> {
  const calls = signals
    .filter((each) => isOfPage(each) && each.event.eventType === 'request_event' && callKey(each) !== null)
    .slice(0, LOOKS_MAX);
  if (calls.length === 0) return new Map();
  const asked = calls.flatMap(({ hashes: { request: hash }, event }) => {
    const keys = hash === null ? [] : keysBetween(hash, nowMs - LATE_MAX_MS, nowMs);
    return keys.map((key) => ({ hash, key, environment: event.service.environment }));
  });
  const rows = await transaction.query<{ hash: string; environment: string; incident_id: string }>(
    sql('incidents-of-calls')`
        select distinct on (c.hash, c.environment) c.hash::text as hash, c.environment, e.incident_id
        from unnest($2::bigint[], $3::bigint[], $4::text[]) as c (hash, key, environment)
        join events e on e.request_hash = c.key
        join services s on s.service_id = e.service_id and s.environment = c.environment
        where e.project_id = $1 and e.is_counted and e.incident_id is not null and e.received_at > $5
          and s.runtime is distinct from 'browser'
        order by c.hash, c.environment, e.received_at desc`,
    [
      projectId,
      asked.map(({ hash }) => String(hash)),
      asked.map(({ key }) => String(key)),
      asked.map(({ environment }) => environment),
      new Date(nowMs - LATE_MAX_MS),
    ],
  );
  const answers = new Map<string, string | ServiceEvent>();
  for (const each of signals) {
    const key = isOfPage(each) ? null : callKey(each);
    if (key !== null) answers.set(key, each);
  }
  for (const row of rows) answers.set(`${row.hash} ${row.environment}`, row.incident_id);
  const found = new Map<ServiceEvent, Answered>();
  for (const each of calls) {
    const answer = answers.get(callKey(each) ?? '');
    if (answer !== undefined) {
      found.set(each, { kept: { ...each, record: { ...each.record, isDemoted: true } }, answer });
    }
  }
  return found;
}

/** The incident of each such event, once the signals of the transaction have theirs. */
export function incidentsOfAnswers(
  answered: ReadonlyMap<ServiceEvent, Answered>,
  incidentOf: ReadonlyMap<ServiceEvent, string>,
): [ServiceEvent, string][] {
  return [...answered.values()].flatMap(({ kept, answer }): [ServiceEvent, string][] => {
    const incidentId = typeof answer === 'string' ? answer : incidentOf.get(answer);
    return incidentId === undefined ? [] : [[kept, incidentId]];
  });
}

/** Returns true if a browser sent the event. */
export function isOfPage({ event }: ServiceEvent): boolean {
  return event.service.runtime === 'browser';
}

function callKey({ hashes, event }: ServiceEvent): string | null {
  return hashes.request === null ? null : `${hashes.request} ${event.service.environment}`;
}
