import * as views from '@culprit/contract/search/views';
import type { Binder } from '../../platform/http/binding/bind-endpoint.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiCallers } from '../access/api-callers.ts';
import { createView, deleteView, updateView } from './change-view.ts';
import { listViewRows } from './views.queries.ts';

/** Lists of incidents that have a name. */
export function bindViewRoutes(binder: Binder<ApiCallers>, runtime: Runtime): void {
  binder
    .bind(views.listViews)
    .answers(({ caller, access }) => listViewRows(runtime.database, caller.userId, access.projectIds));
  binder.bind(views.createView).answers((request) => createView(runtime, request));
  binder.bind(views.updateView).answers((request) => updateView(runtime, request));
  binder
    .bind(views.deleteView)
    .answers(({ caller, params }) => deleteView(runtime, caller.userId, params.id));
}
