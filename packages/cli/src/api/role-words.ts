import type { Endpoint, Role } from '@culprit/contract/endpoints/endpoint';
import { getProject } from '@culprit/contract/workspace/projects';
import { CliError } from '../cli-error.ts';
import { isObject, valueAt } from '../config/json-file.ts';
import type { Calls, Failure } from './calls.ts';

const ROLES: readonly Role[] = ['member', 'admin', 'owner'];

/**
 * Adds project and role to the message of a refusal because of a role or a token; the message stays unchanged if they
 * are unknown.
 */
export async function withRole(
  api: Calls,
  endpoint: Endpoint,
  parts: unknown,
  failure: Failure,
): Promise<Failure> {
  // The request below is this endpoint, so it is not sent again.
  if (endpoint.id === getProject.id) return failure;
  const { scope, role = 'member' } = endpoint;
  const field =
    scope?.of === 'project' || scope?.of === 'projects'
      ? scope.id
      : scope?.of === 'project_record'
        ? scope.project
        : null;
  const id = field === null || !isObject(parts) ? null : valueAt(parts, field);
  if (typeof id !== 'string') return failure;
  try {
    const answer = await api.attempt(getProject, { params: { id } });
    if (!answer.ok) return answer.code === 'forbidden' ? ofBuild(failure) : failure;
    const { project } = answer.body;
    const { slug, effective_role, owner_email } = project;
    const isEnough = ROLES.indexOf(effective_role) >= ROLES.indexOf(role);
    const { exit, code, status, requestId } = failure.failure;
    return {
      ...failure,
      failure: new CliError(
        isEnough
          ? `Your role in \`${slug}\` is ${effective_role}, which is enough, but the token can only read.`
          : `Your role in \`${slug}\` is ${effective_role}; this needs ${role}.`,
        {
          exit,
          code,
          status,
          requestId,
          hint: isEnough
            ? 'sign in with a token that can do everything: culprit login'
            : `ask the owner, ${owner_email}`,
        },
      ),
    };
  } catch {
    return failure;
  }
}

/** Only a token of a build is refused the project that it works with. */
function ofBuild(failure: Failure): Failure {
  const { exit, code, status, requestId } = failure.failure;
  return {
    ...failure,
    failure: new CliError('The token is for builds: it can only upload source maps.', {
      exit,
      code,
      status,
      requestId,
      hint: 'sign in with a token that can do everything: culprit login',
    }),
  };
}
