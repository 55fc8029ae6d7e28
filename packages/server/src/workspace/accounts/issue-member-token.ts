import type { CreatedMemberToken, createMemberToken as endpoint } from '@culprit/contract/workspace/tokens';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../access/api-callers.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { createMemberToken } from '../tokens/create-member-token.ts';
import { parseTokenLabel } from '../tokens/label.ts';
import { organizationOfPerson } from './organization-of-person.ts';

/**
 * Returns the label of a new token in its stored form.
 * @throws Problem `invalid_payload`
 */
export function checkTokenLabel({ body }: { body: { label: string } }): string {
  return parseTokenLabel(body.label);
}

/**
 * Creates a token of the member (docs/contract/account.md 4.1).
 * @throws Problem as `createMemberToken`
 */
export async function issueMemberToken(
  { database, plans }: Runtime,
  request: ApiRequest<typeof endpoint, string>,
): Promise<CreatedMemberToken> {
  const { userId } = request.caller;
  const { access = 'full' } = request.body;
  const { record, plaintext } = await database.transaction(async (transaction) => {
    const organizationId = await organizationOfPerson(transaction, plans, userId);
    return await createMemberToken(transaction, {
      userId,
      organizationId,
      label: request.checked,
      access,
    });
  });
  await recordAudit(database, request, {
    action: 'member_token.created',
    actorUserId: userId,
    organizationId: record.organization_id,
    subject: `token:${record.token_id}`,
  });
  return { ...record, plaintext };
}
