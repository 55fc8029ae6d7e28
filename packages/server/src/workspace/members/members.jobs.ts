import type { Transaction } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/statement.ts';
import { enqueue, WAKE_QUEUED } from '../../platform/jobs/enqueue.ts';

/** The lane of what follows when people change. */
export const PEOPLE_LANE = 'people';

/** Job kind: takes the incidents of a project from a person who lost access to it, or from a team that was deleted. */
export const UNASSIGN_PERSON = 'people.unassign';

/** Queues it for each project of the person, or for one, inside the transaction that ends the access. */
export function queueUnassign(transaction: Transaction, userId: string, projectId: string | null): void {
  transaction.send(QUEUE, [userId, projectId]);
}

const QUEUE = sql('people-unassign-queue')`with queued as (${enqueue({
  job: { lane: PEOPLE_LANE, kind: UNASSIGN_PERSON },
  fairnessKey: 'm.project_id',
  payload: `jsonb_build_object('userId', $1::uuid)`,
  from: `from project_members m join projects p on p.project_id = m.project_id and p.deleted_at is null
      where m.user_id = $1 and ($2::uuid is null or m.project_id = $2)`,
})})
    ${WAKE_QUEUED}`;

/** Queues it for a team in each project of its organization, inside the transaction that deletes the team. */
export function queueUnassignTeam(transaction: Transaction, teamId: string, organizationId: string): void {
  transaction.send(QUEUE_TEAM, [teamId, organizationId]);
}

const QUEUE_TEAM = sql('people-unassign-team-queue')`with queued as (${enqueue({
  job: { lane: PEOPLE_LANE, kind: UNASSIGN_PERSON },
  fairnessKey: 'p.project_id',
  payload: `jsonb_build_object('teamId', $1::uuid)`,
  from: 'from projects p where p.organization_id = $2 and p.deleted_at is null',
})})
    ${WAKE_QUEUED}`;

/** From whom a job takes incidents: a person or a team. */
interface FormerAssignee {
  kind: 'user' | 'team';
  id: string;
}

/** Reads a payload back from its row; a row that was not written by this program is an error. */
export function readUnassignPayload({ userId, teamId }: Record<string, unknown>): FormerAssignee {
  if (typeof userId === 'string') return { kind: 'user', id: userId };
  if (typeof teamId === 'string') return { kind: 'team', id: teamId };
  throw new Error('unreadable unassign job');
}
