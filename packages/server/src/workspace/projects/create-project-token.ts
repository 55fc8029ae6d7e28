import type { BodyOf } from '@culprit/contract/endpoint';
import type { CreatedProjectToken, createProjectToken as endpoint } from '@culprit/contract/tokens';
import { invalidPayload } from '../../platform/http/payload-fault.ts';
import { Problem } from '../../platform/http/problem.ts';
import { newUuid } from '../../platform/ids.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../access/api-callers.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { normalizeOrigins } from '../tokens/allowed-origin.ts';
import { parseTokenLabel } from '../tokens/label.ts';
import { countLiveProjectTokens } from '../tokens/project-tokens.queries.ts';
import { createToken, tokenHash, tokenPreview } from '../tokens/token.ts';
import { LIVE_TOKENS_MAX } from '../tokens/token-records.ts';
import { insertProjectToken } from '../tokens/tokens.queries.ts';
import { lockProject } from './projects.queries.ts';

interface NewProjectToken {
  label: string;
  allowedOrigins: string[];
}

/**
 * Returns label and origins in their stored form.
 * @throws Problem `invalid_payload`
 */
export function checkNewProjectToken({ body }: { body: BodyOf<typeof endpoint> }): NewProjectToken {
  const label = parseTokenLabel(body.label);
  const allowedOrigins = normalizeOrigins(body.allowed_origins ?? []);
  if (allowedOrigins === null)
    throw invalidPayload('/allowed_origins', 'must be origins such as https://shop.example');
  return { label, allowedOrigins };
}

/**
 * Creates a token of a project (docs/contract/account.md 4.1). Any member of the project may.
 * @throws Problem `project_not_found` when it was deleted, `resource_limit_reached`
 */
export async function createProjectToken(
  { database }: Runtime,
  request: ApiRequest<typeof endpoint, NewProjectToken>,
): Promise<CreatedProjectToken> {
  const { access, caller, checked } = request;
  const { projectId } = access;
  const plaintext = createToken('project');
  const record = await database.transaction(async (transaction) => {
    if ((await lockProject(transaction, projectId)) === null) throw new Problem('project_not_found');
    const liveTokens = await countLiveProjectTokens(transaction, projectId);
    if (liveTokens >= LIVE_TOKENS_MAX) throw new Problem('resource_limit_reached');
    return await insertProjectToken(transaction, {
      ...checked,
      tokenId: newUuid(),
      projectId,
      hash: tokenHash(plaintext),
      preview: tokenPreview(plaintext),
      createdByUserId: caller.userId,
    });
  });
  await recordAudit(database, request, {
    ...access,
    action: 'project_token.created',
    actorUserId: caller.userId,
    subject: `token:${record.token_id}`,
  });
  return { ...record, plaintext };
}
