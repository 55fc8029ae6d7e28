import type { IncomingHttpHeaders } from 'node:http';
import * as snooze from '@culprit/contract/incidents/incident-snooze';
import { updateIncident, updateIncidents } from '@culprit/contract/incidents/incident-triage';
import type { Incident } from '@culprit/contract/incidents/incidents';
import type { Binder } from '../../../platform/http/binding/bind-endpoint.ts';
import { Problem } from '../../../platform/http/binding/problem.ts';
import type { Runtime } from '../../../runtime.ts';
import type { ApiCallers } from '../../../workspace/access/api-callers.ts';
import { viaOf } from '../../../workspace/access/via.ts';
import type { SessionCaller } from '../../../workspace/accounts/authenticate-session.ts';
import type { TokenCaller } from '../../../workspace/tokens/authenticate-member.ts';
import { snoozeIncidents, wakeIncidents } from './change-snooze.ts';
import { type Actor, changeTriage } from './change-triage.ts';
import { previewSnooze } from './preview-snooze.ts';

/** Returns the sender of a request, and the way. */
export function actorOf({
  caller,
  headers,
}: {
  caller: TokenCaller | SessionCaller;
  headers: IncomingHttpHeaders;
}): Actor {
  return { userId: caller.userId, via: viaOf(headers), tokenId: 'tokenId' in caller ? caller.tokenId : null };
}

/** Binds the decisions of people about incidents. */
export function bindTriageRoutes(binder: Binder<ApiCallers>, runtime: Runtime): void {
  binder.bind(updateIncident).to(async ({ caller, headers, access, body }) => ({
    status: 200,
    body: {
      incident: only(await changeTriage(runtime, actorOf({ caller, headers }), [access], body)),
    },
  }));
  binder.bind(updateIncidents).to(async ({ caller, headers, access, body }) => ({
    status: 200,
    body: {
      incidents: await changeTriage(runtime, actorOf({ caller, headers }), access, body.set),
    },
  }));
  binder.bind(snooze.snoozeIncident).to(async ({ caller, headers, access, body }) => ({
    status: 200,
    body: {
      incident: only(await snoozeIncidents(runtime, actorOf({ caller, headers }), [access], body)),
    },
  }));
  binder
    .bind(snooze.snoozeIncidents)
    .answers(({ caller, headers, access, body }) =>
      snoozeIncidents(runtime, actorOf({ caller, headers }), access, body),
    );
  binder.bind(snooze.wakeIncident).to(async ({ caller, headers, access }) => ({
    status: 200,
    body: { incident: only(await wakeIncidents(runtime, actorOf({ caller, headers }), [access])) },
  }));
  binder
    .bind(snooze.wakeIncidents)
    .answers(({ caller, headers, access }) => wakeIncidents(runtime, actorOf({ caller, headers }), access));
  binder.bind(snooze.previewSnooze).answers((request) => previewSnooze(runtime, request));
}

/** @throws Problem `incident_not_found` when it was removed in the meantime */
function only([incident]: readonly Incident[]): Incident {
  if (incident === undefined) throw new Problem('incident_not_found');
  return incident;
}
