import { updateIncident, updateIncidents } from '@culprit/contract/incident-triage';
import type { Incident } from '@culprit/contract/incidents';
import type { Binder } from '../../../platform/http/bind-endpoint.ts';
import { Problem } from '../../../platform/http/problem.ts';
import type { Runtime } from '../../../runtime.ts';
import type { ApiCallers } from '../../../workspace/access/api-callers.ts';
import { viaOf } from '../../../workspace/access/via.ts';
import { changeTriage } from './change-triage.ts';

/** What people decide about incidents. */
export function bindTriageRoutes(binder: Binder<ApiCallers>, runtime: Runtime): void {
  binder.bind(updateIncident).to(async ({ caller, headers, access, body }) => ({
    status: 200,
    body: {
      incident: only(await changeTriage(runtime, { ...caller, via: viaOf(headers) }, [access], body)),
    },
  }));
  binder.bind(updateIncidents).to(async ({ caller, headers, access, body }) => ({
    status: 200,
    body: {
      incidents: await changeTriage(runtime, { ...caller, via: viaOf(headers) }, access, body.set),
    },
  }));
}

/** @throws Problem `incident_not_found` when it was removed in the meantime */
function only([incident]: readonly Incident[]): Incident {
  if (incident === undefined) throw new Problem('incident_not_found');
  return incident;
}
