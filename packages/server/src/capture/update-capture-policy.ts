import { isDeepStrictEqual } from 'node:util';
import type {
  CapturePolicyAnswer,
  updateCapturePolicy as endpoint,
} from '@culprit/contract/capture/capture-policy';
import { patchedOverrides, resolveCapturePolicy } from '@culprit/evidence/capture/capture-policy';
import { Problem } from '../platform/http/binding/problem.ts';
import type { Runtime } from '../runtime.ts';
import type { ApiRequest } from '../workspace/access/api-callers.ts';
import { recordAudit } from '../workspace/audit/record-audit.ts';
import { lockPolicy, type SavedPolicy, savePolicy } from './capture.queries.ts';
import { policyAnswer } from './get-capture-policy.ts';
import { planOfCapture } from './plan-of-capture.ts';

/**
 * Changes the preset or single controls (docs/contract/ingestion.md 4.6). The next ingestion request, in whatever
 * process, follows.
 * @throws Problem `project_not_found` when it was deleted, `upgrade_required`
 */
export async function updateCapturePolicy(
  { database, plans }: Runtime,
  request: ApiRequest<typeof endpoint>,
): Promise<CapturePolicyAnswer> {
  const { access, body: patch, caller } = request;
  const { projectId, role } = access;
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
      ...access,
      action: 'capture_policy.updated',
      actorUserId: caller.userId,
      subject: `project:${projectId}`,
      data: { fields: Object.keys(patch).join(' ') },
    });
  }
  return policyAnswer(saved, resolveCapturePolicy({ ...saved, plan }), role);
}
