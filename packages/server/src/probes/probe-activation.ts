import type { ProbeActivation } from '@culprit/contract/capture/probes';
import { formatSecondTimestamp } from '@culprit/contract/schemas/timestamps';
import { renderActivationId } from './active-probe.ts';
import type { ActivationRow } from './probes.queries.ts';

/** The limit of active probes of a project at the same time (docs/contract/ingestion.md 6.1). */
export const ACTIVE_PROBES_MAX = 5;

/** The record of docs/contract/ingestion.md 6.1. */
export function probeActivationOf(row: ActivationRow): ProbeActivation {
  return {
    activation_id: renderActivationId(row.activation_id, false),
    label_pattern: row.label_pattern,
    service: row.service,
    environment: row.environment,
    expires_at: formatSecondTimestamp(row.expires_at),
    trigger_expires_at: formatSecondTimestamp(row.trigger_expires_at),
    created_at: formatSecondTimestamp(row.created_at),
    activated_by: row.activated_by,
  };
}
