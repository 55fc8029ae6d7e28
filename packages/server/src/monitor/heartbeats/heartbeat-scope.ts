import type { Runtime } from '../../runtime.ts';
import type { ProjectAccess } from '../../workspace/access/project-access.ts';
import type { SessionCaller } from '../../workspace/accounts/authenticate-session.ts';
import type { TokenCaller } from '../../workspace/tokens/authenticate-member.ts';
import { mayTokenAsk } from '../../workspace/tokens/token-access.ts';
import type { HeartbeatScope } from './heartbeats.queries.ts';

/** The heartbeats of a project that the caller has access to. The address of pings is for those who may change them. */
export function heartbeatScope(
  { baseUrl }: Runtime,
  { access: { projectId, role }, caller }: { access: ProjectAccess; caller: TokenCaller | SessionCaller },
): HeartbeatScope {
  const mayChange = role !== 'member' && mayTokenAsk(caller, { changes: true, isOfBuild: false });
  return { projectId, baseUrl, mayChange };
}
