import * as ownership from '@culprit/contract/workspace/ownership';
import { PREVIEW_DAYS_MAX } from '@culprit/contract/workspace/ownership-limits';
import type { Binder } from '../../../platform/http/binding/bind-endpoint.ts';
import type { Runtime } from '../../../runtime.ts';
import type { ApiCallers } from '../../../workspace/access/api-callers.ts';
import { applyToUnassigned } from './assign-owned.ts';
import { checkOwnership, saveOwnership } from './save-ownership.ts';
import { describeOwnership, tryOwnership } from './try-ownership.ts';

/** Binds the assignment of a project's new incidents. */
export function bindOwnershipRoutes(binder: Binder<ApiCallers>, runtime: Runtime): void {
  const { database } = runtime;
  binder.bind(ownership.getOwnership).answers(({ access }) => describeOwnership(database, access.projectId));
  binder
    .bind(ownership.saveOwnership)
    .checked(checkOwnership)
    .answers((request) => saveOwnership(runtime, request));
  binder
    .bind(ownership.previewOwnership)
    .checked(checkOwnership)
    .answers(({ access, body, checked }) =>
      tryOwnership(database, access.projectId, checked, body.days ?? PREVIEW_DAYS_MAX),
    );
  binder.bind(ownership.applyOwnership).to(async ({ access }) => ({
    status: 200,
    body: { assigned: await applyToUnassigned(database, access.projectId) },
  }));
}
