import * as views from '@culprit/contract/views';
import type { Binder } from '../../platform/http/bind-endpoint.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiCallers } from '../access/api-callers.ts';
import { createView, deleteView, updateView } from './change-view.ts';
import { listViewRows } from './views.queries.ts';

/** Lists of incidents that have a name. */
export function bindViewRoutes(binder: Binder<ApiCallers>, runtime: Runtime): void {
  binder.bind(views.listViews).to(async ({ caller, access }) => ({
    status: 200,
    body: { views: await listViewRows(runtime.database, caller.userId, access.projectIds) },
  }));
  binder.bind(views.createView).to(async (request) => ({
    status: 201,
    body: { view: await createView(runtime, request) },
  }));
  binder.bind(views.updateView).to(async (request) => ({
    status: 200,
    body: { view: await updateView(runtime, request) },
  }));
  binder.bind(views.deleteView).to(async ({ caller, params }) => ({
    status: 200,
    body: { view: await deleteView(runtime, caller.userId, params.id) },
  }));
}
