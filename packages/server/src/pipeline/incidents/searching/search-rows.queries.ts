import { COMMON_VALUES } from '@culprit/evidence/incidents/event-tags';
import { type SearchFacts, searchLexemes, searchScope } from '@culprit/evidence/incidents/search-document';
import { arrayLiteral } from '../../../platform/db/array-literal.ts';
import { columnLiterals, unnestColumns } from '../../../platform/db/bulk-rows.ts';
import type { Queryable, Transaction } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/statement.ts';

/** Statements that keep what incidents are found by. */

export interface SearchRow {
  incidentId: string;
  facts: SearchFacts;
  /** True if the files are those of in-app frames; null keeps the stored value. */
  hasOwnFrames: boolean | null;
}

/** Arrays travel as their text. */
const COLUMNS = [
  ['incident_id', 'uuid'],
  ['document', 'text'],
  ['types', 'text'],
  ['functions', 'text'],
  ['files', 'text'],
  ['routes', 'text'],
  ['statuses', 'text'],
  ['releases', 'text'],
  ['messages', 'text'],
  ['has_own_frames', 'boolean'],
] as const;

const VALUES = `array_to_tsvector(r.document::text[]), r.types::text[], r.functions::text[], r.files::text[],
  r.routes::text[], r.statuses::text[], r.releases::text[], r.messages::text[]`;

/** Writes the rows of incidents that were made just now. */
export function insertSearchRows(
  transaction: Transaction,
  projectId: string,
  rows: readonly SearchRow[],
): void {
  if (rows.length === 0) return;
  transaction.send(
    sql(
      'incident-search-insert',
    )`insert into incident_search (project_id, incident_id, document, types, functions, files, routes, statuses,
          releases, messages, has_own_frames)
        select $1, r.incident_id, ${VALUES}, r.has_own_frames from ${unnestColumns(COLUMNS, 2, 'r')}
        on conflict do nothing`,
    [projectId, ...literalsOf(projectId, rows)],
  );
}

/** Writes rows that are held, where something changes: a document that is written enters its index as a whole. */
export function updateSearchRows(
  transaction: Transaction,
  projectId: string,
  rows: readonly SearchRow[],
): void {
  if (rows.length === 0) return;
  transaction.send(
    sql(
      'incident-search-update',
    )`update incident_search s set (document, types, functions, files, routes, statuses, releases, messages, written_at) =
          (${VALUES}, culprit_now())
        from ${unnestColumns(COLUMNS, 2, 'r')}
        where s.project_id = $1 and s.incident_id = r.incident_id
          and (s.document, s.types, s.functions, s.files, s.routes, s.statuses, s.releases, s.messages)
            is distinct from (${VALUES})`,
    [projectId, ...literalsOf(projectId, rows)],
  );
}

/** A document that is younger does not take a message of a form that it has. */
const SETTLED_MINUTES = 10;

interface KeptMessages {
  incidentId: string;
  messages: string[];
  /** Written a moment ago. */
  isYoung: boolean;
}

/** The messages that incidents are found by. */
export async function readKeptMessages(
  database: Queryable,
  projectId: string,
  incidentIds: readonly string[],
): Promise<KeptMessages[]> {
  if (incidentIds.length === 0) return [];
  return await database.query<KeptMessages>(
    sql('incident-search-messages')`select incident_id as "incidentId", messages,
          written_at > (select culprit_now()) - interval '${SETTLED_MINUTES} min' as "isYoung"
        from incident_search where project_id = $1 and incident_id = any ($2::uuid[])`,
    [projectId, [...incidentIds]],
  );
}

/** Values of tags that a document takes. */
const TAG_VALUES_MAX = 60;

/** Holds the rows of incidents and reads what they are made of. */
export async function lockSearchRows(
  transaction: Transaction,
  projectId: string,
  incidentIds: readonly string[],
): Promise<SearchRow[]> {
  if (incidentIds.length === 0) return [];
  const rows = await transaction.query<
    Omit<SearchFacts, 'service' | 'environment' | 'kind' | 'tagValues'> & {
      incident_id: string;
      service_name: string;
      environment: string;
      reason_kind: string;
      tag_values: string[];
    }
  >(
    sql(
      'incident-search-lock',
    )`select s.incident_id, i.title, i.service_name, i.environment, i.reason_kind, s.types, s.functions, s.files,
          s.routes, s.statuses, s.releases, s.messages, array(
            select t.value::text from incident_tags t where t.incident_id = s.incident_id and t.key <> all (array['${[...COMMON_VALUES].join("', '")}'])
            order by t.count desc limit ${TAG_VALUES_MAX}) as tag_values
        from incident_search s join incidents i on i.incident_id = s.incident_id
        where s.project_id = $1 and s.incident_id = any ($2::uuid[])
        order by s.incident_id for update of s`,
    [projectId, [...incidentIds]],
  );
  return rows.map(({ incident_id, service_name, environment, reason_kind, tag_values, ...facts }) => ({
    incidentId: incident_id,
    hasOwnFrames: null,
    facts: { ...facts, service: service_name, environment, kind: reason_kind, tagValues: tag_values },
  }));
}

function literalsOf(projectId: string, rows: readonly SearchRow[]): (string | Buffer)[] {
  const scope = searchScope(projectId);
  return columnLiterals(
    COLUMNS,
    rows.map(({ incidentId, facts, hasOwnFrames }) => ({
      incident_id: incidentId,
      document: arrayLiteral(searchLexemes(scope, facts)),
      types: arrayLiteral(facts.types),
      functions: arrayLiteral(facts.functions),
      files: arrayLiteral(facts.files),
      routes: arrayLiteral(facts.routes),
      statuses: arrayLiteral(facts.statuses),
      releases: arrayLiteral(facts.releases),
      messages: arrayLiteral(facts.messages),
      has_own_frames: hasOwnFrames,
    })),
  );
}
