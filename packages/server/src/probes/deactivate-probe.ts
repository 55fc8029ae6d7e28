import { formatSecondTimestamp } from '@culprit/contract/timestamps';
import { recordAudit } from '../audit/record-audit.ts';
import type { RequestContext } from '../platform/http/bind-endpoint.ts';
import { Problem } from '../platform/http/problem.ts';
import { parseId } from '../platform/ids.ts';
import { requireProject } from '../projects/require-project.ts';
import type { Member } from '../tokens/authenticate-member.ts';
import { renderActivationId } from './active-probe.ts';
import { endActivation } from './probes.queries.ts';
import type { ProbesRoom } from './probes.routes.ts';

/**
 * Switches a remote probe off, on every plan (ingestion.md 6.2). Trigger tokens that were handed out stay valid.
 * @param activationId with or without its prefix
 * @throws Problem `project_not_found`, `shared_access_suspended`, `activation_not_found`
 */
export async function deactivateProbe(
  room: ProbesRoom,
  member: Member,
  projectId: string,
  activationId: string,
  context: RequestContext,
): Promise<{ activation_id: string; deactivated_at: string }> {
  const { database, plans } = room;
  const access = await requireProject(database, plans, member.userId, projectId);
  const id = parseId(['act'], activationId);
  const endedAtMs = id === null ? null : await endActivation(database, access.projectId, id);
  if (id === null || endedAtMs === null) throw new Problem('activation_not_found');
  const rendered = renderActivationId(id, false);
  await recordAudit(database, context, {
    action: 'probe.deactivated',
    actorUserId: member.userId,
    organizationId: access.organizationId,
    projectId: access.projectId,
    subject: `probe:${rendered}`,
  });
  return { activation_id: rendered, deactivated_at: formatSecondTimestamp(endedAtMs) };
}
