import type { TrackerKind } from '@culprit/contract/alerts/tracker-words';
import type { OutboundPolicy } from '../../platform/outbound/outbound-policy.ts';
import { GENERIC } from './generic.ts';
import { GITHUB } from './github.ts';
import { type AppPermissions, asInstallation } from './github-app.ts';
import { GITLAB } from './gitlab.ts';
import { JIRA } from './jira.ts';
import { LINEAR } from './linear.ts';
import type { Call, Connection, TrackerApi } from './tracker-api.ts';
import { callsTo } from './tracker-call.ts';

/** Every product, by the documented calls of docs/contract/team-workflow.md 7.2, and the generic one of 7.5. */
export const TRACKER_APIS: Readonly<Record<TrackerKind, TrackerApi>> = {
  github: GITHUB,
  jira: JIRA,
  gitlab: GITLAB,
  linear: LINEAR,
  generic: GENERIC,
};

/** Calls to a tracker, authorized as its product demands. */
export function callsOf(
  outbound: OutboundPolicy,
  { kind, connection }: { kind: TrackerKind; connection: Connection },
  signal?: AbortSignal,
  appPermissions?: AppPermissions,
): Call {
  const call = callsTo(outbound, connection.baseUrl, signal);
  return kind === 'github' ? asInstallation(connection, call, appPermissions) : call;
}
