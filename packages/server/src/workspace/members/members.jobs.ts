import type { Transaction } from '../../platform/db/database.ts';
import { enqueue, WAKE_QUEUED } from '../../platform/jobs/enqueue.ts';

/** The lane of what follows when people change. */
export const PEOPLE_LANE = 'people';

/** Job kind: takes the incidents of a project from a person who lost access to it. */
export const UNASSIGN_PERSON = 'people.unassign';

/** Queues it for each project of the person, or for one, inside the transaction that ends the access. */
export function queueUnassign(transaction: Transaction, userId: string, projectId: string | null): void {
  transaction.send(QUEUE, [userId, projectId]);
}

const QUEUE = {
  name: 'people-unassign-queue',
  text: `with queued as (${enqueue({
    job: { lane: PEOPLE_LANE, kind: UNASSIGN_PERSON },
    fairnessKey: 'm.project_id',
    payload: `jsonb_build_object('userId', $1::uuid)`,
    from: `from project_members m join projects p on p.project_id = m.project_id and p.deleted_at is null
      where m.user_id = $1 and ($2::uuid is null or m.project_id = $2)`,
  })})
    ${WAKE_QUEUED}`,
};

/** Reads a payload back from its row; a row that was not written by this program is an error. */
export function readUnassignPayload(payload: Record<string, unknown>): string {
  const { userId } = payload;
  if (typeof userId !== 'string') throw new Error('unreadable unassign job');
  return userId;
}
