import type { Queryable, Transaction } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/statement.ts';
import type { AlertFollowUp } from './alert-facts.ts';
import { type EnabledRule, pageOf, type Transition } from './match-rules.ts';

/** Statements over pages, which receivers such as PagerDuty keep open until a message closes them. */

/**
 * The pages of these rules that are open, as far as follow-ups are about them: the last message before the follow-up
 * opened one, and has not failed. Exact while the project's rules are held.
 * @returns `pageOf` of each
 */
export async function findOpenPages(
  transaction: Transaction,
  rules: readonly EnabledRule[],
  followUps: readonly Transition<AlertFollowUp>[],
): Promise<ReadonlySet<string>> {
  const asked = rules.flatMap((rule) => followUps.map((followUp) => ({ rule, followUp })));
  if (asked.length === 0) return new Set();
  const rows = await transaction.query<{ n: number }>(
    sql(
      'alert-open-pages',
    )`select a.n from json_to_recordset($1::json) as a (n integer, alert_id uuid, incident_id uuid, at text)
        cross join lateral (
          select d.facts ->> 'lifecycle' as lifecycle, m.status
          from alert_deliveries d join alert_messages m using (message_id)
          where d.alert_id = a.alert_id and d.incident_id = a.incident_id and d.dropped_at is null
            and d.facts ->> 'lifecycle' <> 'incident_assigned' and d.facts ->> 'triggeredAt' <= a.at
          order by d.facts ->> 'triggeredAt' desc limit 1
        ) last
        where last.lifecycle <> 'incident_resolved' and last.status <> 'failed'`,
    [
      JSON.stringify(
        asked.map(({ rule, followUp }, n) => ({
          n,
          alert_id: rule.alertId,
          incident_id: followUp.incidentId,
          at: followUp.facts.triggeredAt,
        })),
      ),
    ],
  );
  return new Set(
    rows.flatMap(({ n }) => {
      const found = asked[n];
      return found === undefined ? [] : [pageOf(found.rule, found.followUp)];
    }),
  );
}

/** The state of an incident's pages when a message about them is sent. */
interface PageState {
  /** The incident is resolved, or gone. */
  isResolved: boolean;
  /** An earlier message that opens a page is still waiting. */
  isOpening: boolean;
  /** An earlier one was delivered. */
  wasOpened: boolean;
  /** A later one was created: the page is about something new. */
  isOpenedAgain: boolean;
}

/**
 * The state of the pages that rules opened for an incident, for a message about it. Ids are bare UUIDs.
 * @param triggeredAt of the message, ISO 8601
 */
export async function findPageState(
  database: Queryable,
  alertIds: readonly string[],
  incidentId: string,
  triggeredAt: string,
): Promise<PageState> {
  const [row] = await database.query<PageState>(
    sql(
      'alert-page-state',
    )`select not exists (select from incidents i where i.incident_id = $2 and i.status <> 'resolved') as "isResolved",
          coalesce(bool_or(m.next_attempt_at is not null and not p.is_later), false) as "isOpening",
          coalesce(bool_or(m.status = 'delivered' and not p.is_later), false) as "wasOpened",
          coalesce(bool_or(p.is_later), false) as "isOpenedAgain"
        from alert_deliveries d join alert_messages m using (message_id)
          cross join lateral (select d.facts ->> 'triggeredAt' > $3 as is_later) p
        where d.alert_id = any ($1::uuid[]) and d.incident_id = $2 and d.dropped_at is null
          and d.facts ->> 'lifecycle' not in ('incident_resolved', 'incident_assigned')`,
    [[...alertIds], incidentId, triggeredAt],
  );
  if (row === undefined) throw new Error('an aggregate without a row');
  return row;
}
