import type { Database } from '../../../platform/db/database.ts';
import { finishJobs, type Job } from '../../../platform/jobs/job-queue.ts';
import type { LaneWork } from '../../../platform/jobs/lane.ts';
import { readUnassignPayload } from '../../../workspace/members/members.jobs.ts';
import { insertLifecycleEvents, type LifecycleEvent } from '../../ledger/lifecycle.queries.ts';
import { lockIncidents } from '../processing/locked-incidents.queries.ts';
import { findAssignedTo, findTriage, saveTriage } from './triage.queries.ts';

/** Incidents that one transaction takes from a person. */
const INCIDENTS_PER_STEP = 500;

/** Takes incidents from people who lost their access (docs/contract/team-workflow.md 2.1). */
export function peopleLane({ database }: { database: Database }): LaneWork {
  return {
    claimMax: 1,
    async run(jobs) {
      for (const job of jobs) await unassignPerson(database, job);
    },
  };
}

async function unassignPerson(database: Database, job: Job): Promise<void> {
  const userId = readUnassignPayload(job.payload);
  const { fairnessKey: projectId } = job;
  for (;;) {
    const isDone = await database.transaction(async (transaction) => {
      const incidentIds = await findAssignedTo(transaction, projectId, userId, INCIDENTS_PER_STEP);
      const held = await lockIncidents(transaction, incidentIds);
      const known = await findTriage(
        transaction,
        held.map(({ incidentId }) => incidentId),
      );
      const taken = [...known.values()].filter(({ assigneeUserId }) => assigneeUserId === userId);
      saveTriage(
        transaction,
        taken.map((state) => ({ ...state, assigneeUserId: null, assignedAtMs: null })),
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
