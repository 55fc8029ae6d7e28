import type { BodyOf } from '@culprit/contract/endpoint';
import type {
  updateImprovementSettings as endpoint,
  ImprovementSettings,
} from '@culprit/contract/improvements';
import { recordAudit } from '../audit/record-audit.ts';
import { accessModeOf } from '../capture/read-capture-policy.ts';
import type { RequestContext } from '../platform/http/bind-endpoint.ts';
import { Problem } from '../platform/http/problem.ts';
import { type ProjectAccess, requireProject } from '../projects/require-project.ts';
import type { Member } from '../tokens/authenticate-member.ts';
import { generatesImprovements } from './improvement-access.ts';
import {
  findImprovementSettings,
  type SavedSettings,
  saveImprovementSettings,
} from './improvements.queries.ts';
import type { ImprovementsRoom } from './improvements.routes.ts';

/**
 * How a project looks for improvements (incidents.md 6.5).
 * @throws Problem `project_not_found`, `shared_access_suspended`
 */
export async function readImprovementSettings(
  room: ImprovementsRoom,
  member: Member,
  id: string,
): Promise<ImprovementSettings> {
  const access = await requireProject(room.database, room.plans, member.userId, id);
  const saved = await findImprovementSettings(room.database, access.projectId);
  if (saved === null) throw new Problem('project_not_found');
  return answerOf(room, access, saved);
}

/**
 * Changes one setting or both. What was found before stays; the next observations follow.
 * @throws Problem `project_not_found`, `forbidden`, `shared_access_suspended`, `upgrade_required`
 */
export async function updateImprovementSettings(
  room: ImprovementsRoom,
  member: Member,
  id: string,
  body: BodyOf<typeof endpoint>,
  request: Pick<RequestContext, 'log' | 'clientAddress'>,
): Promise<ImprovementSettings> {
  const { database, plans } = room;
  const access = await requireProject(database, plans, member.userId, id, 'admin');
  if (!generatesImprovements(plans, access.plan)) throw new Problem('upgrade_required');
  const saved = await saveImprovementSettings(database, access.projectId, {
    isAutomated: body.automated_improvement_bundles_enabled ?? null,
    sensitivity: body.improvement_bundle_sensitivity ?? null,
  });
  if (saved === null) throw new Problem('project_not_found');
  await recordAudit(database, request, {
    action: 'improvement_settings.updated',
    actorUserId: member.userId,
    organizationId: access.organizationId,
    projectId: access.projectId,
    subject: `project:${access.projectId}`,
    data: { fields: Object.keys(body).join(' ') },
  });
  return answerOf(room, access, saved);
}

function answerOf(
  { plans }: ImprovementsRoom,
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
