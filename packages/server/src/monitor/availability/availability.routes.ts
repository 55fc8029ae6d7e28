import * as checks from '@culprit/contract/monitor/availability-checks';
import * as history from '@culprit/contract/monitor/check-history';
import type { Binder } from '../../platform/http/binding/bind-endpoint.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiCallers } from '../../workspace/access/api-callers.ts';
import { checkLatencyTimes, readCheckLatency } from './check-latency.ts';
import { checkNewCheck, createCheck } from './create-check.ts';
import { deleteCheck } from './delete-check.ts';
import { getCheck } from './get-check.ts';
import { listCheckDays } from './list-check-days.ts';
import { checkChecksPage, listChecks } from './list-checks.ts';
import { checkRollupsPage, listRollups } from './list-daily-rollups.ts';
import { checkResultsPage, listResults } from './list-results.ts';
import { checkTestTarget, testTarget } from './test-target.ts';
import { checkCheckChange, updateCheck } from './update-check.ts';

/** Availability checks of projects, their results and their days. */
export function bindAvailabilityRoutes(binder: Binder<ApiCallers>, runtime: Runtime): void {
  binder
    .bind(checks.listAvailabilityChecks)
    .checked(checkChecksPage)
    .answers((request) => listChecks(runtime, request));
  binder
    .bind(checks.createAvailabilityCheck)
    .checked((request) => checkNewCheck(runtime, request))
    .answers((request) => createCheck(runtime, request));
  binder.bind(checks.getAvailabilityCheck).answers(({ access }) => getCheck(runtime, access));
  binder
    .bind(checks.updateAvailabilityCheck)
    .checked((request) => checkCheckChange(runtime, request))
    .answers((request) => updateCheck(runtime, request));
  binder.bind(checks.deleteAvailabilityCheck).to(async (request) => {
    await deleteCheck(runtime, request);
    return { status: 200, body: { deleted: true } };
  });
  binder
    .bind(checks.testAvailabilityTarget)
    .checked((request) => checkTestTarget(runtime, request))
    .answers((request) => testTarget(runtime, request));
  binder
    .bind(checks.listAvailabilityResults)
    .checked(checkResultsPage)
    .answers((request) => listResults(runtime, request));
  binder
    .bind(history.listDailyRollups)
    .checked(checkRollupsPage)
    .answers((request) => listRollups(runtime, request));
  binder
    .bind(history.listCheckDays)
    .to(async (request) => ({ status: 200, body: await listCheckDays(runtime, request) }));
  binder
    .bind(history.getCheckLatency)
    .checked(checkLatencyTimes)
    .answers((request) => readCheckLatency(runtime, request));
}
