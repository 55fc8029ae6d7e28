import type { Logger } from 'pino';
import { errorFields } from '../../platform/error-fields.ts';
import type { OutboundPolicy } from '../../platform/outbound/outbound-policy.ts';
import { type SendLoop, startSendLoop } from '../../platform/row-queue/send-loop.ts';
import type { PlanSettings } from '../../workspace/billing/plan.ts';
import { askTarget } from './ask-target.ts';
import { type CheckOutcome, failedHere } from './check-outcome.ts';
import { type ClaimedRun, claimRuns, releaseRuns } from './claims.queries.ts';
import { type RecordingOptions, recordRun } from './record-run.ts';

/**
 * Runs due checks until stopped, each at its slot, in any number of processes (docs/contract/account.md 7.5). Each run
 * has a separate slot, so that a slow target delays no other check.
 */
export function startChecks(
  options: RecordingOptions & {
    plans: PlanSettings;
    outbound: OutboundPolicy;
    log: Logger;
  },
): SendLoop {
  const { database, plans, outbound, log } = options;
  return startSendLoop<ClaimedRun & { receiverId: string; latencyClass: 'quick' }, CheckOutcome>(
    {
      async claim(_after, capacity) {
        for (;;) {
          const { runs, lookedAt } = await claimRuns(database, plans, capacity.all);
          // Checks that are paused or too late take no slot; after them there may be others.
          if (runs.length > 0 || lookedAt < capacity.all) {
            const attempts = runs.map((run) => ({
              ...run,
              receiverId: run.checkId,
              latencyClass: 'quick' as const,
            }));
            return { attempts, continueAfter: null };
          }
        }
      },
      async send(run, abort) {
        try {
          return await askTarget(outbound, run.target, abort);
        } catch (error) {
          if (abort.aborted) return null;
          log.error(
            { checkId: run.checkId, ...errorFields(error) },
            'availability check failed because of an internal error',
          );
          return failedHere(run.target);
        }
      },
      record: (run, outcome) => recordRun(options, run, outcome),
      release: (runs) => releaseRuns(database, runs),
      describe: (run) => ({ checkId: run.checkId }),
    },
    { log },
  );
}
