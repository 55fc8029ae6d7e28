import type { DsnKey, updateDsnKey as endpoint } from '@culprit/contract/events/dsn-keys';
import { Problem } from '../../platform/http/binding/problem.ts';
import { parseId } from '../../platform/ids.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../access/api-callers.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { changeDsnKey, type DsnKeyChange, dsnKeyOf } from '../tokens/dsn-keys.queries.ts';

/**
 * Changes a DSN key: it is part of deployed applications, so it is edited and not replaced
 * (docs/contract/foreign-protocols.md 2.3).
 * @throws Problem `dsn_key_not_found` for a key that is not the project's
 */
export async function updateDsnKey(
  { database, baseUrl }: Runtime,
  request: ApiRequest<typeof endpoint, DsnKeyChange>,
): Promise<DsnKey> {
  const { access, caller, params, checked: change } = request;
  const { projectId } = access;
  const tokenId = parseId(['tok'], params.tokenId);
  const row = tokenId === null ? null : await changeDsnKey(database, { projectId, tokenId }, change);
  if (row === null) throw new Problem('dsn_key_not_found');
  const key = dsnKeyOf(row, baseUrl);
  const fields = Object.entries(change).flatMap(([field, value]) => (value === undefined ? [] : [field]));
  if (fields.length > 0) {
    await recordAudit(database, request, {
      ...access,
      action: 'dsn_key.updated',
      actorUserId: caller.userId,
      subject: `token:${key.token_id}`,
      data: { fields: fields.join(' ') },
    });
  }
  return key;
}
