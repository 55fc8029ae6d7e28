import { numbersIn } from '../../platform/jobs/job-payload.ts';
import { PEOPLE_LANE } from '../../workspace/members/members.jobs.ts';

/** Job kind: finds whom ledger rows of one project concern. */
export const TELL_PEOPLE = { lane: PEOPLE_LANE, kind: 'people.tell' } as const;

/** Job kind: mails what waits for one person. Its key is the person. */
export const MAIL_NOTICES = { lane: PEOPLE_LANE, kind: 'people.mail' } as const;

/** Ledger kinds that concern the people who have an incident (docs/contract/team-workflow.md 6.4). */
export const PERSONAL_KINDS = ['incident.regressed', 'incident.woke'] as const;

/** Reads the payload of `TELL_PEOPLE` back from its row. */
export function lifecycleIdsIn(payload: Record<string, unknown>): number[] {
  return numbersIn(payload, 'lifecycleIds');
}

/** Reads the payload of `MAIL_NOTICES` back from its row; a row that was not written by this program is an error. */
export function readNoticesPayload({ userId }: Record<string, unknown>): string {
  if (typeof userId !== 'string') throw new Error('unreadable job of notices');
  return userId;
}
