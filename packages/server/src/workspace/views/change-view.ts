import {
  type createView as createEndpoint,
  type updateView as updateEndpoint,
  VIEWS_MAX,
  type View,
} from '@culprit/contract/search/views';
import type { Transaction } from '../../platform/db/database.ts';
import { invalidPayload } from '../../platform/http/binding/payload-fault.ts';
import { Problem } from '../../platform/http/binding/problem.ts';
import { newUuid, parseId } from '../../platform/ids.ts';
import type { Runtime } from '../../runtime.ts';
import { findProjectAccess } from '../access/access.queries.ts';
import type { ApiRequest } from '../access/api-callers.ts';
import { isSharedAccessSuspended } from '../access/project-access.ts';
import { storedQuery } from './stored-query.ts';
import { countSiblings, lockView, removeView, type StoredView, saveView } from './views.queries.ts';

/** Saves a list under a name. @throws Problem `invalid_payload`, `resource_limit_reached` */
export async function createView(
  { database }: Pick<Runtime, 'database'>,
  { access, caller, body }: ApiRequest<typeof createEndpoint>,
): Promise<View> {
  const projectId = body.project_id === undefined ? null : (access.projectIds[0] ?? null);
  const isShared = body.is_shared === true;
  const ownerUserId = ownerOf(isShared, projectId, caller.userId);
  return await database.transaction(async (transaction) => {
    const view: Omit<StoredView, 'position'> = {
      viewId: newUuid(),
      projectId,
      ownerUserId,
      createdByUserId: caller.userId,
      name: body.name.trim(),
      q: await storedQuery(transaction, body.q ?? '', projectId),
      status: body.status ?? 'active',
      sort: body.sort ?? 'last_seen',
    };
    const siblings = await roomFor(transaction, view);
    return await saveView(transaction, { ...view, position: body.position ?? siblings });
  });
}

/**
 * Changes a view.
 * @throws Problem `view_not_found`, `forbidden`, `shared_access_suspended`, `invalid_payload`, `resource_limit_reached`
 */
export async function updateView(
  runtime: Pick<Runtime, 'database' | 'plans'>,
  { caller, params, body }: ApiRequest<typeof updateEndpoint>,
): Promise<View> {
  return await runtime.database.transaction(async (transaction) => {
    const view = await holdView(runtime, transaction, params.id, caller.userId);
    const isShared = body.is_shared ?? view.ownerUserId === null;
    // A view that an admin no longer shares with others belongs to its maker again.
    const makerId = view.createdByUserId ?? caller.userId;
    const ownerUserId = ownerOf(isShared, view.projectId, makerId);
    const changed: StoredView = {
      ...view,
      ownerUserId,
      name: body.name?.trim() ?? view.name,
      q: body.q === undefined ? view.q : await storedQuery(transaction, body.q, view.projectId),
      status: body.status ?? view.status,
      sort: body.sort ?? view.sort,
      position: body.position ?? view.position,
    };
    if (ownerUserId !== view.ownerUserId) await roomFor(transaction, changed);
    return await saveView(transaction, changed);
  });
}

/** Deletes a view. @throws Problem `view_not_found`, `forbidden`, `shared_access_suspended` */
export async function deleteView(
  runtime: Pick<Runtime, 'database' | 'plans'>,
  userId: string,
  id: string,
): Promise<View> {
  return await runtime.database.transaction(async (transaction) => {
    const { viewId } = await holdView(runtime, transaction, id, userId);
    return await removeView(transaction, viewId);
  });
}

function ownerOf(isShared: boolean, projectId: string | null, userId: string): string | null {
  if (isShared && projectId === null) throw invalidPayload('/is_shared', 'needs a view of one project');
  return isShared ? null : userId;
}

/**
 * Returns the number of views that exist already.
 * @throws Problem `resource_limit_reached`
 */
async function roomFor(
  transaction: Transaction,
  view: Pick<StoredView, 'ownerUserId' | 'projectId'>,
): Promise<number> {
  const siblings = await countSiblings(transaction, view);
  if (siblings >= VIEWS_MAX) throw new Problem('resource_limit_reached');
  return siblings;
}

/** A view that the person may change, held until the transaction ends. */
async function holdView(
  { plans }: Pick<Runtime, 'plans'>,
  transaction: Transaction,
  id: string,
  userId: string,
): Promise<StoredView> {
  const viewId = parseId([], id);
  const view = viewId === null ? null : await lockView(transaction, viewId, userId);
  if (view === null) throw new Problem('view_not_found');
  if (view.ownerUserId === null && view.projectId !== null) {
    const access = await findProjectAccess(transaction, plans, userId, view.projectId);
    if (access === null) throw new Problem('view_not_found');
    if (view.createdByUserId !== userId && access.role === 'member') throw new Problem('forbidden');
    if (isSharedAccessSuspended(plans, access)) throw new Problem('shared_access_suspended');
  }
  return view;
}
