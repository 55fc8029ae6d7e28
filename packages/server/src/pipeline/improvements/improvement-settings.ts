import type {
  updateImprovementSettings as endpoint,
  ImprovementSettings,
} from '@culprit/contract/incidents/improvements';
import { accessModeOf } from '../../capture/get-capture-policy.ts';
import { Problem } from '../../platform/http/binding/problem.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../../workspace/access/api-callers.ts';
import type { ProjectAccess } from '../../workspace/access/project-access.ts';
import { recordAudit } from '../../workspace/audit/record-audit.ts';
import { generatesImprovements } from './improvement-access.ts';
import {
  findImprovementSettings,
  type SavedSettings,
  saveImprovementSettings,
} from './improvements.queries.ts';

/**
 * Returns the settings with which a project detects improvements (docs/contract/incidents.md 6.5).
 * @throws Problem `project_not_found` when it was deleted
 */
export async function getImprovementSettings(
  runtime: Runtime,
  access: ProjectAccess,
): Promise<ImprovementSettings> {
  const saved = await findImprovementSettings(runtime.database, access.projectId);
  if (saved === null) throw new Problem('project_not_found');
  return answerOf(runtime, access, saved);
}

/**
 * Changes one setting or both. What was found before stays; the next observations follow.
 * @throws Problem `project_not_found` when it was deleted, `upgrade_required`
 */
export async function updateImprovementSettings(
  runtime: Runtime,
  request: ApiRequest<typeof endpoint>,
): Promise<ImprovementSettings> {
  const { database, plans } = runtime;
  const { access, body, caller } = request;
  if (!generatesImprovements(plans, access.plan)) throw new Problem('upgrade_required');
  const saved = await saveImprovementSettings(database, access.projectId, {
    isAutomated: body.automated_improvement_bundles_enabled ?? null,
    sensitivity: body.improvement_bundle_sensitivity ?? null,
  });
  if (saved === null) throw new Problem('project_not_found');
  await recordAudit(database, request, {
    ...access,
    action: 'improvement_settings.updated',
    actorUserId: caller.userId,
    subject: `project:${access.projectId}`,
    data: { fields: Object.keys(body).join(' ') },
  });
  return answerOf(runtime, access, saved);
}

function answerOf(
  { plans }: Runtime,
  { role, plan }: ProjectAccess,
  { isAutomated, sensitivity }: SavedSettings,
): ImprovementSettings {
  return {
    access_mode: accessModeOf(role),
    cloud_automation_available: generatesImprovements(plans, plan),
    settings: {
      automated_improvement_bundles_enabled: isAutomated,
      improvement_bundle_sensitivity: sensitivity,
    },
  };
}
