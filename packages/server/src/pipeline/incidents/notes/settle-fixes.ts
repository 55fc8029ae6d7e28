import { isLaterRelease } from '@culprit/evidence/incidents/release-order';
import type { Database } from '../../../platform/db/database.ts';
import { finishJobs, type Job } from '../../../platform/jobs/job-queue.ts';
import { findOrder } from '../../../releases/release-order.queries.ts';
import { versionOf } from '../processing/note-releases.ts';
import { resolveUnattended } from '../processing/resolve-recovered.ts';
import { writeResolutions } from '../releases/resolutions.queries.ts';
import { lockFixDeployments, markDeployed } from './deployed-fixes.queries.ts';

/**
 * Resolves the incidents whose fixes were deployed, each in the release of its deployment, in the transaction that
 * finishes the job (docs/contract/team-workflow.md 5.2). A fix does so once: an incident that comes back waits for
 * another one.
 */
export async function settleFixes({ database }: { database: Database }, job: Job): Promise<void> {
  const { fairnessKey: projectId } = job;
  await database.transaction(async (transaction) => {
    await finishJobs(transaction, [job]);
    const found = await lockFixDeployments(transaction, projectId);
    const versions = found.flatMap((each) => [versionOf(each), each.release ?? versionOf(each)]);
    const orderOf = await findOrder(transaction, projectId, new Set(versions));
    const deployed = new Map<string, { fixId: string; incidentId: string; deployedIn: string }>();
    for (const { fixId, incidentId, release, hasCommit, ...deployment } of found) {
      const deployedIn = versionOf(deployment);
      const isIn =
        hasCommit ||
        release === deployedIn ||
        (release !== null && isLaterRelease(orderOf(deployedIn), orderOf(release)) === true);
      if (isIn && !deployed.has(fixId)) deployed.set(fixId, { fixId, incidentId, deployedIn });
    }
    if (deployed.size === 0) return;
    // An incident with several fixes is resolved in the release of the newest.
    const byIncident = new Map([...deployed.values()].map((each) => [each.incidentId, each]));
    const resolved = await resolveUnattended(transaction, projectId, [...byIncident.keys()], {
      ledgerData: (incidentId) => {
        const fix = byIncident.get(incidentId);
        return { because: 'fix', fix_id: fix?.fixId, in: 'release', release: fix?.deployedIn };
      },
    });
    await writeResolutions(
      transaction,
      resolved.map((incidentId) => {
        const version = byIncident.get(incidentId)?.deployedIn ?? null;
        return { incidentId, projectId, kind: 'release', afterVersion: null, version } as const;
      }),
    );
    markDeployed(transaction, [...deployed.values()]);
  });
}
