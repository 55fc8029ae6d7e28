import type { ProbeDirective } from '@culprit/contract/events/events';
import { prefixedId } from '../platform/ids.ts';

/**
 * An active probe as the SQL function `active_probes` gives it: times in UTC with whole seconds, the id a bare UUID.
 */
export type ActiveProbe = Readonly<ProbeDirective>;

/** The origin that an event or a query names; null for each part that it does not name. */
export interface ProbeScope {
  service: string | null;
  environment: string | null;
}

/** Returns true if a probe applies to a scope: each part is `*`, or the value, or was not named. */
export function isProbeInScope(probe: ActiveProbe, scope: ProbeScope): boolean {
  return meets(probe.service, scope.service) && meets(probe.environment, scope.environment);
}

function meets(wanted: string, given: string | null): boolean {
  return wanted === '*' || given === null || wanted === given;
}

/**
 * The id of an activation as a caller reads it: published libraries need the bare UUID (docs/contract/ingestion.md
 * 6.5).
 */
export function renderActivationId(uuid: string, isBare: boolean): string {
  return isBare ? uuid : prefixedId('act', uuid);
}
