import type { PersonalReason } from '@culprit/contract/alerts/personal-reasons';
import type { Queryable, Transaction } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/statement.ts';
import { enqueue, WAKE_QUEUED } from '../../platform/jobs/enqueue.ts';
import type { Plan } from '../../workspace/billing/plan.ts';
import { MAIL_NOTICES, PERSONAL_KINDS } from './personal.jobs.ts';

/** A fact about an incident of which people are notified. Ids are bare. */
export interface News {
  projectId: string;
  incidentId: string;
  reason: PersonalReason;
  /** The person who caused it, and is not notified; null: no person did. */
  actorUserId: string | null;
  noteId?: string;
  because?: string | null;
  /** The recipients: these people, and those of these teams. */
  users?: readonly string[];
  teams?: readonly string[];
  /** And the person or team that has the incident. */
  toAssignee?: boolean;
  /** And those who watch it. */
  toWatchers?: boolean;
  /** And who snoozed it last. */
  toSnoozer?: boolean;
}

/**
 * Records the recipients of news, inside the transaction that the news describes, with the job that mails it to each
 * after their digest's time. People without access to the project are excluded, and each is notified once of an
 * incident and note, by the first of the news.
 */
export function tellPeople(transaction: Transaction, news: readonly News[]): void {
  if (news.length === 0) return;
  transaction.send(TELL, [
    JSON.stringify(
      news.map((each, n) => ({
        n,
        project_id: each.projectId,
        incident_id: each.incidentId,
        reason: each.reason,
        actor_user_id: each.actorUserId,
        note_id: each.noteId ?? null,
        because: each.because ?? null,
        users: each.users ?? [],
        teams: each.teams ?? [],
        to_assignee: each.toAssignee === true,
        to_watchers: each.toWatchers === true,
        to_snoozer: each.toSnoozer === true,
      })),
    ),
  ]);
}

const TELL = sql('notices-tell')`with news as (
      select * from json_to_recordset($1::json) as l (n integer, project_id uuid, incident_id uuid, reason text,
        actor_user_id uuid, note_id uuid, because text, users uuid[], teams uuid[], to_assignee boolean,
        to_watchers boolean, to_snoozer boolean)
    ), meant as (
      select news.n, unnest(news.users) as user_id from news
      union select news.n, tm.user_id from news join team_members tm on tm.team_id = any (news.teams)
      union select news.n, t.assignee_user_id from news
        join incident_triage t on t.incident_id = news.incident_id where news.to_assignee
      union select news.n, tm.user_id from news
        join incident_triage t on t.incident_id = news.incident_id
        join team_members tm on tm.team_id = t.assignee_team_id where news.to_assignee
      union select news.n, w.user_id from news
        join incident_watchers w on w.project_id = news.project_id and w.incident_id = news.incident_id
        where news.to_watchers
      union select news.n, t.snoozed_by_user_id from news
        join incident_triage t on t.incident_id = news.incident_id where news.to_snoozer
    ), told as (
      insert into personal_notices (project_id, user_id, incident_id, reason, actor_user_id, note_id, because)
      select distinct on (m.user_id, news.incident_id, news.note_id)
        news.project_id, m.user_id, news.incident_id, news.reason, news.actor_user_id, news.note_id, news.because
      from news join meant using (n)
        join project_members m on m.user_id = meant.user_id and m.project_id = news.project_id
      where m.user_id is distinct from news.actor_user_id
      order by m.user_id, news.incident_id, news.note_id, news.n
      returning user_id
    ), queued as (${enqueue({
      job: MAIL_NOTICES,
      fairnessKey: 'person.user_id',
      key: 'person.user_id::text',
      payload: `jsonb_build_object('userId', person.user_id)`,
      runAt: 'culprit_now() + make_interval(mins => coalesce(s.digest_minutes, 1))',
      from: `from (select distinct user_id from told) person
        left join personal_settings s on s.user_id = person.user_id`,
      whenQueued: { update: 'set run_at = least(j.run_at, excluded.run_at)' },
    })})
    ${WAKE_QUEUED}`;

/** Regressions and wake-ups among ledger rows of a project. */
export async function findNews(
  database: Queryable,
  projectId: string,
  lifecycleIds: readonly number[],
): Promise<{ incidentId: string; kind: string; because: string | null; keptSilent: number }[]> {
  const rows = await database.query<{
    incident_id: string;
    kind: string;
    because: string | null;
    kept_silent: number | null;
  }>(
    sql(
      'notices-news',
    )`select incident_id, kind, data ->> 'because' as because, (data ->> 'kept_silent')::integer as kept_silent
        from lifecycle_events
        where project_id = $1 and lifecycle_id = any ($2::bigint[]) and kind = any ($3::text[])
          and incident_id is not null`,
    [projectId, [...lifecycleIds], [...PERSONAL_KINDS]],
  );
  return rows.map((row) => ({
    incidentId: row.incident_id,
    kind: row.kind,
    because: row.because,
    keptSilent: row.kept_silent ?? 0,
  }));
}

/** A notice with the facts that its mail shows. Ids are bare. */
export interface Notice {
  reason: PersonalReason;
  incidentId: string;
  shortId: string | null;
  title: string;
  projectName: string;
  serviceName: string;
  environment: string;
  actorName: string | null;
  /** True if no person did it. */
  isByRule: boolean;
  /** Null: there is none, or it was deleted. */
  note: string | null;
  because: string | null;
}

/**
 * Takes the notices that wait for a person, up to a limit, and returns those that they may see and want now, oldest
 * first, and how many were taken.
 * @param plan see `sharedAccessPlan`
 */
export async function takeNotices(
  transaction: Transaction,
  userId: string,
  { plan, limit }: { plan: Plan | null; limit: number },
): Promise<{ notices: Notice[]; taken: number }> {
  const rows = await transaction.query<{
    reason: PersonalReason;
    incident_id: string;
    short_id: string | null;
    title: string | null;
    project_name: string;
    service_name: string;
    environment: string;
    actor_name: string | null;
    is_by_rule: boolean;
    note: string | null;
    because: string | null;
  }>(
    sql('notices-take')`with taken as (
          delete from personal_notices where notice_id in (
            select notice_id from personal_notices where user_id = $1 order by notice_id limit $3)
          returning *
        )
        select taken.reason, taken.incident_id, i.title, p.name as project_name, i.service_name, i.environment,
          case when i.number is not null then p.incident_key || '-' || i.number end as short_id,
          coalesce(a.name, a.handle) as actor_name, taken.actor_user_id is null as is_by_rule, n.body as note, taken.because
        from taken
          left join project_members m on m.project_id = taken.project_id and m.user_id = $1
          left join projects p on p.project_id = m.project_id and p.deleted_at is null
          left join organizations o on o.organization_id = p.organization_id
            and not shared_access_suspended(m.role, o, $2)
          left join incidents i on i.incident_id = taken.incident_id and o.organization_id is not null
          left join users a on a.user_id = taken.actor_user_id
          left join incident_notes n on n.note_id = taken.note_id
        order by taken.notice_id`,
    [userId, plan, limit],
  );
  return {
    taken: rows.length,
    notices: rows.flatMap(({ title, ...row }) =>
      title === null
        ? []
        : [
            {
              reason: row.reason,
              incidentId: row.incident_id,
              shortId: row.short_id,
              title,
              projectName: row.project_name,
              serviceName: row.service_name,
              environment: row.environment,
              actorName: row.actor_name,
              isByRule: row.is_by_rule,
              note: row.note,
              because: row.because,
            },
          ],
    ),
  };
}

/** Mails a person's remaining notices immediately, if one mail was not enough for them. */
export function queueRest(transaction: Transaction, userId: string): void {
  transaction.send(QUEUE_REST, [userId]);
}

const QUEUE_REST = sql('notices-queue-rest')`with queued as (${enqueue({
  job: MAIL_NOTICES,
  fairnessKey: '$1::uuid',
  key: '$1::uuid::text',
  payload: `jsonb_build_object('userId', $1::uuid)`,
  whenQueued: { update: 'set run_at = least(j.run_at, excluded.run_at)' },
})})
    ${WAKE_QUEUED}`;
