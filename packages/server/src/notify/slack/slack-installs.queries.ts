import type { Queryable } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/statement.ts';

/** Statements over connections under way. Ids are bare UUIDs. */

/** The person who connects a channel, and the project whose organization gets it. */
export interface SlackInstall {
  userId: string;
  projectId: string;
  /** A path of the dashboard. */
  returnTo: string;
}

/**
 * Remembers a connection for 10 minutes (docs/contract/notifications.md 2.3). Some that are over go with it, so that
 * the table stays small without a job.
 */
export async function insertInstall(
  database: Queryable,
  stateHash: Buffer,
  install: SlackInstall & { isBrowserBound: boolean },
): Promise<void> {
  await database.query(
    sql('slack-install-insert')`with over as (
          delete from slack_installs where state_hash in (
            select state_hash from slack_installs where expires_at <= (select culprit_now())
            order by expires_at limit 100 for update skip locked)
        )
        insert into slack_installs (state_hash, user_id, project_id, return_to, is_browser_bound, expires_at)
        values ($1, $2, $3, $4, $5, culprit_now() + interval '10 min')`,
    [stateHash, install.userId, install.projectId, install.returnTo, install.isBrowserBound],
  );
}

/**
 * Consumes the state of a connection, once; null when it is unknown, consumed or expired, and when another browser than
 * its own has it, which cannot use it up. Its own is the one it began in; if a connection began with a token, it is one
 * that is signed in as the same person.
 */
export async function consumeInstall(
  database: Queryable,
  stateHash: Buffer,
  browser: { keepsState: boolean; userId: string | null },
): Promise<SlackInstall | null> {
  const [row] = await database.query<SlackInstall>(
    sql('slack-install-take')`delete from slack_installs
        where state_hash = $1 and expires_at > culprit_now() and case when is_browser_bound then $2 else user_id = $3 end
        returning user_id as "userId", project_id as "projectId", return_to as "returnTo"`,
    [stateHash, browser.keepsState, browser.userId],
  );
  return row ?? null;
}
