import type { BodyOf } from '@culprit/contract/endpoint';
import type { CreatedProjectToken, createProjectToken as endpoint } from '@culprit/contract/tokens';
import { recordAudit } from '../audit/record-audit.ts';
import type { PlanSettings } from '../billing/plan.ts';
import type { Database } from '../platform/db/database.ts';
import type { RequestContext } from '../platform/http/bind-endpoint.ts';
import { Problem } from '../platform/http/problem.ts';
import { newUuid } from '../platform/ids.ts';
import { normalizeOrigins } from '../tokens/allowed-origin.ts';
import type { Member } from '../tokens/authenticate-member.ts';
import { readTokenLabel } from '../tokens/label.ts';
import { countLiveProjectTokens } from '../tokens/project-tokens.queries.ts';
import { createToken, tokenHash, tokenPreview } from '../tokens/token.ts';
import { LIVE_TOKENS_MAX } from '../tokens/token-records.ts';
import { insertProjectToken } from '../tokens/tokens.queries.ts';
import { lockProject } from './projects.queries.ts';
import { requireProject } from './require-project.ts';

/**
 * Makes a token of a project (account.md 4.1). Any member of the project may.
 * @throws Problem `invalid_payload`, `project_not_found`, `shared_access_suspended`, `resource_limit_reached`
 */
export async function createProjectToken(
  options: { database: Database; plans: PlanSettings },
  member: Member,
  id: string,
  body: BodyOf<typeof endpoint>,
  request: Pick<RequestContext, 'log' | 'clientAddress'>,
): Promise<CreatedProjectToken> {
  const { database, plans } = options;
  const label = readTokenLabel(body.label);
  const allowedOrigins = normalizeOrigins(body.allowed_origins ?? []);
  if (allowedOrigins === null) throw new Problem('invalid_payload');
  const { projectId, organizationId } = await requireProject(database, plans, member.userId, id);
  const plaintext = createToken('project');
  const record = await database.transaction(async (transaction) => {
    if ((await lockProject(transaction, projectId)) === null) throw new Problem('project_not_found');
    const liveTokens = await countLiveProjectTokens(transaction, projectId);
    if (liveTokens >= LIVE_TOKENS_MAX) throw new Problem('resource_limit_reached');
    return await insertProjectToken(transaction, {
      tokenId: newUuid(),
      projectId,
      label,
      hash: tokenHash(plaintext),
      preview: tokenPreview(plaintext),
      allowedOrigins,
      createdByUserId: member.userId,
    });
  });
  await recordAudit(database, request, {
    action: 'project_token.created',
    actorUserId: member.userId,
    organizationId,
    projectId,
    subject: `token:${record.token_id}`,
  });
  return { ...record, plaintext };
}
