import type { ProjectToken } from '@culprit/contract/workspace/tokens';
import type { Queryable } from '../../platform/db/database.ts';
import { inTransaction, sql, statement } from '../../platform/db/statement.ts';
import { pageParameters, type TimePage } from '../../platform/http/binding/time-page.ts';
import { PROJECT_TOKEN_COLUMNS, type ProjectTokenRow, projectTokenOf } from './token-records.ts';

/** Statements over the tokens of a project. Each is bound to the project. */

/** Tokens of the project that are not revoked. */
export const countLiveProjectTokens = inTransaction.value<[projectId: string], number>(
  'project-tokens-live',
  `select count(*) as live from project_tokens
    where project_id = $1 and kind = 'token' and revoked_at is null`,
  0,
);

/** A page of the project's tokens, newest first. */
export async function listProjectTokenRows(
  database: Queryable,
  projectId: string,
  page: TimePage,
): Promise<ProjectToken[]> {
  const rows = await database.query<ProjectTokenRow>(
    sql('project-tokens-list')`select ${PROJECT_TOKEN_COLUMNS} from project_tokens
        where project_id = $1 and kind = 'token'
          and ($2::timestamptz is null or (created_at, token_id) < ($2, $3::uuid))
        order by created_at desc, token_id desc limit $4`,
    [projectId, ...pageParameters(page)],
  );
  return rows.map(projectTokenOf);
}

/** Revokes a live token of the project; null when it has none of that id that is live. */
export const revokeLiveProjectToken = statement.one<
  [projectId: string, tokenId: string],
  ProjectTokenRow,
  ProjectToken
>(
  'project-token-revoke',
  `update project_tokens set revoked_at = culprit_now()
    where project_id = $1 and token_id = $2 and kind = 'token' and revoked_at is null returning ${PROJECT_TOKEN_COLUMNS}`,
  projectTokenOf,
);

/** One token of the project, live or revoked. */
export const findProjectToken = statement.one<
  [projectId: string, tokenId: string],
  ProjectTokenRow,
  ProjectToken
>(
  'project-token-read',
  `select ${PROJECT_TOKEN_COLUMNS} from project_tokens
    where project_id = $1 and token_id = $2 and kind = 'token'`,
  projectTokenOf,
);
