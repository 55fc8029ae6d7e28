import type { DsnKey, revokeDsnKey as endpoint } from '@culprit/contract/events/dsn-keys';
import { Problem } from '../../platform/http/binding/problem.ts';
import { parseId } from '../../platform/ids.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../access/api-callers.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { dsnKeyOf, findDsnKey, revokeLiveDsnKey } from '../tokens/dsn-keys.queries.ts';

/**
 * Revokes a DSN key of a project; a second time keeps the first time (docs/contract/account.md 1.6).
 * @throws Problem `dsn_key_not_found` for anything that is not the project's
 */
export async function revokeDsnKey(
  { database, baseUrl }: Runtime,
  request: ApiRequest<typeof endpoint>,
): Promise<DsnKey> {
  const { access, caller, params } = request;
  const { projectId } = access;
  const tokenId = parseId(['tok'], params.tokenId);
  if (tokenId === null) throw new Problem('dsn_key_not_found');
  const revoked = await revokeLiveDsnKey(database, projectId, tokenId);
  if (revoked === null) {
    const known = await findDsnKey(database, projectId, tokenId);
    if (known === null) throw new Problem('dsn_key_not_found');
    return dsnKeyOf(known, baseUrl);
  }
  const key = dsnKeyOf(revoked, baseUrl);
  await recordAudit(database, request, {
    ...access,
    action: 'dsn_key.revoked',
    actorUserId: caller.userId,
    subject: `token:${key.token_id}`,
  });
  return key;
}
