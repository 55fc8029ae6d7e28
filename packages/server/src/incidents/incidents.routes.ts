import * as incidents from '@culprit/contract/incidents';
import { listIncidentLogs, listLogs as listLogsByQuery } from '@culprit/contract/logs';
import { listServices as listServicesEndpoint } from '@culprit/contract/services';
import type { PlanSettings } from '../billing/plan.ts';
import type { Database } from '../platform/db/database.ts';
import type { Binder, Callers } from '../platform/http/bind-endpoint.ts';
import type { Member } from '../tokens/authenticate-member.ts';
import { changeStatus, type StatusChange } from './change-status.ts';
import { listIncidents } from './list-incidents.ts';
import { listLogs } from './list-logs.ts';
import { listServices } from './list-services.ts';
import { readIncident } from './read-incident.ts';

/** Incidents, their logs, and services. */
export function bindIncidentRoutes<C extends Callers & { member: Member }>(
  binder: Binder<C>,
  { database, plans }: { database: Database; plans: PlanSettings },
): void {
  async function changeOne(member: Member, id: string, change: StatusChange): Promise<incidents.Incident> {
    const [incident] = await changeStatus(database, plans, member, [id], change);
    if (incident === undefined) throw new Error('a changed incident is missing');
    return incident;
  }

  binder.bind(incidents.listIncidents).to(async ({ caller, query }) => ({
    status: 200,
    body: await listIncidents(database, plans, caller, query),
  }));
  binder.bind(incidents.getIncident).to(async ({ caller, params }) => ({
    status: 200,
    body: { incident: await readIncident(database, plans, caller, params.id) },
  }));
  binder.bind(incidents.resolveIncident).to(async ({ caller, params }) => ({
    status: 200,
    body: { incident: await changeOne(caller, params.id, 'resolve') },
  }));
  binder.bind(incidents.reopenIncident).to(async ({ caller, params }) => ({
    status: 200,
    body: { incident: await changeOne(caller, params.id, 'reopen') },
  }));
  binder.bind(incidents.resolveIncidents).to(async ({ caller, body }) => ({
    status: 200,
    body: { incidents: await changeStatus(database, plans, caller, body.incident_ids, 'resolve') },
  }));
  binder.bind(incidents.reopenIncidents).to(async ({ caller, body }) => ({
    status: 200,
    body: { incidents: await changeStatus(database, plans, caller, body.incident_ids, 'reopen') },
  }));
  binder.bind(listIncidentLogs).to(async ({ caller, params, query }) => ({
    status: 200,
    body: await listLogs(database, plans, caller, params.id, query),
  }));
  binder.bind(listLogsByQuery).to(async ({ caller, query: { incident_id, ...query } }) => ({
    status: 200,
    body: await listLogs(database, plans, caller, incident_id, query),
  }));
  binder.bind(listServicesEndpoint).to(async ({ caller, query }) => ({
    status: 200,
    body: await listServices(database, plans, caller, query),
  }));
}
