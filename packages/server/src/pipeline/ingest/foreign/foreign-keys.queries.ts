import type { Queryable } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/statement.ts';
import type { Plan } from '../../../workspace/billing/plan.ts';

/**
 * The facts about a foreign sender's key that the event intake has before its events reach the window, which judges the
 * key again.
 */
export interface KeyFacts {
  tokenId: string;
  tokenHash: Buffer;
  /** A DSN key, or a project token where the protocol takes one. */
  kind: 'token' | 'dsn';
  projectId: string;
  /** Empty: any, or none. */
  allowedOrigins: readonly string[];
  /** The service of events that name none. */
  serviceName: string;
  plan: Plan;
  capturePreset: string;
  /** Saved overrides as JSON text. */
  captureOverrides: string;
  /** By how much the clock of the database, which all times go by, is ahead of ours. */
  clockAheadMs: number;
}

/** The live keys of live projects among these hashes. */
export async function findKeyFacts(database: Queryable, hashes: readonly Buffer[]): Promise<KeyFacts[]> {
  const rows = await database.query<{
    token_id: string;
    token_hash: Buffer;
    kind: KeyFacts['kind'];
    project_id: string;
    allowed_origins: string[];
    service_name: string;
    plan: Plan;
    capture_preset: string;
    capture_overrides: string;
    now: number;
  }>(FIND, [[...hashes]]);
  const nowMs = Date.now();
  return rows.map((row) => ({
    tokenId: row.token_id,
    tokenHash: row.token_hash,
    kind: row.kind,
    projectId: row.project_id,
    allowedOrigins: row.allowed_origins,
    serviceName: row.service_name,
    plan: row.plan,
    capturePreset: row.capture_preset,
    captureOverrides: row.capture_overrides,
    clockAheadMs: row.now - nowMs,
  }));
}

const FIND = sql(
  'ingest-foreign-keys',
)`select t.token_id, t.token_hash, t.kind, t.project_id, t.allowed_origins,
      coalesce(t.service_name, p.slug) as service_name, effective_plan(o, culprit_now()) as plan, p.capture_preset,
      p.capture_overrides::text as capture_overrides, culprit_now()::timestamptz(3) as now
    from project_tokens t
    join projects p on p.project_id = t.project_id and p.deleted_at is null
    join organizations o on o.organization_id = p.organization_id
    where t.token_hash = any ($1::bytea[]) and t.revoked_at is null`;
