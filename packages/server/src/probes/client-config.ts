import type { CapturePolicy, CaptureRule } from '@culprit/contract/capture/capture';
import type { ClientConfig } from '@culprit/contract/events/sdk-config';
import { deliverableRules, type RuleReader } from '../capture/deliverable-rules.ts';
import { previewOf } from '../capture/rule-records.ts';
import { type ActiveProbe, isProbeInScope, type ProbeScope, renderActivationId } from './active-probe.ts';
import { isPlainPattern } from './label-pattern.ts';

/** The intervals at which clients poll (docs/contract/ingestion.md 7.1). */
const POLL_INTERVAL_MS = 60_000;
const POLL_INTERVAL_WITH_PROBE_MS = 15_000;

/** The scope that a caller requests, and the forms of ids and rules that it reads. */
export interface ConfigCaller extends ProbeScope {
  isPublishedLibrary: boolean;
  ruleReader: RuleReader;
}

/** The body of docs/contract/ingestion.md 7.1. Equal state gives equal bytes, because the `ETag` is made of them. */
export function clientConfig(
  project: {
    hasRemoteProbes: boolean;
    /** All of the project, oldest first. */
    activeProbes: readonly ActiveProbe[];
    policy: CapturePolicy;
    /** Those in force, in the order of their evaluation. */
    rules: readonly CaptureRule[];
    triggerTokenKey: string;
  },
  caller: ConfigCaller,
): ClientConfig {
  const { hasRemoteProbes } = project;
  const { capture_messages: _ofServers, ...clientPolicy } = project.policy;
  const activeProbes = hasRemoteProbes ? project.activeProbes : [];
  return {
    probes_enabled: true,
    remote_probes_enabled: hasRemoteProbes,
    active_probes: activeProbes
      .filter(
        (probe) =>
          isProbeInScope(probe, caller) &&
          (caller.ruleReader === 'own' || isPlainPattern(probe.label_pattern)),
      )
      .map((probe) => ({
        id: probe.activation_id,
        activation_id: renderActivationId(probe.activation_id, caller.isPublishedLibrary),
        label_pattern: probe.label_pattern,
        service: probe.service,
        environment: probe.environment,
        expires_at: probe.expires_at,
        trigger_expires_at: probe.trigger_expires_at,
      })),
    poll_interval_ms: pollIntervalMs(hasRemoteProbes, activeProbes.length > 0),
    capture_policy: clientPolicy,
    capture_rules: deliverableRules(project.rules, caller.ruleReader).map(withoutCounters),
    ...(hasRemoteProbes ? { trigger_token_key: project.triggerTokenKey } : {}),
  };
}

function pollIntervalMs(hasRemoteProbes: boolean, isProbeActive: boolean): number {
  if (!hasRemoteProbes) return 0;
  return isProbeActive ? POLL_INTERVAL_WITH_PROBE_MS : POLL_INTERVAL_MS;
}

/** Counters would change the `ETag` with every match, and who made a rule from what is not for browsers. */
function withoutCounters(rule: CaptureRule): CaptureRule {
  return { ...previewOf(rule), hit_count: 0, last_matched_at: null };
}
