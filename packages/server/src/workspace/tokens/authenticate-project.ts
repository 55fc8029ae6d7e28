import type { IncomingHttpHeaders } from 'node:http';
import type { Queryable } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/statement.ts';
import { Problem } from '../../platform/http/binding/problem.ts';
import { type Plan, type PlanSettings, planOverride } from '../billing/plan.ts';
import { normalizeOrigin } from './allowed-origin.ts';
import { bearerToken, isTokenShaped, tokenHash } from './token.ts';

/** The project of a project token, with the settings that its clients receive: looked up for this one request. */
export interface ClientProject {
  /** Bare UUID. */
  projectId: string;
  /** In force now; with plans from the configuration the configured one. */
  plan: Plan;
  capturePreset: string;
  /** Saved overrides as JSON text. */
  captureOverrides: string;
}

/**
 * The project of the request's token; null when the token is missing, unknown, revoked or of another kind. Ingestion
 * does not come here: it finds its tokens for many requests together.
 * @throws Problem `origin_not_allowed` where the token's allowlist lacks the origin (docs/contract/ingestion.md 3.4)
 */
export async function authenticateProject(
  database: Queryable,
  plans: PlanSettings,
  headers: IncomingHttpHeaders,
): Promise<ClientProject | null> {
  const token = bearerToken(headers.authorization);
  if (token === null || !isTokenShaped('project', token)) return null;
  const origin = headers.origin === undefined ? null : normalizeOrigin(headers.origin);
  const [row] = await database.query<{
    project_id: string;
    capture_preset: string;
    capture_overrides: string;
    plan: Plan;
    is_origin_allowed: boolean;
  }>(FIND, [tokenHash(token), origin]);
  if (row === undefined) return null;
  if (!row.is_origin_allowed) throw new Problem('origin_not_allowed');
  return {
    projectId: row.project_id,
    plan: planOverride(plans) ?? row.plan,
    capturePreset: row.capture_preset,
    captureOverrides: row.capture_overrides,
  };
}

// Also marks the token used, at most once a minute (docs/contract/account.md 1.6); a refused use leaves no mark.
const FIND = sql('project-token-find')`
    with found as (
      select t.token_id, t.project_id, p.capture_preset, p.capture_overrides::text as capture_overrides,
        effective_plan(o, culprit_now()) as plan,
        cardinality(t.allowed_origins) = 0 or coalesce($2::text = any (t.allowed_origins), false) as is_origin_allowed,
        t.last_used_at is null or t.last_used_at < culprit_now() - interval '60 s' as is_stale
      from project_tokens t
      join projects p on p.project_id = t.project_id and p.deleted_at is null
      join organizations o on o.organization_id = p.organization_id
      where t.token_hash = $1 and t.revoked_at is null
    ), used as (
      update project_tokens t set last_used_at = culprit_now()
      from found where t.token_id = found.token_id and found.is_origin_allowed and found.is_stale
    )
    select project_id, capture_preset, capture_overrides, plan, is_origin_allowed from found`;
