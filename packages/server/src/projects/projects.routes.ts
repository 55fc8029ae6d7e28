import * as projects from '@culprit/contract/projects';
import * as tokens from '@culprit/contract/tokens';
import type { Binder, Callers } from '../platform/http/bind-endpoint.ts';
import type { Member } from '../tokens/authenticate-member.ts';
import { type CreateProjectOptions, createProject } from './create-project.ts';
import { createProjectToken } from './create-project-token.ts';
import { deleteProject } from './delete-project.ts';
import { listProjectTokens } from './list-project-tokens.ts';
import { listProjects } from './list-projects.ts';
import { readProject } from './read-project.ts';
import { revokeProjectToken } from './revoke-project-token.ts';
import { updateProject } from './update-project.ts';

/** Projects and their tokens. */
export function bindProjectRoutes<C extends Callers & { member: Member }>(
  binder: Binder<C>,
  options: CreateProjectOptions,
): void {
  const { database, plans } = options;

  binder.bind(projects.listProjects).to(async ({ caller, query }) => ({
    status: 200,
    body: await listProjects(database, plans, caller, query),
  }));
  binder.bind(projects.createProject).to(async ({ caller, body, ...request }) => ({
    status: 201,
    body: { project: await createProject(options, caller, body, request) },
  }));
  binder.bind(projects.getProject).to(async ({ caller, params }) => ({
    status: 200,
    body: { project: await readProject(database, plans, caller, params.id) },
  }));
  binder.bind(projects.updateProject).to(async ({ caller, params, body, ...request }) => ({
    status: 200,
    body: { project: await updateProject(options, caller, params.id, body, request) },
  }));
  binder.bind(projects.deleteProject).to(async ({ caller, params, ...request }) => ({
    status: 200,
    body: { project: await deleteProject(options, caller, params.id, request) },
  }));
  binder.bind(tokens.listProjectTokens).to(async ({ caller, params, query }) => ({
    status: 200,
    body: await listProjectTokens(database, plans, caller, params.id, query),
  }));
  binder.bind(tokens.createProjectToken).to(async ({ caller, params, body, ...request }) => ({
    status: 201,
    body: { token: await createProjectToken(options, caller, params.id, body, request) },
  }));
  binder.bind(tokens.revokeProjectToken).to(async ({ caller, params, ...request }) => ({
    status: 200,
    body: { token: await revokeProjectToken(options, caller, params, request) },
  }));
}
