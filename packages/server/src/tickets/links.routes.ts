import * as endpoints from '@culprit/contract/incidents/incident-links';
import { actorOf } from '../pipeline/incidents/triage/triage.routes.ts';
import type { Binder } from '../platform/http/binding/bind-endpoint.ts';
import type { Runtime } from '../runtime.ts';
import type { ApiCallers } from '../workspace/access/api-callers.ts';
import { checkLink, createLink, deleteLink, refreshLink, updateLink } from './change-links.ts';
import { listLinkRows } from './links.queries.ts';

/** The tickets and links of incidents. */
export function bindLinkRoutes(binder: Binder<ApiCallers>, runtime: Runtime): void {
  binder.bind(endpoints.listLinks).answers(({ access }) => listLinkRows(runtime.database, access.recordId));
  binder
    .bind(endpoints.createLink)
    .checked(checkLink)
    .answers((request) => createLink(runtime, actorOf(request), request));
  binder
    .bind(endpoints.updateLink)
    .answers(({ access, params, body }) => updateLink(runtime, access, params.linkId, body));
  binder
    .bind(endpoints.refreshLink)
    .answers(({ access, params }) => refreshLink(runtime, access, params.linkId));
  binder
    .bind(endpoints.deleteLink)
    .answers((request) => deleteLink(runtime, actorOf(request), request.access, request.params.linkId));
}
