import type { DsnKey, createDsnKey as endpoint } from '@culprit/contract/events/dsn-keys';
import { Problem } from '../../platform/http/binding/problem.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../access/api-callers.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { countLiveDsnKeys, type DsnKeyChoices, dsnKeyOf, insertDsnKey } from '../tokens/dsn-keys.queries.ts';
import { LIVE_TOKENS_MAX } from '../tokens/token-records.ts';
import { lockProject } from './projects.queries.ts';

/**
 * Creates a DSN key of a project (docs/contract/foreign-protocols.md 2.3). Any member of the project may.
 * @throws Problem `project_not_found` when it was deleted, `resource_limit_reached`
 */
export async function createDsnKey(
  { database, baseUrl }: Runtime,
  request: ApiRequest<typeof endpoint, DsnKeyChoices>,
): Promise<DsnKey> {
  const { access, caller, checked } = request;
  const { projectId } = access;
  const row = await database.transaction(async (transaction) => {
    if ((await lockProject(transaction, projectId)) === null) throw new Problem('project_not_found');
    const liveKeys = await countLiveDsnKeys(transaction, projectId);
    if (liveKeys >= LIVE_TOKENS_MAX) throw new Problem('resource_limit_reached');
    return await insertDsnKey(transaction, {
      ...checked,
      projectId,
      createdByUserId: caller.userId,
    });
  });
  const key = dsnKeyOf(row, baseUrl);
  await recordAudit(database, request, {
    ...access,
    action: 'dsn_key.created',
    actorUserId: caller.userId,
    subject: `token:${key.token_id}`,
  });
  return key;
}
