import type { BodyOf } from '@culprit/contract/endpoints/endpoint';
import { repositoryUrlFault } from '@culprit/contract/releases/repository-links';
import type { updateProject as endpoint, Project } from '@culprit/contract/workspace/projects';
import { invalidPayload } from '../../platform/http/binding/payload-fault.ts';
import { Problem } from '../../platform/http/binding/problem.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../access/api-callers.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { getProject } from './get-project.ts';
import { parseEnvironmentDefault, parseProjectName } from './project-texts.ts';
import { changeProject, lockOrganization, type ProjectChange } from './projects.queries.ts';

/**
 * Returns the changes to a project in their stored form.
 * @throws Problem `invalid_payload`
 */
export function checkProjectChange({ body }: { body: BodyOf<typeof endpoint> }): ProjectChange {
  const { name, slug = null, environment_default: environment, stack_rules: rules } = body;
  return {
    name: name === undefined ? null : parseProjectName(name),
    slug,
    incidentKey: body.incident_key ?? null,
    environmentDefault: environment === undefined ? null : parseEnvironmentDefault(environment),
    stackRules: rules?.map((line) => line.trim()) ?? null,
    learnsSlots: body.learns_slots ?? null,
    showsSource: body.shows_source ?? null,
    resolvesAfterDays: body.resolves_after_days === undefined ? null : (body.resolves_after_days ?? 0),
    heartbeatsFromClients: body.heartbeats_from_clients ?? null,
    repositories: checkedRepositories(body.repositories),
  };
}

/** @throws Problem `invalid_payload` for an address that leads nowhere safe */
function checkedRepositories(given: BodyOf<typeof endpoint>['repositories']): ProjectChange['repositories'] {
  for (const [index, { kind, url }] of (given ?? []).entries()) {
    const fault = repositoryUrlFault(kind, url);
    if (fault !== null) throw invalidPayload(`/repositories/${index}/url`, fault);
  }
  return (
    given?.map(({ kind, url, service = null, strip_prefix: prefix = null, folder = null }) => ({
      ...{ kind, url, service, strip_prefix: prefix, folder },
    })) ?? null
  );
}

/**
 * Renames a project or changes its default environment, what its grouping goes by or where its code is (docs/contract/incidents.md 7.3).
 * @throws Problem `project_slug_taken`, `incident_key_taken`, `project_not_found` when it was deleted
 */
export async function updateProject(
  runtime: Runtime,
  request: ApiRequest<typeof endpoint, ProjectChange>,
): Promise<Project> {
  const { database } = runtime;
  const { access, caller, checked: change } = request;
  const { projectId } = access;
  // The color tag alone changes nothing that is kept.
  const fields = Object.entries(change).flatMap(([field, value]) => (value === null ? [] : [field]));
  if (fields.length > 0) {
    const outcome = await database.transaction(async (transaction) => {
      // A slug is chosen by one caller at a time.
      if (change.slug !== null) await lockOrganization(transaction, access.organizationId);
      return await changeProject(transaction, projectId, change);
    });
    if (outcome !== 'changed') throw new Problem(outcome);
    await recordAudit(database, request, {
      ...access,
      action: 'project.updated',
      actorUserId: caller.userId,
      subject: `project:${projectId}`,
      data: { fields: fields.join(' ') },
    });
  }
  return await getProject(runtime, caller.userId, projectId);
}
