import type { BodyOf } from '@culprit/contract/endpoints/endpoint';
import type { createProject as endpoint, Project } from '@culprit/contract/workspace/projects';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../access/api-callers.ts';
import { ensureOwnOrganization } from '../accounts/organization-of-person.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { planOverride } from '../billing/plan.ts';
import { addProject, type CreateFirstAlert, type NewProject } from './add-project.ts';
import { defaultPreset } from './default-preset.ts';
import { getProject } from './get-project.ts';
import { parseEnvironmentDefault, parseProjectName, parseTimezone } from './project-texts.ts';
import { findOrganizationPlan } from './projects.queries.ts';

const ENVIRONMENT_DEFAULT = 'production';
const TIMEZONE_DEFAULT = 'UTC';

type ProjectTexts = Pick<NewProject, 'name' | 'environmentDefault' | 'weeklyReportTimezone'>;

/**
 * Returns the texts of a new project in their stored form.
 * @throws Problem `invalid_payload`
 */
export function checkNewProject({ body }: { body: BodyOf<typeof endpoint> }): ProjectTexts {
  return {
    name: parseProjectName(body.name),
    environmentDefault: parseEnvironmentDefault(body.environment_default ?? ENVIRONMENT_DEFAULT),
    weeklyReportTimezone: parseTimezone(
      '/weekly_report_timezone',
      body.weekly_report_timezone ?? TIMEZONE_DEFAULT,
    ),
  };
}

/**
 * Creates a project in the member's own organization, also when they collaborate elsewhere (docs/contract/incidents.md
 * 7.3). It begins with the capture preset of that organization's plan.
 * @throws Problem `project_slug_taken`, `resource_limit_reached`, `invalid_member_token` when the person is gone
 */
export async function createProject(
  runtime: Runtime,
  request: ApiRequest<typeof endpoint, ProjectTexts>,
  createFirstAlert: CreateFirstAlert,
): Promise<Project> {
  const { database, plans } = runtime;
  const { body, checked: texts } = request;
  const { userId } = request.caller;
  const { projectId, organizationId } = await database.transaction(async (transaction) => {
    const organizationId = await ensureOwnOrganization(transaction, plans, userId);
    const plan = planOverride(plans) ?? (await findOrganizationPlan(transaction, organizationId));
    const projectId = await addProject(
      transaction,
      {
        ...texts,
        organizationId,
        ownerUserId: userId,
        slug: body.slug ?? null,
        capturePreset: defaultPreset(plan, plans),
      },
      body.first_alert === false ? null : createFirstAlert,
    );
    return { projectId, organizationId };
  });
  await recordAudit(database, request, {
    action: 'project.created',
    actorUserId: userId,
    organizationId,
    projectId,
    subject: `project:${projectId}`,
  });
  return await getProject(runtime, userId, projectId);
}
