import { mailNotices, tellOfLedger } from '../../../notify/personal/mail-notices.ts';
import { MAIL_NOTICES, TELL_PEOPLE } from '../../../notify/personal/personal.jobs.ts';
import type { Database } from '../../../platform/db/database.ts';
import { finishJobs, type Job } from '../../../platform/jobs/job-queue.ts';
import type { LaneWork } from '../../../platform/jobs/lane.ts';
import type { Runtime } from '../../../runtime.ts';
import { readUnassignPayload } from '../../../workspace/members/members.jobs.ts';
import { insertLifecycleEvents, type LifecycleEvent } from '../../ledger/lifecycle.queries.ts';
import { OWN_INCIDENTS } from '../../ledger/ownership.jobs.ts';
import { SETTLE_FIXES } from '../notes/fixes.jobs.ts';
import { settleFixes } from '../notes/settle-fixes.ts';
import { ownLater } from '../ownership/assign-owned.ts';
import { lockIncidents } from '../processing/locked-incidents.queries.ts';
import { findAssignedTo, findTriage, saveTriage } from './triage.queries.ts';

/** Incidents that one transaction takes from a person. */
const INCIDENTS_PER_STEP = 500;

/**
 * Takes incidents from people who lost their access and teams that were deleted (docs/contract/team-workflow.md 2.1),
 * mails people about what concerns them (6.4), gives incidents to their owners (2.3), and resolves those whose fixes were
 * deployed (5.2).
 */
export function peopleLane(runtime: Pick<Runtime, 'database' | 'plans' | 'keys' | 'appUrl'>): LaneWork {
  return {
    claimMax: 1,
    async run(jobs) {
      for (const job of jobs) {
        if (job.kind === TELL_PEOPLE.kind) await tellOfLedger(runtime, job);
        else if (job.kind === MAIL_NOTICES.kind) await mailNotices(runtime, job);
        else if (job.kind === OWN_INCIDENTS.kind) await ownLater(runtime, job);
        else if (job.kind === SETTLE_FIXES.kind) await settleFixes(runtime, job);
        else await unassign(runtime.database, job);
      }
    },
  };
}

async function unassign(database: Database, job: Job): Promise<void> {
  const former = readUnassignPayload(job.payload);
  const place = former.kind === 'user' ? 'assigneeUserId' : 'assigneeTeamId';
  const { fairnessKey: projectId } = job;
  for (;;) {
    const isDone = await database.transaction(async (transaction) => {
      const incidentIds = await findAssignedTo(transaction, projectId, former, INCIDENTS_PER_STEP);
      const held = await lockIncidents(transaction, incidentIds);
      const known = await findTriage(
        transaction,
        held.map(({ incidentId }) => incidentId),
      );
      const taken = [...known.values()].filter((state) => state[place] === former.id);
      saveTriage(
        transaction,
        taken.map((state) => ({ ...state, [place]: null, assignedAtMs: null })),
      );
      insertLifecycleEvents(
        transaction,
        taken.map(
          ({ incidentId }): LifecycleEvent => ({
            projectId,
            incidentId,
            kind: 'incident.unassigned',
            data: { reason: 'no_access' },
          }),
        ),
      );
      const isLast = incidentIds.length < INCIDENTS_PER_STEP;
      if (isLast) await finishJobs(transaction, [job]);
      return isLast;
    });
    if (isDone) return;
  }
}
