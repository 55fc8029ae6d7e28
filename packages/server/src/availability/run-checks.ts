import type { Logger } from 'pino';
import type { PlanSettings } from '../billing/plan.ts';
import type { OutboundPolicy } from '../platform/outbound/outbound-policy.ts';
import { type SendLoop, startSendLoop } from '../platform/sending/send-loop.ts';
import { askTarget } from './ask-target.ts';
import { type CheckOutcome, failedHere } from './check-outcome.ts';
import { type ClaimedRun, claimRuns, handBackRuns } from './claims.queries.ts';
import { type RecordingOptions, recordRun } from './record-run.ts';
import { settleRecoveries } from './settle-recoveries.ts';

/**
 * Runs due checks until stopped, each at its slot, however many processes do this (account.md 7.5). A run holds a place
 * of its own, so that a slow target delays no other check.
 * @param options.pollIntervalMs for what becomes due without a wake-up here, such as checks of other processes
 */
export function startChecks(
  options: RecordingOptions & {
    plans: PlanSettings;
    outbound: OutboundPolicy;
    pollIntervalMs: number;
    log: Logger;
  },
): SendLoop {
  const { database, plans, outbound, pollIntervalMs, log } = options;
  return startSendLoop<ClaimedRun & { receiverId: string; pace: 'quick' }, CheckOutcome>(
    {
      async claim(_after, room) {
        // Apart from the runs: what goes wrong there must keep nobody from being checked.
        await settleRecoveries(database).catch((error: Error) =>
          log.warn({ error: error.message }, 'incidents of recovered checks not resolved'),
        );
        for (;;) {
          const { runs, lookedAt } = await claimRuns(database, plans, room.all);
          // Checks that are paused or too late take no place; behind them there may be others.
          if (runs.length > 0 || lookedAt < room.all) {
            const attempts = runs.map((run) => ({ ...run, receiverId: run.checkId, pace: 'quick' as const }));
            return { attempts, continueAfter: null };
          }
        }
      },
      async send(run, breakOff) {
        try {
          return await askTarget(outbound, run.target, breakOff);
        } catch (error) {
          if (breakOff.aborted) return null;
          const message = error instanceof Error ? error.message : String(error);
          log.error({ checkId: run.checkId, error: message }, 'check failed here');
          return failedHere(run.target);
        }
      },
      record: (run, outcome) => recordRun(options, run, outcome),
      handBack: (runs) => handBackRuns(database, runs),
      describe: (run) => ({ checkId: run.checkId }),
    },
    { pollIntervalMs, log },
  );
}
