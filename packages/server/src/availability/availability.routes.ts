import * as checks from '@culprit/contract/availability-checks';
import type { PlanSettings } from '../billing/plan.ts';
import type { Database } from '../platform/db/database.ts';
import type { Binder, Callers } from '../platform/http/bind-endpoint.ts';
import type { OutboundPolicy } from '../platform/outbound/outbound-policy.ts';
import type { Member } from '../tokens/authenticate-member.ts';
import { createCheck } from './create-check.ts';
import { deleteCheck } from './delete-check.ts';
import { listChecks } from './list-checks.ts';
import { listRollups } from './list-daily-rollups.ts';
import { listResults } from './list-results.ts';
import { requireCheck } from './require-check.ts';
import { testTarget } from './test-target.ts';
import { updateCheck } from './update-check.ts';

export interface AvailabilityRoom {
  database: Database;
  plans: PlanSettings;
  outbound: OutboundPolicy;
}

/** Availability checks of projects, their results and their days. */
export function bindAvailabilityRoutes<C extends Callers & { member: Member }>(
  binder: Binder<C>,
  room: AvailabilityRoom,
): void {
  const pathOf = (params: { id: string; checkId: string }) => ({
    projectId: params.id,
    checkId: params.checkId,
  });
  binder.bind(checks.listAvailabilityChecks).to(async ({ caller, params, query }) => ({
    status: 200,
    body: await listChecks(room, caller, params.id, query),
  }));
  binder.bind(checks.createAvailabilityCheck).to(async (context) => {
    const { caller, params, body } = context;
    return { status: 201, body: { check: await createCheck(room, caller, params.id, body, context) } };
  });
  binder.bind(checks.getAvailabilityCheck).to(async ({ caller, params }) => {
    const { check, limits } = await requireCheck(room.database, room.plans, caller, pathOf(params));
    return { status: 200, body: { check, limits } };
  });
  binder.bind(checks.updateAvailabilityCheck).to(async (context) => {
    const { caller, params, body } = context;
    return { status: 200, body: { check: await updateCheck(room, caller, pathOf(params), body, context) } };
  });
  binder.bind(checks.deleteAvailabilityCheck).to(async (context) => {
    await deleteCheck(room, context.caller, pathOf(context.params), context);
    return { status: 200, body: { deleted: true } };
  });
  binder.bind(checks.testAvailabilityTarget).to(async (context) => {
    const { caller, params, body } = context;
    return { status: 200, body: await testTarget(room, caller, params.id, body, context) };
  });
  binder.bind(checks.listAvailabilityResults).to(async ({ caller, params, query }) => ({
    status: 200,
    body: await listResults(room, caller, pathOf(params), query),
  }));
  binder.bind(checks.listDailyRollups).to(async ({ caller, params, query }) => ({
    status: 200,
    body: await listRollups(room, caller, pathOf(params), query),
  }));
}
