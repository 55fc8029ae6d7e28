import type { BodyOf } from '@culprit/contract/endpoints/endpoint';
import type { CreatedProjectToken, createProjectToken as endpoint } from '@culprit/contract/workspace/tokens';
import type { Transaction } from '../../platform/db/database.ts';
import { invalidPayload } from '../../platform/http/binding/payload-fault.ts';
import { Problem } from '../../platform/http/binding/problem.ts';
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
  const created = await database.transaction(async (transaction) => {
    if ((await lockProject(transaction, projectId)) === null) throw new Problem('project_not_found');
    return await addProjectToken(transaction, { ...checked, projectId, createdByUserId: caller.userId });
  });
  await recordAudit(database, request, {
    ...access,
    action: 'project_token.created',
    actorUserId: caller.userId,
    subject: `token:${created.token_id}`,
  });
  return created;
}

/**
 * Adds a token to a project that the transaction has locked, so that the limit holds for calls at the same time.
 * @throws Problem `resource_limit_reached`
 */
export async function addProjectToken(
  transaction: Transaction,
  token: NewProjectToken & { projectId: string; createdByUserId: string },
): Promise<CreatedProjectToken> {
  const liveTokens = await countLiveProjectTokens(transaction, token.projectId);
  if (liveTokens >= LIVE_TOKENS_MAX) throw new Problem('resource_limit_reached');
  const plaintext = createToken('project');
  const record = await insertProjectToken(transaction, {
    ...token,
    tokenId: newUuid(),
    hash: tokenHash(plaintext),
    preview: tokenPreview(plaintext),
  });
  return { ...record, plaintext };
}
