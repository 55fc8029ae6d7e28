import Type, { type Static } from 'typebox';
import { HEARTBEAT_RUN_STATUSES } from '../monitor/heartbeat-run-statuses.ts';
import { Closed } from '../schemas/closed-object.ts';
import { Nullable } from '../schemas/nullable.ts';
import { OpenMap, OpenValue } from '../schemas/open-json.ts';
import { Timestamp } from '../schemas/timestamp-schemas.ts';
import { Block, NullableNumber, NullableString } from './bundle-block.ts';
import { ErrorBlock, ErrorChainBlock, StackBlock, SymbolicationBlock } from './bundle-stack.ts';
import { GroupingExplanation } from './grouping-explanation.ts';
import { SEVERITIES } from './severities.ts';

export const RequestBlock = Block({
  method: NullableString,
  path: NullableString,
  route_template: NullableString,
  query: OpenMap,
  headers: OpenMap,
  body: OpenValue,
  request_id: NullableString,
});

export const ResponseBlock = Block({
  status_code: NullableNumber,
  duration_ms: NullableNumber,
  headers: OpenMap,
  body: OpenValue,
});

export const LogItem = Closed({
  level: Type.String(),
  message: Type.String(),
  timestamp: Timestamp,
  attributes: OpenMap,
});
export const LogsBlock = Block({ items: Type.Array(LogItem, { maxItems: 50 }) });

const BreadcrumbTime = Nullable(Timestamp);

export const RouteChange = Closed({
  from: Type.String({ description: '`unknown` when neither the library nor an earlier change names it' }),
  to: NullableString,
  ts: BreadcrumbTime,
});
export const Click = Closed({ selector: NullableString, label: NullableString, ts: BreadcrumbTime });
export const FormSubmission = Closed({ form: NullableString, fields: OpenValue, ts: BreadcrumbTime });
export const ConsoleLog = Closed({
  level: Type.String(),
  message: Type.String(),
  source: NullableString,
  ts: BreadcrumbTime,
});
export const NetworkRequest = Closed({
  method: NullableString,
  url: NullableString,
  status: NullableNumber,
  ts: BreadcrumbTime,
  duration_ms: Type.Optional(Type.Number()),
  caller_trace: Type.Optional(OpenValue),
  response_body: Type.Optional(OpenValue),
  request_body: Type.Optional(OpenValue),
  response_headers: Type.Optional(OpenMap),
  response_content_length: Type.Optional(Type.Number()),
});
export const FrontendException = Closed({
  event_id: Type.String(),
  service: Type.String(),
  name: Type.String(),
  message: Type.String(),
  route: NullableString,
  ts: Timestamp,
});

export const FrontendBlock = Block({
  route_changes: Type.Array(RouteChange, { maxItems: 50 }),
  clicks: Type.Array(Click, { maxItems: 50 }),
  form_submissions: Type.Array(FormSubmission, { maxItems: 50 }),
  console_logs: Type.Array(ConsoleLog, { maxItems: 50 }),
  network_requests: Type.Array(NetworkRequest, { maxItems: 50 }),
  exceptions: Type.Array(FrontendException, { maxItems: 50 }),
  dom_context: Nullable(Closed({ mode: Type.Literal('lightweight'), html_excerpt: Type.String() })),
});

export const EnvironmentBlock = Block({
  os: NullableString,
  host: NullableString,
  container_id: NullableString,
});

export const DeployBlock = Block({
  commit_sha: NullableString,
  deploy_version: NullableString,
  branch: NullableString,
  deployed_at: Timestamp,
  regression_window: Type.Boolean({ description: 'The primary event is at most 24 hours after the deploy' }),
});

/** Releases of the incident (docs/contract/source-maps.md 10.5). */
export const ReleasesBlock = Block({
  first: NullableString,
  last: NullableString,
  regressed_in: Nullable(
    Type.String({ description: 'Releases in which it came back after it was resolved' }),
  ),
});

/** The scheduled job whose failure the incident is, as it was at the primary occurrence. */
export const HeartbeatBlock = Block({
  heartbeat_id: Type.String(),
  slug: Type.String({ description: 'Slug of the job in check-ins' }),
  name: Type.String(),
  failure: Type.Enum(['error', 'missed', 'timeout']),
  schedule: Type.String({ description: 'Schedule as text' }),
  expected_at: Nullable(Timestamp),
  margin_minutes: Type.Integer(),
  max_runtime_minutes: Type.Integer(),
  check_in_id: NullableString,
  output: Nullable(Type.String({ description: 'Output that the job sent when it ended' })),
  runs: Type.Array(
    Closed({
      status: Type.Enum([...HEARTBEAT_RUN_STATUSES]),
      started_at: Timestamp,
      duration_ms: NullableNumber,
      release: NullableString,
    }),
    { maxItems: 10, description: 'Earlier runs, newest first' },
  ),
  exceptions: Type.Array(
    Closed({
      event_id: Type.String(),
      type: Type.String(),
      message: Type.String(),
      occurred_at: Timestamp,
      stack: NullableString,
    }),
    {
      maxItems: 3,
      description: 'Events in the trace of the run, nearest first; each belongs to another incident',
    },
  ),
});

export const RuntimeMemory = Closed({
  rss: NullableNumber,
  heap_total: NullableNumber,
  heap_used: NullableNumber,
  external: NullableNumber,
  peak: NullableNumber,
});

export const RuntimeBlock = Block({
  name: NullableString,
  runtime_version: NullableString,
  platform: NullableString,
  arch: NullableString,
  pid: NullableNumber,
  cwd: NullableString,
  uptime_sec: NullableNumber,
  hostname: NullableString,
  thread_id: Nullable(Type.Union([Type.String(), Type.Number()])),
  framework: NullableString,
  framework_version: NullableString,
  memory: Nullable(RuntimeMemory),
  framework_extras: Nullable(OpenMap),
});

export const GitBlock = Block({
  commit: NullableString,
  commit_short: NullableString,
  branch: NullableString,
  repo: NullableString,
  dirty: Nullable(Type.Boolean()),
  source: Type.Enum(['config', 'env', 'local', 'unknown']),
});

export const DependencyItem = Closed({
  name: Type.String(),
  status: Type.Enum(['ok', 'degraded', 'failed', 'unknown']),
  notes: NullableString,
});
export const DependenciesBlock = Block({ items: Type.Array(DependencyItem, { maxItems: 50 }) });

const ProbeDataItem = Closed({
  label: Type.String(),
  data: OpenMap,
  timestamp: Timestamp,
  activation_id: NullableString,
});
export const ProbeDataBlock = Block({ items: Type.Array(ProbeDataItem, { maxItems: 50 }) });

const Size = Closed({ width: Type.Number(), height: Type.Number() });

export const DeviceBlock = Block({
  user_agent: NullableString,
  browser: Nullable(Closed({ name: Type.String(), version: Type.String() })),
  os: Closed({ name: NullableString, version: NullableString }),
  device_type: Type.Enum(['desktop', 'mobile', 'tablet', 'unknown']),
  screen: Nullable(Size),
  viewport: Nullable(Size),
  device_pixel_ratio: NullableNumber,
  touch_capable: Nullable(Type.Boolean()),
  language: NullableString,
  connection_type: NullableString,
  color_scheme_preference: NullableString,
});

const OccurrenceItem = Closed({
  event_id: Type.String(),
  event_type: Type.String(),
  occurred_at: Timestamp,
  sender_time: Type.Optional(
    Type.String({
      format: 'date-time',
      description:
        "Time on the sender's clock, if it was not plausible and `occurred_at` is the time of receipt",
    }),
  ),
  roles: Type.Array(Type.Enum(['first', 'latest', 'after_deploy', 'highest_severity', 'richest'])),
  severity: Type.Enum([...SEVERITIES]),
  deploy_version: NullableString,
});
export const OccurrencesBlock = Block({ items: Type.Array(OccurrenceItem) });

export const RecoveryFailure = Closed({
  method: NullableString,
  path: NullableString,
  status: Type.Number(),
  occurred_at: Timestamp,
});
export const ResourceFailureBlock = Block({
  host: NullableString,
  path: NullableString,
  tag_name: NullableString,
  first_party: Nullable(Type.Boolean()),
  routes: Type.Array(Type.String(), { maxItems: 20 }),
  recovery_failures: Type.Array(RecoveryFailure, { maxItems: 10 }),
});

export const GroupingBlock = Block({
  ...GroupingExplanation,
  members: Type.Array(Type.String(), {
    maxItems: 20,
    description: 'Incidents whose events this one takes since they were merged into it',
  }),
  slots: Type.Array(
    Closed({
      slot_id: Type.String(),
      template: Type.String({ description: 'The message, with `[…]` where different words were seen' }),
      words: Type.Array(Type.String(), { maxItems: 12, description: 'Words that were seen there first' }),
      holds_values: Type.Boolean({ description: 'Numbers, ids or other values were seen there too' }),
      only_browsers: Type.Boolean({
        description: 'Learned only from browser events, and applied only to them',
      }),
      opened_at: Timestamp,
      opened_by_event_id: Type.String(),
    }),
    { maxItems: 5, description: 'Newest first' },
  ),
  changes: Type.Array(
    Closed({
      kind: Type.Enum(['merged', 'split']),
      at: Timestamp,
      by: Type.Enum(['person', 'slot', 'rules', 'maps'], {
        description:
          '`rules`: a regrouping by other rules, or its undo; `maps`: source maps that arrived after the events',
      }),
      user_id: Nullable(
        Type.String({ description: 'The person, as the history of the incident names them' }),
      ),
      slot_id: NullableString,
      into: Nullable(Type.String({ description: 'The incident that takes the events since a merge' })),
    }),
    { maxItems: 10, description: 'Newest first' },
  ),
});

export const CustomBlock = Block({ context: OpenMap, extra: OpenMap });

/**
 * All evidence of a bundle (docs/contract/incidents.md 3.4): twelve blocks that are always present, and eight that may
 * be absent.
 */
export const BundleContext = Closed({
  error: Nullable(ErrorBlock),
  request: Nullable(RequestBlock),
  response: Nullable(ResponseBlock),
  logs: Nullable(LogsBlock),
  frontend: Nullable(FrontendBlock),
  environment: Nullable(EnvironmentBlock),
  deploy: Nullable(DeployBlock),
  runtime: Nullable(RuntimeBlock),
  git: Nullable(GitBlock),
  dependencies: Nullable(DependenciesBlock),
  probe_data: Nullable(ProbeDataBlock),
  device: Nullable(DeviceBlock),
  error_chain: Type.Optional(ErrorChainBlock),
  stack: Type.Optional(StackBlock),
  symbolication: Type.Optional(SymbolicationBlock),
  releases: Type.Optional(ReleasesBlock),
  occurrences: Type.Optional(OccurrencesBlock),
  resource_failure: Type.Optional(ResourceFailureBlock),
  heartbeat: Type.Optional(HeartbeatBlock),
  grouping: Type.Optional(GroupingBlock),
  custom: Type.Optional(CustomBlock),
});

export type RequestBlock = Static<typeof RequestBlock>;
export type ResponseBlock = Static<typeof ResponseBlock>;
export type LogItem = Static<typeof LogItem>;
export type LogsBlock = Static<typeof LogsBlock>;
export type RouteChange = Static<typeof RouteChange>;
export type Click = Static<typeof Click>;
export type FormSubmission = Static<typeof FormSubmission>;
export type ConsoleLog = Static<typeof ConsoleLog>;
export type NetworkRequest = Static<typeof NetworkRequest>;
export type FrontendException = Static<typeof FrontendException>;
export type FrontendBlock = Static<typeof FrontendBlock>;
export type EnvironmentBlock = Static<typeof EnvironmentBlock>;
export type DeployBlock = Static<typeof DeployBlock>;
export type ReleasesBlock = Static<typeof ReleasesBlock>;
export type HeartbeatBlock = Static<typeof HeartbeatBlock>;
export type RuntimeMemory = Static<typeof RuntimeMemory>;
export type RuntimeBlock = Static<typeof RuntimeBlock>;
export type GitBlock = Static<typeof GitBlock>;
export type DependencyItem = Static<typeof DependencyItem>;
export type DependenciesBlock = Static<typeof DependenciesBlock>;
export type ProbeDataBlock = Static<typeof ProbeDataBlock>;
export type DeviceBlock = Static<typeof DeviceBlock>;
export type OccurrencesBlock = Static<typeof OccurrencesBlock>;
export type RecoveryFailure = Static<typeof RecoveryFailure>;
export type ResourceFailureBlock = Static<typeof ResourceFailureBlock>;
export type GroupingBlock = Static<typeof GroupingBlock>;
export type CustomBlock = Static<typeof CustomBlock>;
export type BundleContext = Static<typeof BundleContext>;
