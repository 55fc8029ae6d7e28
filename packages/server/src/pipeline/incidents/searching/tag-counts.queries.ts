import { columnLiterals, unnestColumns } from '../../../platform/db/bulk-rows.ts';
import type { Queryable, Transaction } from '../../../platform/db/database.ts';
import { inTransaction, sql } from '../../../platform/db/statement.ts';

/** Statements that count tags. */

/** A count of an incident. */
export interface IncidentTagCount {
  incident_id: string;
  key: string;
  value: string;
  count: number;
  first_seen_at: string;
  last_seen_at: string;
}

/** A count of all signals of a project on a day. */
export interface ProjectTagCount {
  /** `2026-03-24`. */
  day: string;
  key: string;
  value: string;
  count: number;
}

const INCIDENT_COLUMNS = [
  ['incident_id', 'uuid'],
  ['key', 'text'],
  ['value', 'text'],
  ['count', 'bigint'],
  ['first_seen_at', 'timestamptz'],
  ['last_seen_at', 'timestamptz'],
] as const;

const PROJECT_COLUMNS = [
  ['day', 'date'],
  ['key', 'text'],
  ['value', 'text'],
  ['count', 'bigint'],
] as const;

/** Returns true if the project exists, which is held until the transaction ends. */
export const holdProject = inTransaction.exists<[projectId: string]>(
  'facts-project',
  'select from projects where project_id = $1 and deleted_at is null for key share',
);

/** Which of these incidents are there. */
export async function findLiveIncidents(
  database: Queryable,
  projectId: string,
  incidentIds: readonly string[],
): Promise<Map<string, { isSample: boolean }>> {
  const rows = await database.query<{ incident_id: string; is_sample: boolean }>(
    sql('facts-incidents')`select incident_id, sample_id is not null as is_sample from incidents
        where incident_id = any ($2::uuid[]) and project_id = $1`,
    [projectId, [...incidentIds]],
  );
  return new Map(rows.map((row) => [row.incident_id, { isSample: row.is_sample }]));
}

/** Adds to counts that are there; returns those that are not. */
export async function addToIncidentTags(
  transaction: Transaction,
  projectId: string,
  counts: readonly IncidentTagCount[],
): Promise<IncidentTagCount[]> {
  if (counts.length === 0) return [];
  const [row] = await transaction.query<{ known: number[] }>(ADD_TO_INCIDENTS, [
    projectId,
    ...columnLiterals(INCIDENT_COLUMNS, counts.map(plain)),
  ]);
  return withoutKnown(counts, row?.known ?? []);
}

const ADD_TO_INCIDENTS = sql('incident-tags-add')`with known as (
      update incident_tags t set count = t.count + g.count,
        first_seen_at = least(t.first_seen_at, g.first_seen_at), last_seen_at = greatest(t.last_seen_at, g.last_seen_at)
      from unnest($2::uuid[], $3::text[], $4::text[], $5::bigint[], $6::timestamptz[], $7::timestamptz[])
        with ordinality as g (incident_id, key, value, count, first_seen_at, last_seen_at, n)
      where t.project_id = $1 and t.key = g.key and t.value = g.value and t.incident_id = g.incident_id
      returning g.n::integer as n
    )
    select coalesce(array_agg(n), '{}') as known from known`;

/** Inserts counts; if one was inserted since, it is added to that. */
export function insertIncidentTags(
  transaction: Transaction,
  projectId: string,
  counts: readonly IncidentTagCount[],
): void {
  if (counts.length === 0) return;
  transaction.send(INSERT_INCIDENT_TAGS, [projectId, ...columnLiterals(INCIDENT_COLUMNS, counts.map(plain))]);
}

const INSERT_INCIDENT_TAGS = sql(
  'incident-tags-insert',
)`insert into incident_tags as t (project_id, incident_id, key, value, count, first_seen_at, last_seen_at)
    select $1, g.* from ${unnestColumns(INCIDENT_COLUMNS, 2, 'g')}
    on conflict (project_id, key, value, incident_id) do update set count = t.count + excluded.count,
      first_seen_at = least(t.first_seen_at, excluded.first_seen_at),
      last_seen_at = greatest(t.last_seen_at, excluded.last_seen_at)`;

/** Returns how many values each key of some incidents has, by incident id and key. */
export async function countTagValues(
  database: Queryable,
  incidentIds: readonly string[],
): Promise<Map<string, Map<string, number>>> {
  const rows = await database.query<{ owner: string; key: string; values: number }>(
    sql(
      'incident-tags-values',
    )`select incident_id as owner, key, count(*)::integer as values from incident_tags
        where incident_id = any ($1::uuid[]) group by incident_id, key`,
    [[...incidentIds]],
  );
  return valuesByOwner(rows);
}

/** Adds to counts of days that are there; returns those that are not. */
export async function addToProjectTags(
  transaction: Transaction,
  projectId: string,
  counts: readonly ProjectTagCount[],
): Promise<ProjectTagCount[]> {
  if (counts.length === 0) return [];
  const [row] = await transaction.query<{ known: number[] }>(ADD_TO_PROJECT, [
    projectId,
    ...columnLiterals(
      PROJECT_COLUMNS,
      counts.map((each) => ({ ...each })),
    ),
  ]);
  return withoutKnown(counts, row?.known ?? []);
}

const ADD_TO_PROJECT = sql('project-tags-add')`with known as (
      update project_tags t set count = t.count + g.count
      from unnest($2::date[], $3::text[], $4::text[], $5::bigint[]) with ordinality as g (day, key, value, count, n)
      where t.project_id = $1 and t.day = g.day and t.key = g.key and t.value = g.value
      returning g.n::integer as n
    )
    select coalesce(array_agg(n), '{}') as known from known`;

export function insertProjectTags(
  transaction: Transaction,
  projectId: string,
  counts: readonly ProjectTagCount[],
): void {
  if (counts.length === 0) return;
  transaction.send(INSERT_PROJECT_TAGS, [
    projectId,
    ...columnLiterals(
      PROJECT_COLUMNS,
      counts.map((each) => ({ ...each })),
    ),
  ]);
}

const INSERT_PROJECT_TAGS = sql(
  'project-tags-insert',
)`insert into project_tags as t (project_id, day, key, value, count)
    select $1, g.* from ${unnestColumns(PROJECT_COLUMNS, 2, 'g')}
    on conflict (project_id, day, key, value) do update set count = t.count + excluded.count`;

/** Returns how many values each key of some days has, by day and key. */
export async function countDayValues(
  database: Queryable,
  projectId: string,
  days: readonly string[],
): Promise<Map<string, Map<string, number>>> {
  const rows = await database.query<{ owner: string; key: string; values: number }>(
    sql('project-tags-values')`select day::text as owner, key, count(*)::integer as values from project_tags
        where project_id = $1 and day = any ($2::date[]) group by day, key`,
    [projectId, [...days]],
  );
  return valuesByOwner(rows);
}

function valuesByOwner(
  rows: readonly { owner: string; key: string; values: number }[],
): Map<string, Map<string, number>> {
  const byOwner = new Map<string, Map<string, number>>();
  for (const { owner, key, values } of rows) {
    const keys = byOwner.get(owner);
    if (keys === undefined) byOwner.set(owner, new Map([[key, values]]));
    else keys.set(key, values);
  }
  return byOwner;
}

function withoutKnown<Count>(counts: readonly Count[], places: readonly number[]): Count[] {
  const known = new Set(places);
  return counts.filter((_, n) => !known.has(n + 1));
}

function plain(count: IncidentTagCount): Record<keyof IncidentTagCount, string | number> {
  return { ...count };
}
