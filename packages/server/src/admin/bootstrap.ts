import { createFirstAlert } from '../notify/alerts/first-alert.ts';
import type { Database } from '../platform/db/database.ts';
import { newUuid, prefixedId } from '../platform/ids.ts';
import { ensureOrganization, ensureUser } from '../workspace/accounts/accounts.queries.ts';
import type { PlanSettings } from '../workspace/billing/plan.ts';
import { addProject } from '../workspace/projects/add-project.ts';
import { defaultPreset } from '../workspace/projects/default-preset.ts';
import { findProjectByName } from '../workspace/projects/projects.queries.ts';
import {
  DEFAULT_DSN_KEY,
  dsnKeyOf,
  findPlainDsnKey,
  insertDsnKey,
} from '../workspace/tokens/dsn-keys.queries.ts';
import { createToken, tokenHash, tokenPreview } from '../workspace/tokens/token.ts';
import {
  insertMemberToken,
  insertProjectToken,
  revokeOldestTokens,
} from '../workspace/tokens/tokens.queries.ts';

/** The output of `admin bootstrap --json`. */
interface BootstrapResult {
  base_url: string;
  user_id: string;
  member_token: string;
  project_id: string;
  project_token: string;
  /** The DSN of the oldest live key that any sender can use; created if there is none. */
  dsn: string;
}

/** Marks the tokens this command makes, so that it can revoke its own. */
const TOKEN_LABEL = 'bootstrap';
/** Live bootstrap tokens kept per person and project; with the new one they stay far from the limit of 50. */
const TOKENS_KEPT = 20;

/**
 * Makes or finds a person, their organization and a project of that name, and gives fresh tokens for both.
 * Repeating it always works: the oldest tokens it made are revoked when they become many.
 */
export async function bootstrap(
  database: Database,
  options: { email: string; projectName: string; baseUrl: string; plans: PlanSettings },
): Promise<BootstrapResult> {
  const memberToken = createToken('member');
  const projectToken = createToken('project');
  return await database.transaction(async (transaction) => {
    const userId = await ensureUser(transaction, newUuid(), options.email);
    const organizationId = await ensureOrganization(transaction, {
      organizationId: newUuid(),
      ownerUserId: userId,
      name: options.email,
      plan: options.plans.defaultPlan,
    });
    const projectId =
      (await findProjectByName(transaction, organizationId, options.projectName)) ??
      (await addProject(
        transaction,
        {
          organizationId,
          ownerUserId: userId,
          name: options.projectName,
          slug: null,
          environmentDefault: 'production',
          weeklyReportTimezone: 'UTC',
          capturePreset: defaultPreset(options.plans.defaultPlan, options.plans),
        },
        createFirstAlert,
      ));
    await insertMemberToken(transaction, {
      tokenId: newUuid(),
      userId,
      organizationId,
      access: 'full',
      label: TOKEN_LABEL,
      hash: tokenHash(memberToken),
      preview: tokenPreview(memberToken),
    });
    await insertProjectToken(transaction, {
      tokenId: newUuid(),
      projectId,
      label: TOKEN_LABEL,
      hash: tokenHash(projectToken),
      preview: tokenPreview(projectToken),
      allowedOrigins: [],
      createdByUserId: userId,
    });
    await revokeOldestTokens(transaction, { table: 'member_tokens', userId }, TOKEN_LABEL, TOKENS_KEPT);
    await revokeOldestTokens(transaction, { table: 'project_tokens', projectId }, TOKEN_LABEL, TOKENS_KEPT);
    const key =
      (await findPlainDsnKey(transaction, projectId)) ??
      (await insertDsnKey(transaction, { ...DEFAULT_DSN_KEY, projectId, createdByUserId: userId }));
    return {
      base_url: options.baseUrl,
      user_id: userId,
      member_token: memberToken,
      project_id: prefixedId('proj', projectId),
      project_token: projectToken,
      dsn: dsnKeyOf(key, options.baseUrl).dsn,
    };
  });
}
