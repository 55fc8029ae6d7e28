import { previewGrouping as previewGroupingEndpoint } from '@culprit/contract/incidents/grouping-preview';
import * as grouping from '@culprit/contract/incidents/incident-grouping';
import * as regroupings from '@culprit/contract/incidents/regroupings';
import type { Binder } from '../../../platform/http/binding/bind-endpoint.ts';
import { Problem } from '../../../platform/http/binding/problem.ts';
import { parseId } from '../../../platform/ids.ts';
import type { Runtime } from '../../../runtime.ts';
import type { ApiCallers } from '../../../workspace/access/api-callers.ts';
import { applyRegrouping } from './apply-regrouping.ts';
import { getGrouping, mergeLocked, splitLocked } from './change-grouping.ts';
import { REQUEST_BOUNDS } from './group-history.ts';
import { previewGrouping } from './preview-grouping.ts';
import { listRegroupingRows } from './regroupings.queries.ts';
import { undoRegrouping } from './undo-regrouping.ts';

/** Binds the keys of an incident, merging and splitting by hand, and the preview of other rules. */
export function bindGroupingRoutes(binder: Binder<ApiCallers>, runtime: Runtime): void {
  binder.bind(grouping.getIncidentGrouping).answers(({ access }) => getGrouping(runtime, access));
  binder.bind(grouping.mergeIncidents).answers((request) => mergeLocked(runtime, request));
  binder.bind(grouping.splitIncident).answers((request) => splitLocked(runtime, request));
  binder.bind(previewGroupingEndpoint).answers((request) => previewGrouping(runtime, request));
  binder.bind(regroupings.listRegroupings).to(async ({ access }) => ({
    status: 200,
    body: {
      regroupings: await listRegroupingRows(
        runtime.database,
        access.projectId,
        regroupings.SHOWN_REGROUPINGS_MAX,
      ),
    },
  }));
  binder
    .bind(regroupings.applyRegrouping)
    .to(async ({ access: { projectId }, caller: { userId }, clientAddress, body, log }) => ({
      status: 201,
      body: {
        regrouping: await applyRegrouping(
          { ...runtime, log },
          { projectId, userId, clientAddress },
          { stackRules: body.stack_rules, hours: body.hours, bounds: REQUEST_BOUNDS },
        ),
      },
    }));
  binder
    .bind(regroupings.undoRegrouping)
    .to(async ({ access: { projectId }, caller: { userId }, clientAddress, body, log }) => {
      // Its form says nothing of its existence.
      const regroupingId = parseId([], body.regrouping_id);
      if (regroupingId === null) throw new Problem('regrouping_not_found');
      return {
        status: 200,
        body: {
          regrouping: await undoRegrouping(
            { ...runtime, log },
            { projectId, userId, clientAddress },
            regroupingId,
          ),
        },
      };
    });
}
