import * as tokens from '@culprit/contract/workspace/tokens';
import type { Binder } from '../../platform/http/binding/bind-endpoint.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiCallers } from '../access/api-callers.ts';
import { checkTokenLabel, issueMemberToken } from './issue-member-token.ts';
import { checkMemberTokensPage, listMemberTokens } from './list-member-tokens.ts';
import { revokeMemberToken } from './revoke-member-token.ts';
import { rotateMemberToken } from './rotate-member-token.ts';

/** A person's own tokens. Those of projects are bound with the projects. */
export function bindMemberTokenRoutes(binder: Binder<ApiCallers>, runtime: Runtime): void {
  binder
    .bind(tokens.listMemberTokens)
    .checked(checkMemberTokensPage)
    .answers((request) => listMemberTokens(runtime, request));
  binder
    .bind(tokens.createMemberToken)
    .checked(checkTokenLabel)
    .answers((request) => issueMemberToken(runtime, request));
  binder.bind(tokens.revokeMemberToken).answers((request) => revokeMemberToken(runtime, request));
  binder.bind(tokens.rotateMemberToken).answers((request) => rotateMemberToken(runtime, request));
}
