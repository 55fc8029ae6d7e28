import * as dsnKeys from '@culprit/contract/events/dsn-keys';
import * as projects from '@culprit/contract/workspace/projects';
import * as tokens from '@culprit/contract/workspace/tokens';
import type { Binder } from '../../platform/http/binding/bind-endpoint.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiCallers } from '../access/api-callers.ts';
import type { CreateFirstAlert } from './add-project.ts';
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
import { rotateProjectToken } from './rotate-project-token.ts';
import { updateDsnKey } from './update-dsn-key.ts';
import { checkProjectChange, updateProject } from './update-project.ts';

/** Projects, their tokens and their DSN keys. */
export function bindProjectRoutes(
  binder: Binder<ApiCallers>,
  runtime: Runtime,
  createFirstAlert: CreateFirstAlert,
): void {
  binder
    .bind(projects.listProjects)
    .checked(checkProjectsPage)
    .answers((request) => listProjects(runtime, request));
  binder
    .bind(projects.createProject)
    .checked(checkNewProject)
    .answers((request) => createProject(runtime, request, createFirstAlert));
  binder
    .bind(projects.getProject)
    .answers(({ access, caller }) => getProject(runtime, caller.userId, access.projectId));
  binder
    .bind(projects.updateProject)
    .checked(checkProjectChange)
    .answers((request) => updateProject(runtime, request));
  binder.bind(projects.deleteProject).answers((request) => deleteProject(runtime, request));
  binder
    .bind(tokens.listProjectTokens)
    .checked(checkProjectTokensPage)
    .answers((request) => listProjectTokens(runtime, request));
  binder
    .bind(tokens.createProjectToken)
    .checked(checkNewProjectToken)
    .answers((request) => createProjectToken(runtime, request));
  binder.bind(tokens.revokeProjectToken).answers((request) => revokeProjectToken(runtime, request));
  binder.bind(tokens.rotateProjectToken).answers((request) => rotateProjectToken(runtime, request));
  binder
    .bind(dsnKeys.listDsnKeys)
    .checked(checkProjectTokensPage)
    .answers((request) => listDsnKeys(runtime, request));
  binder
    .bind(dsnKeys.createDsnKey)
    .checked(checkNewDsnKey)
    .answers((request) => createDsnKey(runtime, request));
  binder
    .bind(dsnKeys.updateDsnKey)
    .checked(checkDsnKeyChange)
    .answers((request) => updateDsnKey(runtime, request));
  binder.bind(dsnKeys.revokeDsnKey).answers((request) => revokeDsnKey(runtime, request));
}
