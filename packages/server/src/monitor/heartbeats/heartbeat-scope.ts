import type { Runtime } from '../../runtime.ts';
import type { ProjectAccess } from '../../workspace/access/project-access.ts';
import type { HeartbeatScope } from './heartbeats.queries.ts';

/** The heartbeats of a project that the caller has access to. */
export function heartbeatScope({ baseUrl }: Runtime, { projectId, role }: ProjectAccess): HeartbeatScope {
  return { projectId, baseUrl, mayChange: role !== 'member' };
}
