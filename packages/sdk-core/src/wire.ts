/** Events as they leave a library, in the wire form of docs/contract/ingestion.md 1.2, and what the service answers. */

export type EventType =
  | 'backend_exception'
  | 'frontend_exception'
  | 'request_event'
  | 'log_event'
  | 'frontend_breadcrumb'
  | 'deploy_metadata'
  | 'error_suppressed'
  | 'probe_event';

export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;
export interface JsonObject {
  [key: string]: JsonValue;
}

export interface Service {
  name: string;
  environment: string;
  runtime: string | null;
  framework: string | null;
}

export interface Correlation {
  request_id: string | null;
  trace_id: string | null;
  session_id: string | null;
  user_id_hash: null;
}

/** `occurred_at` comes first and `context` last: the queue corrects and completes both in the serialized text. */
export interface WireEvent {
  occurred_at: string;
  event_id: string;
  event_type: EventType;
  schema_version: string;
  sdk_name: string;
  sdk_version: string;
  service: Service;
  correlation: Correlation;
  payload: JsonObject;
  context: JsonObject;
}

/** The outcome of a batch (docs/contract/ingestion.md 3.2). */
export interface Acknowledgement {
  accepted: number;
  rejected: number;
  errors: { index: number; reason: string }[];
  probe_directives?: { active_probes: Directive[] };
}

/** An active remote probe (docs/contract/ingestion.md 3.9). */
export interface Directive {
  activation_id: string;
  label_pattern: string;
  service: string;
  environment: string;
  expires_at: string;
  trigger_expires_at?: string;
}

export type Preset = 'minimal' | 'balanced' | 'investigative';

/** The resolved capture policy (docs/contract/ingestion.md 4.2). */
export interface CapturePolicy {
  preset: Preset;
  capture_logs: 'off' | 'error' | 'warning' | 'info';
  capture_request_events: 'off' | 'failures_only' | 'filtered' | 'all';
  capture_breadcrumbs: 'local_only' | 'exception_only' | 'standalone';
  capture_probe_events: 'buffer_only' | 'standalone_when_activated';
  immediate_client_error_statuses: readonly number[];
  immediate_client_error_path_rules: readonly PathRule[];
}

export interface PathRule {
  status_code: number;
  path_pattern: string;
  methods: readonly string[];
}

/** A filter in the form of the configuration answer (docs/contract/ingestion.md 5.1), in evaluation order. */
export interface CaptureRule {
  id: string;
  project_id: string;
  action: 'demote' | 'sample' | 'drop';
  matcher: { readonly [key: string]: unknown };
  sample_rate: number | null;
  expires_at: string | null;
}

/** `GET /v1/sdk/config` (docs/contract/ingestion.md 7.1), as far as a library reads it. */
export interface ConfigAnswer {
  probes_enabled?: boolean;
  remote_probes_enabled?: boolean;
  active_probes?: Directive[];
  poll_interval_ms?: number;
  capture_policy?: CapturePolicy;
  capture_rules?: CaptureRule[];
  trigger_token_key?: string;
}
