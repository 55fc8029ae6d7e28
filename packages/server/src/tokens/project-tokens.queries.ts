import type { ProjectToken } from '@culprit/contract/tokens';
import type { Queryable } from '../platform/db/database.ts';
import { PROJECT_TOKEN_COLUMNS, type ProjectTokenRow, projectTokenOf } from './token-records.ts';

/** Statements over the tokens of a project. Each is bound to the project. */

/**
 * Locks a live project, so that two creations of tokens count one after the other, and counts its live tokens; null when
 * the project is gone. Events are taken in meanwhile: intake's lock and this one go together.
 */
export async function lockTokenProject(
  transaction: Queryable,
  projectId: string,
): Promise<{ liveTokens: number } | null> {
  const locked = await transaction.query(
    {
      name: 'project-token-project-lock',
      text: 'select 1 from projects where project_id = $1 and deleted_at is null for no key update',
    },
    [projectId],
  );
  if (locked.length === 0) return null;
  const [row] = await transaction.query<{ live: number }>(
    {
      name: 'project-tokens-live',
      text: 'select count(*) as live from project_tokens where project_id = $1 and revoked_at is null',
    },
    [projectId],
  );
  return { liveTokens: row?.live ?? 0 };
}

/** A page of the project's tokens, newest first; `after` is the last one of the page before. */
export async function listProjectTokenRows(
  database: Queryable,
  projectId: string,
  page: { after: { createdAtMs: number; tokenId: string } | null; limit: number },
): Promise<ProjectToken[]> {
  const rows = await database.query<ProjectTokenRow>(
    {
      name: 'project-tokens-list',
      text: `select ${PROJECT_TOKEN_COLUMNS} from project_tokens
        where project_id = $1 and ($2::timestamptz is null or (created_at, token_id) < ($2, $3::uuid))
        order by created_at desc, token_id desc limit $4`,
    },
    [
      projectId,
      page.after === null ? null : new Date(page.after.createdAtMs),
      page.after?.tokenId ?? null,
      page.limit,
    ],
  );
  return rows.map(projectTokenOf);
}

/** Revokes a live token of the project; null when it has none of that id that is live. */
export async function revokeLiveProjectToken(
  database: Queryable,
  projectId: string,
  tokenId: string,
): Promise<ProjectToken | null> {
  const [row] = await database.query<ProjectTokenRow>(
    {
      name: 'project-token-revoke',
      text: `update project_tokens set revoked_at = culprit_now()
        where project_id = $1 and token_id = $2 and revoked_at is null returning ${PROJECT_TOKEN_COLUMNS}`,
    },
    [projectId, tokenId],
  );
  return row === undefined ? null : projectTokenOf(row);
}

/** One token of the project, live or revoked. */
export async function findProjectToken(
  database: Queryable,
  projectId: string,
  tokenId: string,
): Promise<ProjectToken | null> {
  const [row] = await database.query<ProjectTokenRow>(
    {
      name: 'project-token-read',
      text: `select ${PROJECT_TOKEN_COLUMNS} from project_tokens where project_id = $1 and token_id = $2`,
    },
    [projectId, tokenId],
  );
  return row === undefined ? null : projectTokenOf(row);
}
