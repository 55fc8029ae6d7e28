import {
  type CreatedProjectToken,
  type rotateProjectToken as endpoint,
  type ProjectToken,
  ROTATION_OVERLAP_HOURS,
} from '@culprit/contract/workspace/tokens';
import type { Transaction } from '../../platform/db/database.ts';
import { Problem } from '../../platform/http/binding/problem.ts';
import { parseId } from '../../platform/ids.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../access/api-callers.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { findProjectToken, revokeLiveProjectToken } from '../tokens/project-tokens.queries.ts';
import { planTokenEnd } from '../tokens/tokens.jobs.ts';
import { addProjectToken } from './create-project-token.ts';
import { lockProject } from './projects.queries.ts';

/**
 * Creates a token with the label and origins of another one, which ends immediately or after the overlap
 * (docs/contract/account.md 4.4). The old one is revoked before the new one is counted.
 * @throws Problem `token_not_found` if the id is not that of a live token of the project, `resource_limit_reached`
 */
export async function rotateProjectToken(
  { database }: Runtime,
  request: ApiRequest<typeof endpoint>,
): Promise<{ token: CreatedProjectToken; replaced: ProjectToken }> {
  const { access, caller, params, body } = request;
  const { projectId } = access;
  const { overlap_hours: hours = ROTATION_OVERLAP_HOURS } = body;
  const tokenId = parseId(['tok'], params.tokenId);
  if (tokenId === null) throw new Problem('token_not_found');
  const rotated = await database.transaction(async (transaction) => {
    if ((await lockProject(transaction, projectId)) === null) throw new Problem('project_not_found');
    const old = await findProjectToken(transaction, projectId, tokenId);
    if (old === null || old.revoked_at !== null) throw new Problem('token_not_found');
    const replaced = await endProjectToken(transaction, projectId, tokenId, hours);
    const token = await addProjectToken(transaction, {
      label: old.label,
      allowedOrigins: old.allowed_origins,
      projectId,
      createdByUserId: caller.userId,
    });
    return { token, replaced };
  });
  await recordAudit(database, request, {
    ...access,
    action: 'project_token.rotated',
    actorUserId: caller.userId,
    subject: `token:${rotated.token.token_id}`,
    data: { replaced: rotated.replaced.token_id, overlap_hours: hours },
  });
  return rotated;
}

/** Its record with the end that it has got. */
async function endProjectToken(
  transaction: Transaction,
  projectId: string,
  tokenId: string,
  hours: number,
): Promise<ProjectToken> {
  if (hours > 0) planTokenEnd(transaction, { tokenId, ownerId: projectId, hours });
  const ended = await (hours > 0 ? findProjectToken : revokeLiveProjectToken)(
    transaction,
    projectId,
    tokenId,
  );
  if (ended === null) throw new Problem('token_not_found');
  return ended;
}
