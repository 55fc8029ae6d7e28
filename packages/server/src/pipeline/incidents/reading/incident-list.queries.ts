import type { Incident, IncidentSort } from '@culprit/contract/incidents/incidents';
import { SPIKING_MINUTES } from '@culprit/contract/incidents/triage-words';
import type { Parameter, Queryable, Statement } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/statement.ts';
import { binder, fitsAll, fittingSets } from '../searching/find-candidates.ts';
import type { Bind, Condition } from '../searching/query-condition.ts';
import { prioritiesInTurn } from '../triage/priorities-in-turn.ts';
import { PRIORITY_PLACE } from '../triage/priority-rules.ts';
import { type IncidentRow, RECORD_COLUMNS, recordOf } from './incidents.queries.ts';

/** Statements of the list of incidents: filters, orders and the search. */

export interface IncidentFilter {
  projectIds: readonly string[];
  environment: string | null;
  service: string | null;
  status: string | null;
  severity: number | null;
  severityMin: number | null;
  isSpiking: boolean | null;
  firstSeenAfterMs: number | null;
  attentionAfterMs: number | null;
  symbolication: string | null;
  firstRelease: string | null;
}

/** A page in an order: where the one before ended, as the values of that order's columns, and how many rows. */
export interface IncidentPage {
  sort: IncidentSort;
  after: readonly Parameter[] | null;
  limit: number;
}

interface SortColumn {
  name: string;
  type: string;
  /** The expression over incident `i`, if the order is by no column of it. */
  expression?: string;
  /** The step of the column that an index has, and that of a value: equal values are in one step, lower ones in no later one. */
  step?: { name: string; of: (value: string) => string };
}

const LAST_SEEN: SortColumn = {
  name: 'last_seen_at',
  type: 'timestamptz',
  step: { name: 'seen_step', of: (value) => `seen_step(${value})` },
};
const OCCURRENCES: SortColumn = {
  name: 'occurrence_count',
  type: 'bigint',
  step: { name: 'count_step', of: (value) => `amount_step(${value})` },
};
const ID: SortColumn = { name: 'incident_id', type: 'uuid' };

/** The columns of an order, all descending and unique together, with their types. */
const SORT_COLUMNS: Readonly<Record<IncidentSort, readonly SortColumn[]>> = {
  last_seen: [LAST_SEEN, ID],
  first_seen: [{ name: 'first_seen_at', type: 'timestamptz' }, ID],
  occurrences: [OCCURRENCES, ID],
  // Computed for each row that the filter leaves: what makes a level passes with time, so no index holds it.
  priority: [{ name: 'priority', type: 'smallint', expression: PRIORITY_PLACE }, LAST_SEEN, ID],
  severity: [{ name: 'severity', type: 'smallint' }, LAST_SEEN, ID],
};

const FILTER = `
  and ($2::text is null or i.environment = $2)
  and ($3::text is null or i.service_name = $3)
  and ($4::text is null or i.status = $4 or ($4 = 'active' and i.status <> 'resolved'))
  and ($5::smallint is null or i.severity = $5)
  and ($6::smallint is null or i.severity >= $6)
  and ($7::timestamptz is null or i.first_seen_at >= $7)
  and ($8::timestamptz is null or i.first_seen_at >= $8 or i.regressed_at >= $8)
  and ($9::text is null or exists (select from bundles b where b.incident_id = i.incident_id and b.symbolication = $9))
  and ($10::text is null or i.first_release = $10)`;

/** Parameters up to here are those of the filter. */
const FILTER_PARAMETERS = 10;

const SPIKED = `spike_detected_at >= (select culprit_now()) - interval '${SPIKING_MINUTES} min'`;

/** Spikes are rare, so those of the hour are found first, by their index. */
const SPIKING = `and i.incident_id = any (array(
    select s.incident_id from incidents s where s.project_id = any ($1::uuid[]) and s.${SPIKED}))`;

/** Which incidents a list is about, and how they are read. */
export interface Listed {
  /** The conditions that each of them meets. */
  conditions: readonly Condition[];
  /** Those among which they are, where these are few. */
  candidates: readonly string[] | null;
  /**
   * Everything that fits is found and then put in order. Else the incidents are read in their order until enough fit,
   * which is soon where many do.
   */
  isWhole: boolean;
}

/** The incidents that come first in an order, and those of them that fit. */
interface Near {
  seen: number;
  fitting: string[];
}

/**
 * Looks at the first incidents only: in an order other than that by priority at those that meet the filter and all
 * conditions that their rows decide.
 * @param limit how many are looked at
 * @param orderOfPriority the order that is read in place of that by priority, which no index has
 */
export async function readNear(
  database: Queryable,
  filter: IncidentFilter,
  page: IncidentPage,
  conditions: readonly Condition[],
  limit: number,
  orderOfPriority: 'severity' | 'last_seen' = 'severity',
): Promise<Near> {
  const isByPriority = page.sort === 'priority';
  const { sort, after } = isByPriority ? { sort: orderOfPriority, after: null } : page;
  const parameters = [...parametersOf(filter), ...locationOf({ sort, after, limit })];
  const bind = binder(parameters);
  const { names, first, afterCursor } = orderOf(sort);
  const ofRow = conditions.filter(({ all }) => all === undefined);
  const ofOthers = conditions.filter(({ all }) => all !== undefined);
  const plain = `${FILTER} ${spikingCondition(filter.isSpiking)} ${fitsAll(ofRow, bind)}`;
  const order = (table: string) => names.map((name) => `${table}.${name} desc`).join(', ');
  const [row] = await database.query<{ seen: number; fitting: string[] }>(
    sql('')`with near as materialized (
          select n.* from unnest($1::uuid[]) as v (project_id)
          cross join lateral (
            select i.* from incidents i where i.project_id = v.project_id ${isByPriority ? '' : plain} ${afterCursor} ${first}
          ) n order by ${order('n')} limit $${FILTER_PARAMETERS + 1})
        select (select count(*) from near)::integer as seen, array(
          select i.incident_id from near i where true ${isByPriority ? plain : ''} ${fitsAll(ofOthers, bind)}
          order by ${order('i')} limit ${bind(isByPriority ? limit : page.limit, 'integer')}) as fitting`,
    parameters,
  );
  return row ?? { seen: 0, fitting: [] };
}

/** A page of incidents in its order. */
export async function listIncidentRows(
  database: Queryable,
  filter: IncidentFilter,
  page: IncidentPage,
  listed: Listed,
): Promise<Incident[]> {
  const parameters = [...parametersOf(filter), ...locationOf(page)];
  const statement = listStatement(page.sort, listed, filter.isSpiking, parameters);
  return (await database.query<IncidentRow>(statement, parameters)).map(recordOf);
}

/** Returns how many incidents match, counted to a limit. */
export async function countIncidentRows(
  database: Queryable,
  filter: IncidentFilter,
  listed: Listed,
  limit: number,
): Promise<number> {
  const parameters = [...parametersOf(filter), limit];
  const bind = binder(parameters);
  const { from, conditions } = sourceOf(listed, bind);
  const [row] = await database.query<{ count: number }>(
    sql('')`select count(*)::integer as count from (
        select from ${from}
        ${FILTER} ${spikingCondition(filter.isSpiking)} ${fitsAll(conditions, bind)}
        limit $${FILTER_PARAMETERS + 1}) fitting`,
    parameters,
  );
  return row?.count ?? 0;
}

/**
 * Returns how many incidents meet the conditions, each of which has `all`, counted to a limit: as many as one term finds
 * are enough where the only one finds so many.
 */
export async function countFitting(
  database: Queryable,
  projectIds: readonly string[],
  conditions: readonly Condition[],
  limit: number,
): Promise<number> {
  const parameters: Parameter[] = [[...projectIds]];
  const bind = binder(parameters);
  const max = bind(limit, 'integer');
  const [only] = conditions;
  const found =
    conditions.length === 1 && only?.all !== undefined && only.isNegated !== true
      ? only.all(bind, max)
      : fittingSets(conditions, bind);
  const [row] = await database.query<{ count: number }>(
    sql(
      '',
    )`select count(*)::integer as count from (select distinct f.incident_id from (${found}) f limit ${max}) fitting`,
    parameters,
  );
  return row?.count ?? 0;
}

/** Returns true if every incident passes the filter. */
export function passesAll(filter: Omit<IncidentFilter, 'projectIds'>): boolean {
  return (
    filter.isSpiking === null &&
    parametersOf({ ...filter, projectIds: [] })
      .slice(1)
      .every((each) => each === null)
  );
}

/** Returns the part of a statement that reads incidents `i`, up to conditions, and the conditions that are left. */
function sourceOf(
  { conditions, candidates, isWhole }: Listed,
  bind: Bind,
): { from: string; conditions: readonly Condition[] } {
  const sets = conditions.filter(({ all }) => all !== undefined);
  if (candidates === null && isWhole && sets.length > 0) {
    return {
      from: `(${fittingSets(conditions, bind)}) f join incidents i using (incident_id) where i.project_id = any ($1::uuid[])`,
      conditions: conditions.filter((each) => !sets.includes(each)),
    };
  }
  return {
    from: `incidents i where i.project_id = any ($1::uuid[]) ${candidatesOnly(candidates, bind)}`,
    conditions,
  };
}

function parametersOf(filter: IncidentFilter): Parameter[] {
  return [
    [...filter.projectIds],
    filter.environment,
    filter.service,
    filter.status,
    filter.severity,
    filter.severityMin,
    dateOrNull(filter.firstSeenAfterMs),
    dateOrNull(filter.attentionAfterMs),
    filter.symbolication,
    filter.firstRelease,
  ];
}

function locationOf({ sort, after, limit }: IncidentPage): Parameter[] {
  return [limit, ...(after ?? SORT_COLUMNS[sort].map(() => null))];
}

/**
 * The page is chosen by keys alone; the wide columns are read for its rows only. A statement with conditions has no name,
 * because there are too many of them to be kept.
 * @param parameters of filter and place, to which those of the conditions are added
 */
function listStatement(
  sort: IncidentSort,
  listed: Listed,
  isSpiking: boolean | null,
  parameters: Parameter[],
): Statement {
  const { columns, names, first, afterCursor } = orderOf(sort);
  const limit = FILTER_PARAMETERS + 1;
  const found = names.map((name) => `i.${name}`).join(', ');
  const selected = columns
    .map(({ name, expression }) => `${expression ?? `i.${name}`} as ${name}`)
    .join(', ');
  const order = (table: string) => names.map((name) => `${table}.${name} desc`).join(', ');
  const bind = binder(parameters);
  const isInOrder = listed.candidates === null && !listed.isWhole;
  const { from, conditions } = isInOrder
    ? { from: 'incidents i where i.project_id = v.project_id', conditions: listed.conditions }
    : sourceOf(listed, bind);
  const condition = `${FILTER} ${spikingCondition(isSpiking)} ${afterCursor} ${fitsAll(conditions, bind)}`;
  const page = isInOrder
    ? // Each project gives its own first rows from its index.
      `select ${found}
        from unnest($1::uuid[]) as v (project_id)
        cross join lateral (
          ${
            sort === 'priority'
              ? prioritiesInTurn({
                  ...{ condition, selected, cursor: `$${limit + 1}::smallint`, limit: `$${limit}` },
                  levels: conditions.flatMap(({ priorities }) =>
                    priorities === undefined ? [] : [priorities],
                  ),
                })
              : `select ${selected} from ${from} ${condition} ${first}`
          }
        ) i order by ${order('i')} limit $${limit}`
    : `select ${selected} from ${from} ${condition} ${first}`;
  const isNamed = listed.conditions.length === 0 && isInOrder;
  return sql(
    isNamed ? `incidents-list-${sort}${isSpiking === null ? '' : isSpiking ? '-spiking' : '-calm'}` : '',
  )`
      with page as (${page})
      select ${RECORD_COLUMNS}
      from page join incidents i using (incident_id) join projects p on p.project_id = i.project_id
      order by ${order('page')}`;
}

/** An order as SQL: its columns, the end of a query of incidents `i` for the first rows, and the condition for a cursor. */
function orderOf(sort: IncidentSort) {
  const columns = SORT_COLUMNS[sort];
  const names = columns.map(({ name }) => name);
  const limit = FILTER_PARAMETERS + 1;
  // Each step precedes its column, which changes no order, and lets an index lead to the first rows.
  const keys = columns.flatMap(({ name, type, expression, step }, n) => {
    const key = { column: expression ?? `i.${name}`, value: `$${limit + 1 + n}::${type}` };
    return step === undefined ? [key] : [{ column: `i.${step.name}`, value: step.of(key.value) }, key];
  });
  const first = `order by ${keys.map(({ column }) => `${column} desc`).join(', ')} limit $${limit}`;
  const isAfter = `(${keys.map(({ column }) => column).join(', ')}) < (${keys.map(({ value }) => value).join(', ')})`;
  const afterCursor = `and ($${limit + columns.length}::uuid is null or ${isAfter})`;
  return { columns, names, first, afterCursor };
}

function candidatesOnly(candidates: readonly string[] | null, bind: Bind): string {
  return candidates === null ? '' : `and i.incident_id = any (${bind([...candidates], 'uuid[]')})`;
}

function spikingCondition(isSpiking: boolean | null): string {
  return isSpiking === null ? '' : isSpiking ? SPIKING : `and (i.${SPIKED}) is not true`;
}

function dateOrNull(timeMs: number | null): Date | null {
  return timeMs === null ? null : new Date(timeMs);
}
