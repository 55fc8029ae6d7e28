import type { BodyOf } from '@culprit/contract/endpoint';
import type { createProject as endpoint, Project } from '@culprit/contract/projects';
import { ensureOwnOrganization } from '../accounts/organization-of-person.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { type Plan, type PlanSettings, planOverride } from '../billing/plan.ts';
import type { Database } from '../platform/db/database.ts';
import type { RequestContext } from '../platform/http/bind-endpoint.ts';
import type { Member } from '../tokens/authenticate-member.ts';
import { addProject } from './add-project.ts';
import { readEnvironmentDefault, readProjectName, readTimezone } from './project-texts.ts';
import { findOrganizationPlan } from './projects.queries.ts';
import { readProjectRecord } from './read-project.ts';

export interface CreateProjectOptions {
  database: Database;
  plans: PlanSettings;
  /** The capture preset a new project begins with, by its organization's plan (ingestion.md 4.2). */
  presetOf: (plan: Plan) => string;
}

const ENVIRONMENT_DEFAULT = 'production';
const TIMEZONE_DEFAULT = 'UTC';

/**
 * Makes a project in the member's own organization, also when they collaborate elsewhere (incidents.md 7.3).
 * @throws Problem `invalid_payload`, `project_slug_taken`, `resource_limit_reached`
 */
export async function createProject(
  options: CreateProjectOptions,
  member: Member,
  body: BodyOf<typeof endpoint>,
  request: Pick<RequestContext, 'log' | 'clientAddress'>,
): Promise<Project> {
  const { database, plans } = options;
  const { userId } = member;
  const texts = {
    name: readProjectName(body.name),
    environmentDefault: readEnvironmentDefault(body.environment_default ?? ENVIRONMENT_DEFAULT),
    weeklyReportTimezone: readTimezone(body.weekly_report_timezone ?? TIMEZONE_DEFAULT),
  };
  const { projectId, organizationId } = await database.transaction(async (transaction) => {
    const organizationId = await ensureOwnOrganization(transaction, plans, userId);
    const plan = planOverride(plans) ?? (await findOrganizationPlan(transaction, organizationId));
    const projectId = await addProject(transaction, {
      ...texts,
      organizationId,
      ownerUserId: userId,
      slug: body.slug ?? null,
      capturePreset: options.presetOf(plan),
    });
    return { projectId, organizationId };
  });
  await recordAudit(database, request, {
    action: 'project.created',
    actorUserId: userId,
    organizationId,
    projectId,
    subject: `project:${projectId}`,
  });
  return await readProjectRecord(database, plans, userId, projectId);
}
