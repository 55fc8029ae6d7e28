/** The outcomes of a run of a job. `unknown`: the service itself was away, so nothing follows from it. */
export const HEARTBEAT_RUN_STATUSES = ['in_progress', 'ok', 'error', 'missed', 'timeout', 'unknown'] as const;
export type HeartbeatRunStatus = (typeof HEARTBEAT_RUN_STATUSES)[number];
