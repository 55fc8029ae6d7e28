import * as tokens from '@culprit/contract/tokens';
import type { Binder, Callers } from '../platform/http/bind-endpoint.ts';
import { pageOf, readPage } from '../platform/http/time-page.ts';
import type { Member } from './authenticate-member.ts';
import { type IssueOptions, issueMemberToken } from './issue-member-token.ts';
import { listMemberTokenRows } from './member-tokens.queries.ts';
import { revokeMemberToken } from './revoke-member-token.ts';

/** A person's own tokens. Those of projects are bound with the projects. */
export function bindMemberTokenRoutes<C extends Callers & { member: Member }>(
  binder: Binder<C>,
  options: IssueOptions,
): void {
  const { database } = options;

  binder.bind(tokens.listMemberTokens).to(async ({ caller, query }) => {
    const page = readPage(['tok'], query);
    const rows = await listMemberTokenRows(database, caller.userId, page);
    const { shown, nextCursor } = pageOf(rows, page, (row) => [row.created_at, row.token_id]);
    return { status: 200, body: { tokens: shown, next_cursor: nextCursor } };
  });
  binder.bind(tokens.createMemberToken).to(async ({ caller, body, ...request }) => ({
    status: 201,
    body: { token: await issueMemberToken(options, caller, body, request) },
  }));
  binder.bind(tokens.revokeMemberToken).to(async ({ caller, params, ...request }) => ({
    status: 200,
    body: { token: await revokeMemberToken(database, caller, params.tokenId, request) },
  }));
}
