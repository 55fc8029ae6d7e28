import { getIncidentActivity } from '@culprit/contract/incidents/incident-activity';
import { getIncidentEvent } from '@culprit/contract/incidents/incident-events';
import { getIncidentHistory } from '@culprit/contract/incidents/incident-history';
import { listSimilarIncidents } from '@culprit/contract/incidents/incident-similar';
import {
  listIncidentTags,
  listIncidentTagValues,
  listProjectTags,
} from '@culprit/contract/incidents/incident-tags';
import * as incidents from '@culprit/contract/incidents/incidents';
import { listIncidentLogs, listLogs as listLogsByQuery } from '@culprit/contract/incidents/logs';
import { lookUpId } from '@culprit/contract/incidents/lookup';
import { getIncidentOccurrences, getProjectOccurrences } from '@culprit/contract/incidents/occurrences';
import { listServices as listServicesEndpoint } from '@culprit/contract/incidents/services';
import { readIncidentQuery } from '@culprit/contract/search/query-reading';
import { listProjectClients } from '@culprit/contract/setup/clients';
import type { Binder } from '../../../platform/http/binding/bind-endpoint.ts';
import { Problem } from '../../../platform/http/binding/problem.ts';
import type { Runtime } from '../../../runtime.ts';
import type { ApiCallers } from '../../../workspace/access/api-callers.ts';
import type { RecordAccess } from '../../../workspace/access/authorize.ts';
import type { Member } from '../../../workspace/tokens/authenticate-member.ts';
import { checkTagValues, readProjectTags, readTags, readTagValues } from '../searching/incident-tags.ts';
import { readQueryText } from '../searching/read-query.ts';
import { changeStatus, checkResolveTarget, type ResolveTarget, type StatusChange } from './change-status.ts';
import { getIncident } from './get-incident.ts';
import { checkActivity, readActivity } from './incident-activity.ts';
import { readEvent } from './incident-event.ts';
import { checkClientsPage, listClients } from './list-clients.ts';
import { checkHistoryPage, listHistory } from './list-history.ts';
import {
  checkIncidentsCount,
  checkIncidentsFilter,
  countIncidents,
  listIncidents,
} from './list-incidents.ts';
import { checkLogsPage, listLogs } from './list-logs.ts';
import { checkServicesPage, listServices } from './list-services.ts';
import { listSimilar } from './list-similar.ts';

import { lookUp } from './lookup.ts';
import { checkOccurrences, readIncidentOccurrences, readProjectOccurrences } from './occurrences.ts';

/** Incidents, their logs, services, and the client libraries that they use. */
export function bindIncidentRoutes(binder: Binder<ApiCallers>, runtime: Runtime): void {
  async function changeOne(
    member: Member,
    access: RecordAccess,
    change: StatusChange,
    target: ResolveTarget | null = null,
  ): Promise<incidents.Incident> {
    const [incident] = await changeStatus(runtime, member, [access], change, target);
    if (incident === undefined) throw new Problem('incident_not_found');
    return incident;
  }

  binder
    .bind(incidents.listIncidents)
    .checked(checkIncidentsFilter)
    .answers((request) => listIncidents(runtime, request));
  binder
    .bind(incidents.countIncidents)
    .checked(checkIncidentsCount)
    .answers((request) => countIncidents(runtime, request));
  binder.bind(readIncidentQuery).answers((request) => readQueryText(runtime, request));
  binder
    .bind(listIncidentTags)
    .to(async ({ access }) => ({ status: 200, body: await readTags(runtime, access) }));
  binder
    .bind(listIncidentTagValues)
    .checked(checkTagValues)
    .answers((request) => readTagValues(runtime, request));
  binder
    .bind(listProjectTags)
    .to(async (request) => ({ status: 200, body: await readProjectTags(runtime, request) }));
  binder
    .bind(getIncidentActivity)
    .checked(checkActivity)
    .answers((request) => readActivity(runtime, request));
  binder.bind(incidents.getIncident).answers(({ access }) => getIncident(runtime, access));
  binder
    .bind(incidents.resolveIncident)
    .checked(checkResolveTarget)
    .answers(({ caller, access, checked }) => changeOne(caller, access, 'resolve', checked));
  binder.bind(incidents.reopenIncident).answers(({ caller, access }) => changeOne(caller, access, 'reopen'));
  binder
    .bind(incidents.resolveIncidents)
    .checked(checkResolveTarget)
    .answers(({ caller, access, checked }) => changeStatus(runtime, caller, access, 'resolve', checked));
  binder
    .bind(incidents.reopenIncidents)
    .answers(({ caller, access }) => changeStatus(runtime, caller, access, 'reopen'));
  binder
    .bind(getIncidentOccurrences)
    .checked(checkOccurrences)
    .answers((request) => readIncidentOccurrences(runtime, request));
  binder
    .bind(getProjectOccurrences)
    .checked(checkOccurrences)
    .answers((request) => readProjectOccurrences(runtime, request));
  binder
    .bind(getIncidentHistory)
    .checked(checkHistoryPage)
    .answers((request) => listHistory(runtime, request));
  binder.bind(listSimilarIncidents).answers(({ access }) => listSimilar(runtime, access));
  binder
    .bind(listIncidentLogs)
    .checked(checkLogsPage)
    .answers((request) => listLogs(runtime, request));
  binder
    .bind(listLogsByQuery)
    .checked(checkLogsPage)
    .answers((request) => listLogs(runtime, request));
  binder.bind(getIncidentEvent).answers((request) => readEvent(runtime, request));
  binder.bind(lookUpId).to(async (request) => ({ status: 200, body: await lookUp(runtime, request) }));
  binder
    .bind(listServicesEndpoint)
    .checked(checkServicesPage)
    .answers((request) => listServices(runtime, request));
  binder
    .bind(listProjectClients)
    .checked(checkClientsPage)
    .answers((request) => listClients(runtime, request));
}
