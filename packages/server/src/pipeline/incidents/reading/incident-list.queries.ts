import { FINGERPRINT_VERSION } from '@culprit/contract/fingerprint-version';
import type { Incident, IncidentSort } from '@culprit/contract/incidents';
import { SPIKING_MINUTES } from '@culprit/contract/triage-words';
import type { Parameter, Queryable, Statement } from '../../../platform/db/database.ts';
import { PRIORITY_OF } from '../triage/priority-rules.ts';
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
}

/** A page in an order: where the one before ended, as the values of that order's columns, and how many rows. */
export interface IncidentPage {
  sort: IncidentSort;
  after: readonly Parameter[] | null;
  limit: number;
}

/** A column of an order; of a computed one, the expression of incident `i`. */
type SortColumn = readonly [name: string, type: string, expression?: string];

/** The columns of an order, all descending and unique together, with their types. */
const SORT_COLUMNS: Readonly<Record<IncidentSort, readonly SortColumn[]>> = {
  last_seen: [
    ['last_seen_at', 'timestamptz'],
    ['incident_id', 'uuid'],
  ],
  first_seen: [
    ['first_seen_at', 'timestamptz'],
    ['incident_id', 'uuid'],
  ],
  occurrences: [
    ['occurrence_count', 'bigint'],
    ['incident_id', 'uuid'],
  ],
  // Computed for each row that the filter leaves: what makes a level passes with time, so no index holds it.
  priority: [
    ['priority', 'smallint', PRIORITY_OF],
    ['last_seen_at', 'timestamptz'],
    ['incident_id', 'uuid'],
  ],
  severity: [
    ['severity', 'smallint'],
    ['last_seen_at', 'timestamptz'],
    ['incident_id', 'uuid'],
  ],
};

const FILTER = `
  and ($2::text is null or i.environment = $2)
  and ($3::text is null or i.service_name = $3)
  and ($4::text is null or i.status = $4 or ($4 = 'active' and i.status <> 'resolved'))
  and ($5::smallint is null or i.severity = $5)
  and ($6::smallint is null or i.severity >= $6)
  and ($7::timestamptz is null or i.first_seen_at >= $7)
  and ($8::timestamptz is null or i.first_seen_at >= $8 or i.regressed_at >= $8)
  and ($9::text is null or exists (select from bundles b where b.incident_id = i.incident_id and b.symbolication = $9))`;

/** Parameters up to here are those of the filter. */
const FILTER_PARAMETERS = 9;

const SPIKED = `spike_detected_at >= (select culprit_now()) - interval '${SPIKING_MINUTES} min'`;

/** Spikes are rare, so those of the hour are found first, by their index. */
const SPIKING = `and i.incident_id = any (array(
    select s.incident_id from incidents s where s.project_id = any ($1::uuid[]) and s.${SPIKED}))`;

/** Which incidents a list is about. */
export type Listed =
  | { kind: 'all' }
  /** Those that a search found, which are few. */
  | { kind: 'found'; incidentIds: readonly string[] }
  /** Those that fit a search, where they are so many that the next ones are soon met. */
  | { kind: 'fitting'; search: IncidentSearch };

/** A page of incidents in its order. */
export async function listIncidentRows(
  database: Queryable,
  filter: IncidentFilter,
  page: IncidentPage,
  listed: Listed,
): Promise<Incident[]> {
  const statement = listStatement(page.sort, listed.kind, filter.isSpiking);
  const parameters = [...parametersOf(filter), ...locationOf(page)];
  if (listed.kind === 'found') parameters.push([...listed.incidentIds]);
  if (listed.kind === 'fitting') parameters.push(listed.search.text, listed.search.fingerprintPrefix);
  return (await database.query<IncidentRow>(statement, parameters)).map(recordOf);
}

/** What a search looks for. */
export interface IncidentSearch {
  text: string;
  /** Bare; of the text, when it is an id. */
  incidentId: string | null;
  /** Lower-case digits; of the text, when it is long enough and nothing else. */
  fingerprintPrefix: string | null;
}

/** The ids of incidents that fit a search; of more than `limit`, so many of them. */
export async function findIncidentsByText(
  database: Queryable,
  projectIds: readonly string[],
  { text, incidentId, fingerprintPrefix }: IncidentSearch,
  limit: number,
): Promise<string[]> {
  const rows = await database.query<{ incident_id: string }>(
    {
      name: 'incidents-by-text',
      text: `
        select incident_id from (
          (select incident_id from incident_titles
            where project_id = any ($1::uuid[]) and position(lower($2) in title) > 0 limit $5)
          union
          select incident_id from incidents where incident_id = $3::uuid and project_id = any ($1::uuid[])
          union
          (select i.incident_id from services s join incidents i on i.service_id = s.service_id
            and i.fingerprint_version = '${FINGERPRINT_VERSION}'
            and i.fingerprint between decode(rpad($4::text, 64, '0'), 'hex') and decode(rpad($4::text, 64, 'f'), 'hex')
            where s.project_id = any ($1::uuid[]) limit $5)
        ) fitting limit $5`,
    },
    [[...projectIds], text, incidentId, fingerprintPrefix, limit],
  );
  return rows.map((row) => row.incident_id);
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
  ];
}

function locationOf({ sort, after, limit }: IncidentPage): Parameter[] {
  return [limit, ...(after ?? SORT_COLUMNS[sort].map(() => null))];
}

/** The page is chosen by keys alone; the wide columns are read for its rows only. */
function listStatement(sort: IncidentSort, kind: Listed['kind'], isSpiking: boolean | null): Statement {
  const columns = SORT_COLUMNS[sort];
  const names = columns.map(([name]) => name);
  const limit = FILTER_PARAMETERS + 1;
  const places = columns.map(([, type], n) => `$${limit + 1 + n}::${type}`);
  const searched = limit + columns.length + 1;
  const found = names.map((name) => `i.${name}`).join(', ');
  const computed = columns.map(([name, , expression]) => expression ?? `i.${name}`);
  const keys = computed.join(', ');
  const selected = computed.map((expression, n) => `${expression} as ${names[n]}`).join(', ');
  const order = (table: string) => names.map((name) => `${table}.${name} desc`).join(', ');
  const first = `order by ${computed.map((expression) => `${expression} desc`).join(', ')} limit $${limit}`;
  const spiking = isSpiking === null ? '' : isSpiking ? SPIKING : `and (i.${SPIKED}) is not true`;
  const condition = `${FILTER} ${spiking}
    and (${places[0]} is null or (${keys}) < (${places.join(', ')}))`;
  const page =
    kind === 'found'
      ? `select ${selected} from incidents i
        where i.incident_id = any ($${searched}::uuid[]) and i.project_id = any ($1::uuid[]) ${condition} ${first}`
      : // Each project gives its own first rows from its index.
        `select ${found}
        from unnest($1::uuid[]) as v (project_id)
        cross join lateral (
          select ${selected} from incidents i
          where i.project_id = v.project_id ${condition} ${kind === 'fitting' ? fits(searched) : ''} ${first}
        ) i order by ${order('i')} limit $${limit}`;
  return {
    name: `incidents-list-${sort}-${kind}${isSpiking === null ? '' : isSpiking ? '-spiking' : '-calm'}`,
    text: `
      with page as (${page})
      select ${RECORD_COLUMNS}
      from page join incidents i using (incident_id) join projects p on p.project_id = i.project_id
      order by ${order('page')}`,
  };
}

/** The title is asked for row by row, as the rows are met; with `exists` all titles of everybody would be gathered. */
function fits(parameter: number): string {
  return `and (starts_with(encode(i.fingerprint, 'hex'), $${parameter + 1}::text) or position(lower($${parameter})
            in (select t.title from incident_titles t where t.incident_id = i.incident_id)) > 0)`;
}

function dateOrNull(timeMs: number | null): Date | null {
  return timeMs === null ? null : new Date(timeMs);
}
