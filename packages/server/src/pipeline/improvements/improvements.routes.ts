import * as improvements from '@culprit/contract/incidents/improvements';
import type { Binder } from '../../platform/http/binding/bind-endpoint.ts';
import { RawJson } from '../../platform/http/binding/raw-json.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiCallers } from '../../workspace/access/api-callers.ts';
import { changeImprovement, checkSnoozeTime } from './change-improvement.ts';
import { getImprovement } from './get-improvement.ts';
import { getImprovementSettings, updateImprovementSettings } from './improvement-settings.ts';
import { checkImprovementsPage, listImprovements } from './list-improvements.ts';
import { readImprovementBundle } from './read-improvement-bundle.ts';

/** Improvements, their bundles, and how a project looks for them. */
export function bindImprovementRoutes(binder: Binder<ApiCallers>, runtime: Runtime): void {
  binder
    .bind(improvements.listImprovements)
    .checked(checkImprovementsPage)
    .answers((request) => listImprovements(runtime, request));
  binder.bind(improvements.getImprovement).answers(({ access }) => getImprovement(runtime.database, access));
  binder
    .bind(improvements.resolveImprovement)
    .answers(({ access }) => changeImprovement(runtime, access, { kind: 'resolve' }));
  binder
    .bind(improvements.reopenImprovement)
    .answers(({ access }) => changeImprovement(runtime, access, { kind: 'reopen' }));
  binder
    .bind(improvements.snoozeImprovement)
    .checked(checkSnoozeTime)
    .answers(({ access, checked: untilMs }) =>
      changeImprovement(runtime, access, { kind: 'snooze', untilMs }),
    );
  binder.bind(improvements.getImprovementBundle, { rawResponse: true }).to(async ({ access, params }) => {
    const answer = await readImprovementBundle(runtime, access, params.improvementId);
    if (answer.kind === 'ready') return { status: 200, body: new RawJson(answer.bytes) };
    if (answer.kind === 'pending') return { status: 200, body: { status: 'pending' as const } };
    const { reason, relatedIncidentIds } = answer;
    const related = relatedIncidentIds === undefined ? {} : { related_incident_ids: relatedIncidentIds };
    return { status: 200, body: { status: 'failed' as const, reason, ...related } };
  });
  binder
    .bind(improvements.getImprovementSettings)
    .answers(({ access }) => getImprovementSettings(runtime, access));
  binder
    .bind(improvements.updateImprovementSettings)
    .answers((request) => updateImprovementSettings(runtime, request));
}
