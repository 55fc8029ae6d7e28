import * as endpoints from '@culprit/contract/alerts/trackers';
import type { Binder } from '../../platform/http/binding/bind-endpoint.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiCallers } from '../../workspace/access/api-callers.ts';
import { checkNewTracker, createTracker, deleteTracker, updateTracker } from './change-trackers.ts';
import { createTrackerHook } from './create-tracker-hook.ts';
import { findTrackerTickets, listTicketFields } from './find-tickets.ts';
import { installTrackerHook } from './install-tracker-hook.ts';
import { checkTargetsBody, listTrackerTargets } from './list-tracker-targets.ts';
import { testTracker } from './test-tracker.ts';
import { listTrackerRows } from './trackers.queries.ts';

/** Issue trackers of projects. */
export function bindTrackerRoutes(binder: Binder<ApiCallers>, runtime: Runtime): void {
  binder
    .bind(endpoints.listTrackers)
    .answers(({ access }) => listTrackerRows(runtime.database, access.projectId));
  binder
    .bind(endpoints.createTracker)
    .checked((request) => checkNewTracker(runtime, request))
    .to(async (request) => ({ status: 201, body: await createTracker(runtime, request) }));
  binder
    .bind(endpoints.listTrackerTargets)
    .checked((request) => checkTargetsBody(runtime, request))
    .to(async (request) => ({ status: 200, body: await listTrackerTargets(runtime, request) }));
  binder.bind(endpoints.listTrackerTickets).answers((request) => findTrackerTickets(runtime, request));
  binder
    .bind(endpoints.listTrackerFields)
    .to(async (request) => ({ status: 200, body: await listTicketFields(runtime, request) }));
  binder.bind(endpoints.updateTracker).answers((request) => updateTracker(runtime, request));
  binder.bind(endpoints.deleteTracker).to(async (request) => {
    await deleteTracker(runtime, request);
    return { status: 200, body: { deleted: true } };
  });
  binder
    .bind(endpoints.testTracker)
    .to(async (request) => ({ status: 200, body: await testTracker(runtime, request) }));
  binder.bind(endpoints.installTrackerHook).answers((request) => installTrackerHook(runtime, request));
  binder.bind(endpoints.createTrackerHook).to(async (request) => ({
    status: 201,
    body: await createTrackerHook(runtime, request),
  }));
}
