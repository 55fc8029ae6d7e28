import type { BodyOf } from '@culprit/contract/endpoint';
import type { CreatedMemberToken, createMemberToken as endpoint } from '@culprit/contract/tokens';
import { recordAudit } from '../audit/record-audit.ts';
import type { Database, Queryable } from '../platform/db/database.ts';
import type { RequestContext } from '../platform/http/bind-endpoint.ts';
import type { Member } from './authenticate-member.ts';
import { createMemberToken } from './create-member-token.ts';

export interface IssueOptions {
  database: Database;
  /** The organization that a person's token names (account.md 1.7). */
  organizationOf: (transaction: Queryable, userId: string) => Promise<string>;
}

/**
 * Makes a token of the member (account.md 4.1).
 * @throws Problem as `createMemberToken`
 */
export async function issueMemberToken(
  { database, organizationOf }: IssueOptions,
  member: Member,
  { label }: BodyOf<typeof endpoint>,
  request: Pick<RequestContext, 'log' | 'clientAddress'>,
): Promise<CreatedMemberToken> {
  const { userId } = member;
  const { record, plaintext } = await database.transaction(async (transaction) => {
    const organizationId = await organizationOf(transaction, userId);
    return await createMemberToken(transaction, { userId, organizationId, label });
  });
  await recordAudit(database, request, {
    action: 'member_token.created',
    actorUserId: userId,
    organizationId: record.organization_id,
    subject: `token:${record.token_id}`,
  });
  return { ...record, plaintext };
}
