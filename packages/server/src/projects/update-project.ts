import type { BodyOf } from '@culprit/contract/endpoint';
import type { updateProject as endpoint, Project } from '@culprit/contract/projects';
import { recordAudit } from '../audit/record-audit.ts';
import type { PlanSettings } from '../billing/plan.ts';
import type { Database } from '../platform/db/database.ts';
import type { RequestContext } from '../platform/http/bind-endpoint.ts';
import { Problem } from '../platform/http/problem.ts';
import type { Member } from '../tokens/authenticate-member.ts';
import { readEnvironmentDefault, readProjectName } from './project-texts.ts';
import { changeProject, findProjectBySlug, lockOrganization } from './projects.queries.ts';
import { readProjectRecord } from './read-project.ts';
import { requireProject } from './require-project.ts';

/**
 * Renames a project or changes its default environment (incidents.md 7.3).
 * @throws Problem `invalid_payload`, `project_not_found`, `forbidden`, `shared_access_suspended`, `project_slug_taken`
 */
export async function updateProject(
  options: { database: Database; plans: PlanSettings },
  member: Member,
  id: string,
  body: BodyOf<typeof endpoint>,
  request: Pick<RequestContext, 'log' | 'clientAddress'>,
): Promise<Project> {
  const { database, plans } = options;
  const { userId } = member;
  const change = {
    name: body.name === undefined ? null : readProjectName(body.name),
    slug: body.slug ?? null,
    environmentDefault:
      body.environment_default === undefined ? null : readEnvironmentDefault(body.environment_default),
  };
  const { projectId, organizationId } = await requireProject(database, plans, userId, id, 'admin');
  // The color tag alone changes nothing that is kept.
  const changed = Object.entries(change).flatMap(([field, value]) => (value === null ? [] : [field]));
  if (changed.length > 0) {
    await database.transaction(async (transaction) => {
      if (change.slug !== null) {
        await lockOrganization(transaction, organizationId);
        const holder = await findProjectBySlug(transaction, organizationId, change.slug);
        if (holder !== null && holder !== projectId) throw new Problem('project_slug_taken');
      }
      if (!(await changeProject(transaction, projectId, change))) throw new Problem('project_not_found');
    });
    await recordAudit(database, request, {
      action: 'project.updated',
      actorUserId: userId,
      organizationId,
      projectId,
      subject: `project:${projectId}`,
      data: { fields: changed.join(' ') },
    });
  }
  return await readProjectRecord(database, plans, userId, projectId);
}
