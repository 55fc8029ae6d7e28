import type {
  CaptureAccessMode,
  CaptureOverrides as CaptureOverridesAnswer,
} from '@culprit/contract/capture/capture';
import type { CapturePolicyAnswer } from '@culprit/contract/capture/capture-policy';
import type { Role } from '@culprit/contract/endpoints/endpoint';
import {
  type CaptureOverrides,
  type ResolvedCapturePolicy,
  resolveCapturePolicy,
} from '@culprit/evidence/capture/capture-policy';
import { Problem } from '../platform/http/binding/problem.ts';
import type { Runtime } from '../runtime.ts';
import type { ProjectAccess } from '../workspace/access/project-access.ts';
import { findPolicy, type SavedPolicy } from './capture.queries.ts';
import { planOfCapture } from './plan-of-capture.ts';

/**
 * The policy of a project (docs/contract/ingestion.md 4.5).
 * @throws Problem `project_not_found` when it was deleted
 */
export async function getCapturePolicy(
  { database, plans }: Runtime,
  { projectId, role, plan }: ProjectAccess,
): Promise<CapturePolicyAnswer> {
  const saved = await findPolicy(database, projectId);
  if (saved === null) throw new Problem('project_not_found');
  return policyAnswer(saved, resolveCapturePolicy({ ...saved, plan: planOfCapture(plans, plan) }), role);
}

/** Returns the access of a role: managing policy and rules, or only seeing them. */
export function accessModeOf(role: Role): CaptureAccessMode {
  return role === 'member' ? 'preview' : 'manage';
}

/** Returns the answer of 4.5. The values that are saved beside the preset matter only to people who can change it. */
export function policyAnswer(
  saved: SavedPolicy,
  policy: ResolvedCapturePolicy,
  role: Role,
): CapturePolicyAnswer {
  const access_mode = accessModeOf(role);
  return { access_mode, policy, overrides: shownOverrides(access_mode === 'manage' ? saved.overrides : {}) };
}

function shownOverrides(overrides: CaptureOverrides): CaptureOverridesAnswer {
  return {
    capture_logs: overrides.capture_logs ?? null,
    capture_messages: overrides.capture_messages ?? null,
    capture_request_events: overrides.capture_request_events ?? null,
    capture_breadcrumbs: overrides.capture_breadcrumbs ?? null,
    capture_probe_events: overrides.capture_probe_events ?? null,
    immediate_client_error_statuses: overrides.immediate_client_error_statuses ?? null,
    immediate_client_error_path_rules: overrides.immediate_client_error_path_rules ?? null,
  };
}
