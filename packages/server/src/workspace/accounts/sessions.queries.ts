import type { Queryable, Transaction } from '../../platform/db/database.ts';
import { inTransaction, sql, statement } from '../../platform/db/statement.ts';
import type { Plan } from '../billing/plan.ts';

/**
 * A live session of table `s`: not revoked, used within 24 hours, not older than 7 days (docs/contract/account.md
 * 2.5).
 */
const IS_LIVE = `s.revoked_at is null and s.expires_at > culprit_now()
  and s.last_used_at > culprit_now() - interval '24 hours'`;

/** Returns the person of a live session. Marks it used, at most once a minute. */
export async function findLiveSession(
  database: Queryable,
  hash: Buffer,
): Promise<{ sessionId: string; userId: string; email: string; secretHash: Buffer } | null> {
  const [row] = await database.query<{
    session_id: string;
    user_id: string;
    email: string;
    secret_hash: Buffer;
    is_stale: boolean;
  }>(
    sql('session-find')`select s.session_id, s.user_id, u.email, s.secret_hash,
          s.last_used_at <= culprit_now() - interval '60 s' as is_stale
        from sessions s join users u on u.user_id = s.user_id
        where s.secret_hash = $1 and ${IS_LIVE}`,
    [hash],
  );
  if (row === undefined) return null;
  if (row.is_stale) {
    await database.query(
      sql(
        'session-used',
      )`update sessions set last_used_at = culprit_now() where session_id = $1 and revoked_at is null`,
      [row.session_id],
    );
  }
  return {
    sessionId: row.session_id,
    userId: row.user_id,
    email: row.email,
    secretHash: row.secret_hash,
  };
}

/** Writes a session. */
export async function insertSession(
  transaction: Transaction,
  session: {
    sessionId: string;
    userId: string;
    secretHash: Buffer;
    organizationId: string;
    addressClass: string | null;
    browser: string | null;
    lifetimeSeconds: number;
    provider: { issuer: string; sid: string | null } | null;
  },
): Promise<void> {
  await transaction.query(
    sql(
      'session-insert',
    )`insert into sessions (session_id, user_id, secret_hash, organization_id, created_at, expires_at, last_used_at,
          address_class, browser, oidc_issuer, oidc_sid)
        select $1, $2, $3, $4, moment, moment + make_interval(secs => $5), moment, $6, $7, $8, $9
        from (select culprit_now() as moment) as clock`,
    [
      session.sessionId,
      session.userId,
      session.secretHash,
      session.organizationId,
      session.lifetimeSeconds,
      session.addressClass,
      session.browser,
      session.provider?.issuer ?? null,
      session.provider?.sid ?? null,
    ],
  );
}

/**
 * Ends the oldest live sessions of a person until at most `keep` are left; returns which. The caller holds the user
 * row.
 */
export const revokeOldestSessions = inTransaction.many<
  [userId: string, keep: number],
  { session_id: string },
  string
>(
  'sessions-trim',
  `update sessions set revoked_at = culprit_now() where session_id in (
      select s.session_id from sessions s where s.user_id = $1 and ${IS_LIVE}
      order by s.created_at desc, s.session_id desc offset $2)
    returning session_id`,
  (row) => row.session_id,
);

/** Ends a live session by the hash of its cookie; returns whose it was, or null when there was none. */
export const revokeSessionBySecret = inTransaction.one<[hash: Buffer], { sessionId: string; userId: string }>(
  'session-revoke-secret',
  `update sessions s set revoked_at = culprit_now()
    where s.secret_hash = $1 and ${IS_LIVE} returning s.session_id as "sessionId", s.user_id as "userId"`,
);

/** Ends a session; false when another call ended it first. */
export const revokeSession = statement.exists<[sessionId: string]>(
  'session-revoke',
  `update sessions set revoked_at = culprit_now()
    where session_id = $1 and revoked_at is null returning session_id`,
);

/** The live sessions of a person, the one used last first. */
export async function listLiveSessions(
  database: Queryable,
  userId: string,
): Promise<
  {
    session_id: string;
    created_at: number;
    last_used_at: number;
    address_class: string | null;
    browser: string | null;
  }[]
> {
  return await database.query(
    sql('sessions-live')`select s.session_id, s.created_at, s.last_used_at, s.address_class, s.browser
        from sessions s where s.user_id = $1 and ${IS_LIVE}
        order by s.last_used_at desc, s.session_id`,
    [userId],
  );
}

/** Ends a live session of a person; false when they have no such one. */
export const revokeOwnSession = statement.exists<[userId: string, sessionId: string]>(
  'session-revoke-own',
  `update sessions s set revoked_at = culprit_now()
    where s.session_id = $2 and s.user_id = $1 and ${IS_LIVE} returning s.session_id`,
);

/** Ends every session of a person but one. */
export const revokeOtherSessions = inTransaction.run<[userId: string, sessionId: string]>(
  'sessions-revoke-others',
  `update sessions set revoked_at = culprit_now()
    where user_id = $1 and session_id <> $2 and revoked_at is null`,
);

/**
 * Ends live sessions that began with a provider: those of its session `sid`, of its person `subject`, or of both where it
 * names both.
 */
export async function revokeProviderSessions(
  transaction: Transaction,
  { issuer, subject, sid }: { issuer: string; subject: string | null; sid: string | null },
): Promise<{ sessionId: string; userId: string }[]> {
  const rows = await transaction.query<{ session_id: string; user_id: string }>(
    sql('sessions-revoke-provider')`update sessions s set revoked_at = culprit_now()
        where ${IS_LIVE} and s.oidc_issuer = $1
          and ($2::text is null or s.user_id = (
            select user_id from oidc_identities where issuer = $1 and subject = $2))
          and ($3::text is null or s.oidc_sid = $3) and coalesce($2, $3) is not null
        returning s.session_id, s.user_id`,
    [issuer, subject, sid],
  );
  return rows.map((row) => ({ sessionId: row.session_id, userId: row.user_id }));
}

/** A session with what its record shows of person and organization. Times in milliseconds since the epoch. */
interface SessionRow {
  session_id: string;
  user_id: string;
  email: string;
  email_verified_at: number | null;
  organization_id: string;
  /** Null when the organization is gone. */
  organization_plan: Plan | null;
  is_owner: boolean;
  created_at: number;
  expires_at: number;
  revoked_at: number | null;
  has_used_email: boolean;
  has_used_github: boolean;
  has_used_oidc: boolean;
}

/**
 * Reads a session's row with the owned organization, else that of the oldest membership, else the one of the sign-in.
 */
export const findSessionRow = statement.one<[sessionId: string], SessionRow>(
  'session-read',
  `
    select s.session_id, s.user_id, u.email, u.email_verified_at, s.created_at, s.expires_at, s.revoked_at,
      u.has_used_email, u.has_used_github, u.has_used_oidc, owned.organization_id is not null as is_owner,
      coalesce(owned.organization_id, joined.organization_id, s.organization_id) as organization_id,
      (select effective_plan(o, culprit_now()) from organizations o where o.organization_id =
        coalesce(owned.organization_id, joined.organization_id, s.organization_id)) as organization_plan
    from sessions s
    join users u on u.user_id = s.user_id
    left join lateral (
      select organization_id from organizations where owner_user_id = s.user_id
      order by created_at, organization_id limit 1) as owned on true
    left join lateral (
      select p.organization_id from project_members m
      join projects p on p.project_id = m.project_id and p.deleted_at is null
      where m.user_id = s.user_id order by m.created_at, m.project_id limit 1) as joined on true
    where s.session_id = $1`,
);
