import { columnLiterals, unnestColumns } from '../../../platform/db/bulk-rows.ts';
import type { Transaction } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/statement.ts';

/** Statements over what client libraries sent and lost, as the processing transaction needs them. */

/** Events of one service, library, version and UTC day: `received`, or lost for a reason; of `tags`, tags left out. */
export interface ClientCount {
  /** The UTC day, such as `2026-03-24`. */
  day: string;
  serviceId: string;
  sdkName: string;
  sdkVersion: string;
  outcome: string;
  events: number;
}

/** Rows of one project and day; what a sender invents beyond them is counted together. */
const ROWS_PER_DAY_MAX = 500;
/** Different rows of one transaction; those beyond are counted together. */
const ROWS_PER_STATEMENT_MAX = 100;
/** The row that counts events beyond these bounds. */
const OTHERS = { sdkName: 'other', sdkVersion: '0' };

const COLUMNS = [
  ['day', 'date'],
  ['service_id', 'uuid'],
  ['sdk_name', 'text'],
  ['sdk_version', 'text'],
  ['outcome', 'text'],
  ['events', 'bigint'],
] as const;

const ADD_UP = `on conflict (project_id, day, service_id, sdk_name, sdk_version, outcome) do update
      set events = c.events + excluded.events`;

// Rows are written in the order of their key, so that transactions wait for each other in one direction only.
const ADD_TO_KNOWN = sql(
  'client-counts-add',
)`insert into client_counts as c (project_id, day, service_id, sdk_name, sdk_version, outcome, events)
    select $1, s.* from ${unnestColumns(COLUMNS, 2, 's')}
    order by day, service_id, sdk_name, sdk_version, outcome ${ADD_UP}`;

const ADD = sql('client-counts-add-new')`
    with seen as (select * from ${unnestColumns(COLUMNS, 2, 's')}),
    full_days as (
      select day from client_counts where project_id = $1 and day in (select day from seen)
      group by day having count(*) >= ${ROWS_PER_DAY_MAX}
    ), kept as (
      select s.*, f.day is null or exists (
        select from client_counts k where k.project_id = $1 and k.day = s.day and k.service_id = s.service_id
          and k.sdk_name = s.sdk_name and k.sdk_version = s.sdk_version and k.outcome = s.outcome) as is_named
      from seen s left join full_days f using (day)
    )
    insert into client_counts as c (project_id, day, service_id, sdk_name, sdk_version, outcome, events)
    select $1, day, service_id, case when is_named then sdk_name else '${OTHERS.sdkName}' end as sdk_name,
      case when is_named then sdk_version else '${OTHERS.sdkVersion}' end as sdk_version, outcome, sum(events)
    from kept group by 2, 3, 4, 5, 6 order by 2, 3, 4, 5, 6 ${ADD_UP}
    returning day::text as day, service_id as "serviceId", sdk_name as "sdkName", sdk_version as "sdkVersion",
      outcome, events`;

/** Rows that this thread wrote: adding to them needs no count of the day's rows. */
const knownRows = new Set<string>();
const KNOWN_ROWS_MAX = 10_000;

/** Adds to the counts of a project; each row at most once. */
export async function addClientCounts(
  transaction: Transaction,
  projectId: string,
  counts: readonly ClientCount[],
): Promise<void> {
  if (counts.length === 0) return;
  const isKnown =
    counts.length <= ROWS_PER_STATEMENT_MAX && counts.every((count) => knownRows.has(clientCountKey(count)));
  const rows = counts.map((count, n) => {
    const { day, serviceId, sdkName, sdkVersion, outcome, events } =
      n < ROWS_PER_STATEMENT_MAX ? count : { ...count, ...OTHERS };
    return {
      day,
      service_id: serviceId,
      sdk_name: sdkName,
      sdk_version: sdkVersion,
      outcome,
      events,
    };
  });
  const parameters = [projectId, ...columnLiterals(COLUMNS, rows)];
  if (isKnown) {
    transaction.send(ADD_TO_KNOWN, parameters);
    return;
  }
  const written = await transaction.query<ClientCount>(ADD, parameters);
  if (knownRows.size + written.length > KNOWN_ROWS_MAX) knownRows.clear();
  for (const count of written) knownRows.add(clientCountKey(count));
}

/** Returns a key that distinguishes rows of any project. */
export function clientCountKey({
  day,
  serviceId,
  sdkName,
  sdkVersion,
  outcome,
}: Omit<ClientCount, 'events'>): string {
  return `${day} ${serviceId} ${outcome} ${sdkVersion}\0${sdkName}`;
}
