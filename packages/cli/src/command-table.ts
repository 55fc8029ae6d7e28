import type { CommandGroup } from './command.ts';
import { ALERTS } from './commands/alerts/table.ts';
import { API } from './commands/api/table.ts';
import { BILLING, REPORTS, SLACK } from './commands/billing/table.ts';
import { EVIDENCE } from './commands/bundle/table.ts';
import { CAPTURE } from './commands/capture/table.ts';
import { CHECKS } from './commands/checks/table.ts';
import { TOOLS } from './commands/completion/table.ts';
import { GROUPS } from './commands/groups/table.ts';
import { HEARTBEATS } from './commands/heartbeats/table.ts';
import { IMPROVEMENTS } from './commands/improvements/table.ts';
import { INCIDENTS } from './commands/incidents/table.ts';
import { INIT } from './commands/init/table.ts';
import { DSN, KEYS } from './commands/keys/table.ts';
import { PROFILES, SIGN_IN } from './commands/login/table.ts';
import { EVENTS, LOOKUP } from './commands/lookup/table.ts';
import { MCP } from './commands/mcp/table.ts';
import { NOTIFICATIONS } from './commands/notifications/table.ts';
import { OPERATOR } from './commands/operator/table.ts';
import { OWNERSHIP } from './commands/ownership/table.ts';
import { INVITES, MEMBERS } from './commands/people/table.ts';
import { PROBES } from './commands/probes/table.ts';
import { PROJECTS, SERVICES } from './commands/projects/table.ts';
import { RELEASES } from './commands/releases/table.ts';
import { DEPLOYS, LIVE, LOCAL, SENDING } from './commands/send/table.ts';
import { SESSIONS } from './commands/sessions/table.ts';
import { SOURCE_MAPS } from './commands/sourcemaps/table.ts';
import { TEAMS } from './commands/teams/table.ts';
import { TOKENS } from './commands/tokens/table.ts';
import { TRACKERS } from './commands/trackers/table.ts';
import { VIEWS } from './commands/views/table.ts';
import { WEBHOOKS } from './commands/webhooks/table.ts';

/** Every command: parser, help, completion and the reference are made of this table. */
export const COMMAND_GROUPS: readonly CommandGroup[] = [
  SIGN_IN,
  PROFILES,
  INIT,
  INCIDENTS,
  VIEWS,
  EVIDENCE,
  LIVE,
  EVENTS,
  LOOKUP,
  IMPROVEMENTS,
  SERVICES,
  PROBES,
  CAPTURE,
  SENDING,
  DEPLOYS,
  SOURCE_MAPS,
  RELEASES,
  LOCAL,
  PROJECTS,
  TOKENS,
  DSN,
  KEYS,
  SESSIONS,
  MEMBERS,
  TEAMS,
  NOTIFICATIONS,
  OWNERSHIP,
  GROUPS,
  INVITES,
  ALERTS,
  WEBHOOKS,
  TRACKERS,
  CHECKS,
  HEARTBEATS,
  REPORTS,
  SLACK,
  BILLING,
  OPERATOR,
  MCP,
  API,
  TOOLS,
];

/** The commands that `culprit` alone lists. */
export const FIRST_DAY = [
  'login',
  'init',
  'incidents list',
  'incidents show',
  'bundle',
  'reproduce',
  'incidents resolve',
  'tail',
  'deploys announce',
  'local list',
] as const;
