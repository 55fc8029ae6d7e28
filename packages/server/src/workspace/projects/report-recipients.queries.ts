import type { Transaction } from '../../platform/db/database.ts';
import { inTransaction, sql } from '../../platform/db/statement.ts';

/**
 * The statements that keep the recipients of weekly reports in step with the members of a project
 * (docs/contract/notifications.md 4.2).
 */

/** Gives a new project its first channel: mail to the owner, Mondays at 9 in a time zone. */
export async function insertOwnersReport(
  transaction: Transaction,
  channel: { channelId: string; projectId: string; ownerUserId: string; timezone: string },
): Promise<void> {
  await transaction.query(
    sql('report-of-owner-insert')`insert into weekly_report_channels
          (channel_id, project_id, channel, config, day_of_week, hour_of_day, timezone)
        select $1, $2, 'email', jsonb_build_object('to', jsonb_build_array(lower(email))), 'monday', 9, $4
        from users where user_id = $3`,
    [channel.channelId, channel.projectId, channel.ownerUserId, channel.timezone],
  );
}

/**
 * Removes a person from the reports of a project they leave, so that they get no more mail; a channel without
 * recipients is deleted.
 * @param projectId null: from all reports, for a person whose account ends
 */
export const deleteReportRecipient = inTransaction.run<[userId: string, projectId: string | null]>(
  'report-recipient-remove',
  `
    with held as (
      select c.channel_id, (
          select jsonb_agg(t.address order by t.n)
          from jsonb_array_elements_text(c.config->'to') with ordinality as t (address, n)
          where t.address <> lower(u.email)
        ) as left_over
      from users u join weekly_report_channels c on c.channel = 'email' and c.config->'to' ? lower(u.email)
      where u.user_id = $1 and ($2::uuid is null or c.project_id = $2)
      for update of c
    ), gone as (
      delete from weekly_report_channels c using held h where c.channel_id = h.channel_id and h.left_over is null
    )
    update weekly_report_channels c
    set config = jsonb_build_object('to', h.left_over), updated_at = culprit_now()
    from held h where c.channel_id = h.channel_id and h.left_over is not null`,
);

/** Lets the reports of a person's projects that go to their present address go to a new one; called before it changes. */
export const moveReportRecipient = inTransaction.run<[userId: string, newEmail: string]>(
  'report-recipient-move',
  `
    with held as (
      select c.channel_id, (
          -- Once, where the new address is on the list too.
          select jsonb_agg(distinct case when t.address = lower(u.email) then $2 else t.address end)
          from jsonb_array_elements_text(c.config->'to') as t (address)
        ) as moved
      from users u
        join project_members m on m.user_id = u.user_id
        join weekly_report_channels c on c.project_id = m.project_id and c.channel = 'email'
          and c.config->'to' ? lower(u.email)
      where u.user_id = $1
      for update of c
    )
    update weekly_report_channels c
    set config = jsonb_build_object('to', h.moved), updated_at = culprit_now()
    from held h where c.channel_id = h.channel_id`,
);
