import { LIFECYCLE_KINDS, type LifecycleKind } from '@culprit/contract/incidents/lifecycle-kinds';

/** The notification channel of the ledger; the payload is a `LedgerChange` as JSON. */
export const LEDGER_CHANNEL = 'culprit_ledger';

/** More changed incidents are not named one by one. */
export const INCIDENTS_NAMED_MAX = 100;

/** The change that one transaction wrote about a project. Ids are bare UUIDs. */
export interface LedgerChange {
  projectId: string;
  kinds: readonly LifecycleKind[];
  /** Null: too many to name. */
  incidentIds: readonly string[] | null;
  /** True if events of the project were rejected, which is no entry of the ledger. */
  hasRejections: boolean;
}

/** Reads a payload of the channel; null for one of another release that this one does not understand. */
export function parseLedgerChange(payload: string): LedgerChange | null {
  const value = parseJson(payload);
  if (typeof value !== 'object' || value === null) return null;
  if (!('project_id' in value) || typeof value.project_id !== 'string') return null;
  const named = 'kinds' in value && Array.isArray(value.kinds) ? value.kinds : [];
  const incidentIds =
    'incident_ids' in value && Array.isArray(value.incident_ids)
      ? value.incident_ids.filter((id) => typeof id === 'string')
      : null;
  return {
    projectId: value.project_id,
    kinds: LIFECYCLE_KINDS.filter((kind) => named.includes(kind)),
    incidentIds,
    hasRejections: 'has_rejections' in value && value.has_rejections === true,
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
