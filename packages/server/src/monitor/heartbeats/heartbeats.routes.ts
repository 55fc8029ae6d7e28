import * as endpoints from '@culprit/contract/monitor/heartbeats';
import { encodeCursor } from '@culprit/contract/schemas/pagination';
import type { Binder } from '../../platform/http/binding/bind-endpoint.ts';
import { Problem } from '../../platform/http/binding/problem.ts';
import { pageOf, readPage } from '../../platform/http/binding/time-page.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiCallers } from '../../workspace/access/api-callers.ts';
import { checkRollupsPage } from '../availability/list-daily-rollups.ts';
import { createHeartbeat } from './create-heartbeat.ts';
import { listDayRows } from './days.queries.ts';
import { deleteHeartbeat } from './delete-heartbeat.ts';
import { heartbeatScope } from './heartbeat-scope.ts';
import { newSettings } from './heartbeat-settings.ts';
import { findHeartbeat, listHeartbeatRows, listRunRows } from './heartbeats.queries.ts';
import { rotateHeartbeatKey } from './rotate-heartbeat-key.ts';
import { updateHeartbeat } from './update-heartbeat.ts';

/** Heartbeats of projects, and the runs of their jobs. */
export function bindHeartbeatRoutes(binder: Binder<ApiCallers>, runtime: Runtime): void {
  const { database } = runtime;
  binder
    .bind(endpoints.listHeartbeats)
    .checked(({ query }) => readPage([], query))
    .to(async (request) => {
      const { checked: page } = request;
      const rows = await listHeartbeatRows(database, heartbeatScope(runtime, request), page);
      const { shown, nextCursor } = pageOf(rows, page, (row) => [row.created_at, row.heartbeat_id]);
      return { status: 200, body: { heartbeats: shown, next_cursor: nextCursor } };
    });
  binder
    .bind(endpoints.createHeartbeat)
    .checked(({ body }) => newSettings(body, Date.now()))
    .to(async (request) => ({ status: 201, body: { heartbeat: await createHeartbeat(runtime, request) } }));
  binder.bind(endpoints.getHeartbeat).to(async (request) => {
    const scope = heartbeatScope(runtime, request);
    const heartbeat = await findHeartbeat(database, scope, request.access.recordId);
    if (heartbeat === null) throw new Problem('heartbeat_not_found');
    return { status: 200, body: { heartbeat } };
  });
  binder
    .bind(endpoints.updateHeartbeat)
    .to(async (request) => ({ status: 200, body: { heartbeat: await updateHeartbeat(runtime, request) } }));
  binder.bind(endpoints.deleteHeartbeat).to(async (request) => {
    await deleteHeartbeat(runtime, request);
    return { status: 200, body: { deleted: true } };
  });
  binder.bind(endpoints.rotateHeartbeatKey).to(async (request) => ({
    status: 200,
    body: { heartbeat: await rotateHeartbeatKey(runtime, request) },
  }));
  binder
    .bind(endpoints.listHeartbeatRuns)
    .checked(({ query }) => readPage([], query))
    .to(async ({ access, checked: page }) => {
      const rows = await listRunRows(database, access.recordId, page);
      const { shown, nextCursor } = pageOf(rows, page, (row) => [row.started_at, row.check_in_id]);
      return { status: 200, body: { check_ins: shown, next_cursor: nextCursor } };
    });
  binder
    .bind(endpoints.listHeartbeatDays)
    .checked(checkRollupsPage)
    .to(async ({ access: { projectId, recordId: heartbeatId }, checked: page }) => {
      const days = await listDayRows(database, { projectId, heartbeatId }, page);
      const shown = days.slice(0, page.limit);
      const last = shown.length < days.length ? shown.at(-1) : undefined;
      const cursor = last === undefined ? null : encodeCursor([last.day]);
      return { status: 200, body: { daily_rollups: shown, next_cursor: cursor } };
    });
}
