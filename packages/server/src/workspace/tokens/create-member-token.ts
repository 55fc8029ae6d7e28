import type { MemberToken, TokenAccess } from '@culprit/contract/workspace/tokens';
import type { Transaction } from '../../platform/db/database.ts';
import { Problem } from '../../platform/http/binding/problem.ts';
import { newUuid } from '../../platform/ids.ts';
import { countLiveMemberTokens, lockTokenOwner } from './member-tokens.queries.ts';
import { createToken, tokenHash, tokenPreview } from './token.ts';
import { LIVE_TOKENS_MAX } from './token-records.ts';
import { insertMemberToken } from './tokens.queries.ts';

/** A token just made. The plaintext goes into the one answer of its creation and is kept nowhere. */
export interface NewMemberToken {
  record: MemberToken;
  plaintext: string;
}

/**
 * Creates a member token inside the caller's transaction (docs/contract/account.md 4): by the endpoint, a device claim
 * or an exchange. The person's row stays locked until the transaction ends, so that the limit holds for calls at the
 * same time.
 * @param token ids are bare UUIDs; the organization is the person's of docs/contract/account.md 1.7, the label
 * from `parseTokenLabel`
 * @throws Problem `email_verification_required`, `resource_limit_reached` with 50 live tokens, `invalid_member_token`
 * when the person is gone
 */
export async function createMemberToken(
  transaction: Transaction,
  token: { userId: string; organizationId: string; label: string; access?: TokenAccess },
): Promise<NewMemberToken> {
  const { userId, organizationId, label, access = 'full' } = token;
  const owner = await lockTokenOwner(transaction, userId);
  if (owner === null) throw new Problem('invalid_member_token');
  if (!owner.isVerified) throw new Problem('email_verification_required');
  if ((await countLiveMemberTokens(transaction, userId)) >= LIVE_TOKENS_MAX) {
    throw new Problem('resource_limit_reached');
  }
  const plaintext = createToken('member');
  const record = await insertMemberToken(transaction, {
    tokenId: newUuid(),
    userId,
    organizationId,
    label,
    access,
    hash: tokenHash(plaintext),
    preview: tokenPreview(plaintext),
  });
  return { record, plaintext };
}
