import { isDeepStrictEqual } from 'node:util';
import type { CapturePolicyAnswer, CapturePolicyPatch } from '@culprit/contract/capture-policy';
import { recordAudit } from '../audit/record-audit.ts';
import type { RequestContext } from '../platform/http/bind-endpoint.ts';
import { Problem } from '../platform/http/problem.ts';
import { requireProject } from '../projects/require-project.ts';
import type { Member } from '../tokens/authenticate-member.ts';
import { lockPolicy, type SavedPolicy, savePolicy } from './capture.queries.ts';
import type { CaptureRoom } from './capture.routes.ts';
import { patchedOverrides, planOfCapture, resolveCapturePolicy } from './capture-policy.ts';
import { policyAnswer } from './read-capture-policy.ts';

/**
 * Changes the preset or single controls (ingestion.md 4.6). The next ingestion request, in whatever process, follows.
 * @throws Problem `project_not_found`, `forbidden`, `shared_access_suspended`, `upgrade_required`
 */
export async function updateCapturePolicy(
  { database, plans }: CaptureRoom,
  member: Member,
  id: string,
  patch: CapturePolicyPatch,
  request: Pick<RequestContext, 'log' | 'clientAddress'>,
): Promise<CapturePolicyAnswer> {
  const access = await requireProject(database, plans, member.userId, id, 'admin');
  const { projectId, organizationId, role } = access;
  const plan = planOfCapture(plans, access.plan);
  if (plan === 'free' && patch.capture_probe_events === 'standalone_when_activated') {
    throw new Problem('upgrade_required');
  }

  const { saved, isChanged } = await database.transaction(async (transaction) => {
    const before = await lockPolicy(transaction, projectId);
    if (before === null) throw new Problem('project_not_found');
    const after: SavedPolicy = {
      preset: patch.preset ?? before.preset,
      overrides: patchedOverrides(before.overrides, patch),
    };
    if (isDeepStrictEqual(before, after)) return { saved: before, isChanged: false };
    await savePolicy(transaction, projectId, after);
    return { saved: after, isChanged: true };
  });

  if (isChanged) {
    await recordAudit(database, request, {
      action: 'capture_policy.updated',
      actorUserId: member.userId,
      organizationId,
      projectId,
      subject: `project:${projectId}`,
      data: { fields: Object.keys(patch).join(' ') },
    });
  }
  return policyAnswer(saved, resolveCapturePolicy({ ...saved, plan }), role);
}
