import type { CaptureMatcher, CaptureRule } from '@culprit/contract/capture/capture';
import { formatTimestamp } from '@culprit/contract/schemas/timestamps';
import type { RuleSettings } from '@culprit/evidence/capture/capture-rule';
import type { ActiveRule } from '@culprit/evidence/capture/evaluate-rules';
import { prefixedId } from '../platform/ids.ts';

/** The row that `RULE_COLUMNS` selects; times in milliseconds since the epoch. */
export interface RuleRow {
  /** Bare UUIDs. */
  rule_id: string;
  project_id: string;
  name: string;
  description: string | null;
  is_enabled: boolean;
  action: CaptureRule['action'];
  matcher: CaptureMatcher;
  sample_rate: CaptureRule['sample_rate'];
  sample_event_class: CaptureRule['sample_event_class'];
  created_by_user_id: string | null;
  created_from_incident_id: string | null;
  created_from_event_id: string | null;
  suggestion_id: string | null;
  expires_at: number | null;
  hit_count: number;
  last_matched_at: number | null;
  created_at: number;
  updated_at: number;
}

export const RULE_COLUMNS = `rule_id, project_id, name, description, is_enabled, action, matcher, sample_rate,
  sample_event_class, created_by_user_id, created_from_incident_id, created_from_event_id, suggestion_id, expires_at,
  hit_count, last_matched_at, created_at, updated_at`;

/** The record of docs/contract/ingestion.md 5.1. */
export function captureRuleOf(row: RuleRow): CaptureRule {
  return {
    id: row.rule_id,
    project_id: prefixedId('proj', row.project_id),
    name: row.name,
    description: row.description,
    enabled: row.is_enabled,
    action: row.action,
    matcher: row.matcher,
    sample_rate: row.sample_rate,
    sample_event_class: row.sample_event_class,
    created_by_user_id: row.created_by_user_id,
    created_from_incident_id: row.created_from_incident_id,
    created_from_event_id: row.created_from_event_id,
    expires_at: timeOrNull(row.expires_at),
    hit_count: row.hit_count,
    last_matched_at: timeOrNull(row.last_matched_at),
    created_at: formatTimestamp(row.created_at),
    updated_at: formatTimestamp(row.updated_at),
  };
}

/** The record as a plain member sees it: what a rule does is team knowledge, who made it from what is not (5.4). */
export function previewOf(rule: CaptureRule): CaptureRule {
  return {
    ...rule,
    created_by_user_id: null,
    created_from_incident_id: null,
    created_from_event_id: null,
  };
}

export function settingsOf(row: RuleRow): RuleSettings {
  return {
    name: row.name,
    description: row.description,
    isEnabled: row.is_enabled,
    action: row.action,
    matcher: row.matcher,
    sampleRate: row.sample_rate,
    sampleEventClass: row.sample_event_class,
    expiresAtMs: row.expires_at,
  };
}

/** Returns a row in the form in which it is evaluated. */
export function activeRuleOf(
  row: Pick<
    RuleRow,
    'rule_id' | 'action' | 'matcher' | 'sample_rate' | 'sample_event_class' | 'expires_at' | 'updated_at'
  >,
): ActiveRule {
  return {
    ruleId: row.rule_id,
    action: row.action,
    matcher: row.matcher,
    sampleRate: row.sample_rate,
    sampleEventClass: row.sample_event_class,
    expiresAtMs: row.expires_at,
    updatedAtMs: row.updated_at,
  };
}

function timeOrNull(timeMs: number | null): string | null {
  return timeMs === null ? null : formatTimestamp(timeMs);
}
