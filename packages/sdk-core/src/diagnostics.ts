/** Why an event ended before it was sent (docs/contract/clients.md 7.1). */
export type DropReason =
  | 'duplicate'
  | 'policy'
  | 'internal'
  | 'filtered'
  | 'noise'
  | 'rule'
  | 'sampled'
  | 'suppressed'
  | 'overflow'
  | 'too_large'
  | 'rejected'
  | 'stale'
  | 'unload';

export type DropCounts = { [Reason in DropReason]?: number };

export type State = 'healthy' | 'degraded' | 'disconnected' | 'disabled';

/** Misuse and failures that are reported (docs/contract/clients.md 13). */
export type DiagnosticCode =
  | 'token_malformed'
  | 'token_missing'
  | 'endpoint_missing'
  | 'endpoint_invalid'
  | 'endpoint_insecure'
  | 'proxy_invalid'
  | 'unauthorized'
  | 'origin_refused'
  | 'not_an_api'
  | 'unreachable'
  | 'too_large'
  | 'clock_skew'
  | 'local_unwritable'
  | 'local_chosen'
  | 'spool_left'
  | 'permission_missing'
  | 'runtime_unsupported'
  | 'relay_no_address'
  | 'internal_error'
  | 'unknown_option'
  | 'already_initialized';

export interface Diagnostic {
  code: DiagnosticCode;
  /** The line in its printed form, without the leading `[culprit] `. */
  message: string;
  data: DiagnosticData;
}

export type DiagnosticData = Readonly<Record<string, string | number | null>>;

/** Reports one to the host. */
export type Diagnose = (code: DiagnosticCode, data?: DiagnosticData) => void;

/**
 * The part of `getDiagnostics()` that core provides (docs/contract/clients.md 8.6); the platform adds mode, address,
 * policy and probes.
 */
export interface ClientDiagnostics {
  state: State;
  /** Code of the latest diagnostic that changed the state. */
  reason: DiagnosticCode | null;
  captured: number;
  sent: number;
  accepted: number;
  waiting: number;
  waitingBytes: number;
  dropped: Record<DropReason, number>;
  requests: number;
  retries: number;
  lastEventAt: string | null;
}
