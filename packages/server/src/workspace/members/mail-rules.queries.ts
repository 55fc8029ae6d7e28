import type { Transaction } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/statement.ts';

/**
 * Deletes the alert rules that mail a person's own address, in one project or in all they are a member of, before the
 * membership ends: a person who left must get no more mail (docs/contract/notifications.md 0.4). Waiting messages of
 * these rules are not sent.
 * @param projectId bare UUID; null: in every project
 */
export async function deleteMailRules(
  transaction: Transaction,
  { userId, email }: { userId: string; email: string },
  projectId: string | null,
): Promise<void> {
  await transaction.query(
    {
      name: 'mail-rules-delete',
      // In the order in which evaluations lock them.
      text: `with held as (
          select r.alert_id from alert_rules r join project_members m on m.project_id = r.project_id
          where m.user_id = $1 and r.channel = 'email' and lower(r.config ->> 'to') = lower($2)
            and ($3::uuid is null or r.project_id = $3)
          order by r.alert_id for update of r
        )
        delete from alert_rules r using held where r.alert_id = held.alert_id`,
    },
    [userId, email, projectId],
  );
}

/** Lets the alert rules that mail a person's old address in their projects mail the new one. */
export async function moveMailRules(
  transaction: Transaction,
  userId: string,
  addresses: { from: string; to: string },
): Promise<void> {
  await transaction.query(
    sql('mail-rules-move')`with held as (
          select r.alert_id from alert_rules r join project_members m on m.project_id = r.project_id
          where m.user_id = $1 and r.channel = 'email' and lower(r.config ->> 'to') = lower($2)
          order by r.alert_id for update of r
        )
        update alert_rules r set config = jsonb_set(r.config, '{to}', to_jsonb($3::text))
        from held where r.alert_id = held.alert_id`,
    [userId, addresses.from, addresses.to],
  );
}
