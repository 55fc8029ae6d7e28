import * as dsnKeys from '@culprit/contract/dsn-keys';
import * as projects from '@culprit/contract/projects';
import * as tokens from '@culprit/contract/tokens';
import type { Binder } from '../../platform/http/bind-endpoint.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiCallers } from '../access/api-callers.ts';
import { createDsnKey } from './create-dsn-key.ts';
import { checkNewProject, createProject } from './create-project.ts';
import { checkNewProjectToken, createProjectToken } from './create-project-token.ts';
import { deleteProject } from './delete-project.ts';
import { checkDsnKeyChange, checkNewDsnKey } from './dsn-key-choices.ts';
import { getProject } from './get-project.ts';
import { listDsnKeys } from './list-dsn-keys.ts';
import { checkProjectTokensPage, listProjectTokens } from './list-project-tokens.ts';
import { checkProjectsPage, listProjects } from './list-projects.ts';
import { revokeDsnKey } from './revoke-dsn-key.ts';
import { revokeProjectToken } from './revoke-project-token.ts';
import { updateDsnKey } from './update-dsn-key.ts';
import { checkProjectChange, updateProject } from './update-project.ts';

/** Projects, their tokens and their DSN keys. */
export function bindProjectRoutes(binder: Binder<ApiCallers>, runtime: Runtime): void {
  binder
    .bind(projects.listProjects)
    .checked(checkProjectsPage)
    .to(async (request) => ({ status: 200, body: await listProjects(runtime, request) }));
  binder
    .bind(projects.createProject)
    .checked(checkNewProject)
    .to(async (request) => ({ status: 201, body: { project: await createProject(runtime, request) } }));
  binder.bind(projects.getProject).to(async ({ access, caller }) => ({
    status: 200,
    body: { project: await getProject(runtime, caller.userId, access.projectId) },
  }));
  binder
    .bind(projects.updateProject)
    .checked(checkProjectChange)
    .to(async (request) => ({ status: 200, body: { project: await updateProject(runtime, request) } }));
  binder.bind(projects.deleteProject).to(async (request) => ({
    status: 200,
    body: { project: await deleteProject(runtime, request) },
  }));
  binder
    .bind(tokens.listProjectTokens)
    .checked(checkProjectTokensPage)
    .to(async (request) => ({ status: 200, body: await listProjectTokens(runtime, request) }));
  binder
    .bind(tokens.createProjectToken)
    .checked(checkNewProjectToken)
    .to(async (request) => ({ status: 201, body: { token: await createProjectToken(runtime, request) } }));
  binder.bind(tokens.revokeProjectToken).to(async (request) => ({
    status: 200,
    body: { token: await revokeProjectToken(runtime, request) },
  }));
  binder
    .bind(dsnKeys.listDsnKeys)
    .checked(checkProjectTokensPage)
    .to(async (request) => ({ status: 200, body: await listDsnKeys(runtime, request) }));
  binder
    .bind(dsnKeys.createDsnKey)
    .checked(checkNewDsnKey)
    .to(async (request) => ({ status: 201, body: { key: await createDsnKey(runtime, request) } }));
  binder
    .bind(dsnKeys.updateDsnKey)
    .checked(checkDsnKeyChange)
    .to(async (request) => ({ status: 200, body: { key: await updateDsnKey(runtime, request) } }));
  binder.bind(dsnKeys.revokeDsnKey).to(async (request) => ({
    status: 200,
    body: { key: await revokeDsnKey(runtime, request) },
  }));
}
