import { LATE_SECONDS } from '../../../notify/alerts/alerts.jobs.ts';
import type { Queryable, Transaction } from '../../../platform/db/database.ts';
import { inTransaction, sql, statement } from '../../../platform/db/statement.ts';
import { enqueue, WAKE_QUEUED } from '../../../platform/jobs/enqueue.ts';
import { OWN_INCIDENTS } from '../../ledger/ownership.jobs.ts';
import type { AssigneeName } from '../triage/triage.queries.ts';
import type { OwnedFacts } from './decide-line.ts';

/** Statements over the ownership of projects, each bound to a project. */

interface StoredOwnership {
  version: number;
  text: string;
  updatedAtMs: number;
  updatedByUserId: string | null;
}

export async function findOwnership(database: Queryable, projectId: string): Promise<StoredOwnership | null> {
  const [row] = await database.query<{
    version: number;
    text: string;
    updated_at: number;
    updated_by_user_id: string | null;
  }>(
    sql(
      'ownership-find',
    )`select version, text, updated_at, updated_by_user_id from ownership where project_id = $1`,
    [projectId],
  );
  if (row === undefined) return null;
  const { version, text, updated_at: updatedAtMs, updated_by_user_id: updatedByUserId } = row;
  return { version, text, updatedAtMs, updatedByUserId };
}

/** The version that is stored; null where there is none. */
export const findOwnershipVersion = statement.value<[projectId: string], number | null>(
  'ownership-version',
  'select version from ownership where project_id = $1',
  null,
);

/** Replaces the text of a version; false when another one is stored. */
export async function replaceOwnership(
  transaction: Transaction,
  ownership: { projectId: string; version: number; text: string; userId: string },
): Promise<boolean> {
  const { projectId, version, text, userId } = ownership;
  const rows = await transaction.query(
    sql('ownership-replace')`insert into ownership as o (project_id, version, text, updated_by_user_id)
        select $1, 1, $3, $4 where $2 = 0 or exists (select from ownership where project_id = $1)
        on conflict (project_id) do update set version = o.version + 1, text = excluded.text,
          updated_by_user_id = excluded.updated_by_user_id, updated_at = culprit_now()
        where o.version = $2
        returning o.project_id`,
    [projectId, version, text, userId],
  );
  return rows.length > 0;
}

/** An incident as lines decide about it. */
export interface OwnedIncident {
  incidentId: string;
  title: string;
  facts: OwnedFacts;
}

/** Which incidents are read. */
type Choice =
  | { kind: 'these'; incidentIds: readonly string[] }
  /** The incidents of the last days, the newest first. */
  | { kind: 'opened'; days: number }
  /** Active ones that are assigned to none, the newest first. */
  | { kind: 'unassigned' };

const UNASSIGNED = `i.sample_id is null and not exists (select from incident_triage t where t.incident_id = i.incident_id
  and (t.assignee_user_id is not null or t.assignee_team_id is not null))`;

const CHOSEN: Readonly<Record<Choice['kind'], string>> = {
  these: `i.incident_id = any ($2::uuid[]) and ${UNASSIGNED} and i.status <> 'resolved'`,
  opened: `i.first_seen_at >= (select culprit_now()) - make_interval(days => $2::integer)`,
  unassigned: `i.status <> 'resolved' and $2::text is null and ${UNASSIGNED}`,
};

/** Up to a limit of incidents, with the values of some tags. */
export async function findOwnedIncidents(
  database: Queryable,
  projectId: string,
  choice: Choice,
  { tagKeys, hasMonitors, limit }: { tagKeys: readonly string[]; hasMonitors: boolean; limit: number },
): Promise<OwnedIncident[]> {
  const rows = await database.query<{
    incident_id: string;
    title: string;
    service_name: string;
    environment: string;
    has_own_frames: boolean;
    files: string[];
    types: string[];
    routes: string[];
    tags: { key: string; value: string }[];
    checks: string[];
    heartbeats: string[];
  }>(
    sql(`ownership-incidents-${choice.kind}`)`select i.incident_id, i.title, i.service_name, i.environment,
          coalesce(s.has_own_frames, true) as has_own_frames, coalesce(s.files, '{}') as files,
          coalesce(s.types, '{}') as types, coalesce(s.routes, '{}') as routes,
          case when $3::text[] = '{}' then '[]'::json else coalesce(
            (select json_agg(json_build_object('key', g.key, 'value', g.value)) from incident_tags g
              where g.project_id = i.project_id and g.incident_id = i.incident_id and g.key = any ($3)), '[]')
          end as tags,
          case when $5::boolean then array(select c.name from availability_checks c
            where c.project_id = i.project_id and c.incident_id = i.incident_id) else '{}' end as checks,
          case when $5::boolean then array(select h.slug from heartbeats h
            where h.project_id = i.project_id and h.incident_id = i.incident_id) else '{}' end as heartbeats
        from incidents i
          left join incident_search s on s.project_id = i.project_id and s.incident_id = i.incident_id
        where i.project_id = $1 and ${CHOSEN[choice.kind]}
        order by i.first_seen_at desc, i.incident_id limit $4`,
    [
      projectId,
      choice.kind === 'these' ? [...choice.incidentIds] : choice.kind === 'opened' ? choice.days : null,
      [...tagKeys],
      limit,
      hasMonitors,
    ],
  );
  return rows.map((row) => ({
    incidentId: row.incident_id,
    title: row.title,
    facts: {
      service: row.service_name,
      environment: row.environment,
      files: row.has_own_frames ? row.files : [],
      types: row.types,
      routes: row.routes,
      tags: valuesByKey(row.tags),
      checks: row.checks,
      heartbeats: row.heartbeats,
    },
  }));
}

function valuesByKey(tags: readonly { key: string; value: string }[]): Map<string, string[]> {
  const values = new Map<string, string[]>();
  for (const { key, value } of tags) values.set(key, [...(values.get(key) ?? []), value]);
  return values;
}

/** Has the owners of incidents found once their tags are counted and monitors know them. */
export const enqueueOwning = inTransaction.send<[projectId: string, incidentIds: readonly string[]]>(
  'ownership-enqueue',
  `with queued as (${enqueue({
    job: OWN_INCIDENTS,
    fairnessKey: '$1::uuid',
    payload: `jsonb_build_object('incidentIds', to_jsonb($2::uuid[]))`,
    runAt: `culprit_now() + interval '${LATE_SECONDS} seconds'`,
  })}) ${WAKE_QUEUED}`,
);

/**
 * People of a project by address in lower case and by handle, and teams with such people by slug: those of the words,
 * which are in lower case and without `@`. A person goes before a team.
 */
export async function findOwners(
  database: Queryable,
  projectId: string,
  words: readonly string[],
): Promise<Map<string, AssigneeName>> {
  if (words.length === 0) return new Map();
  const rows = await database.query<{ word: string; kind: AssigneeName['kind']; id: string; name: string }>(
    sql('ownership-owners')`select t.slug as word, 'team' as kind, t.team_id as id, t.name
        from teams t join projects p on p.organization_id = t.organization_id
        where p.project_id = $1 and t.slug = any ($2::text[]) and exists (
          select from team_members tm join project_members m on m.user_id = tm.user_id
          where tm.team_id = t.team_id and m.project_id = $1)
        union all
        select named.word, 'user', u.user_id, coalesce(u.name, u.handle)
        from project_members m join users u on u.user_id = m.user_id
          cross join lateral (values (u.handle), (lower(u.email))) named (word)
        where m.project_id = $1 and named.word = any ($2::text[])
        order by kind`,
    [projectId, [...words]],
  );
  return new Map(rows.map(({ word, kind, id, name }) => [word, { kind, id, name }]));
}
