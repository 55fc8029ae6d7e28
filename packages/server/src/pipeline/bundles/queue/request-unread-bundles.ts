import type { Database } from '../../../platform/db/database.ts';
import { inTransaction } from '../../../platform/db/statement.ts';
import { BUILD_BUNDLE } from './bundles.jobs.ts';
import { requestBundles } from './request-bundles.ts';

/** A document without readers is built when it is this far behind, which is much less than events are kept. */
const BEHIND_MAX = '12 h';
/** The incidents that are looked at: those seen in as many days as events are kept at least. */
const SEEN_WITHIN = '7 d';

const findUnread = inTransaction.many<
  [projectId: string, limit: number],
  { incident_id: string; is_active: boolean }
>(
  'bundles-unread',
  `select i.incident_id, i.status <> 'resolved' as is_active
    from incidents i join bundles b using (incident_id)
    where i.project_id = $1 and i.seen_step >= seen_step((select culprit_now()) - interval '${SEEN_WITHIN}')
      and b.object_key is not null and b.occurrence_count <> i.occurrence_count
      and b.generated_at < (select culprit_now()) - interval '${BEHIND_MAX}'
      and not exists (select from jobs j where j.kind = '${BUILD_BUNDLE}' and j.key = i.incident_id::text)
    order by b.generated_at, i.incident_id limit $2`,
);

/**
 * Queues the documents of a project that no reader had built for half a day: they keep what they show of events that are
 * deleted later (docs/contract/incidents.md 3.9). The oldest first.
 * @returns how many
 */
export async function requestUnreadBundles(
  database: Database,
  projectId: string,
  limit: number,
): Promise<number> {
  return await database.transaction(async (transaction) => {
    const unread = await findUnread(transaction, projectId, limit);
    const requests = unread.flatMap(({ incident_id: incidentId, is_active }) => [
      { incidentId, trigger: 'context' as const },
      { incidentId, trigger: is_active ? ('signal' as const) : ('backlog' as const) },
    ]);
    requestBundles(transaction, projectId, requests);
    return unread.length;
  });
}
