import { createTraceHeaders, isPropagationTarget, newTraceId } from '../../../sdk-core/src/correlation.ts';
import type { Runtime } from '../client/runtime.ts';
import { readActiveSpan } from './open-telemetry.ts';
import type { Unit } from './scopes.ts';

/**
 * The headers that continue the trace of a unit at an address; none where it is no target. A unit without a trace id
 * gets one when it first propagates (docs/contract/clients.md 6.2).
 */
export function traceHeadersFor(runtime: Runtime, unit: Unit, address: string): Record<string, string> {
  const { propagationTargets, traceHeaders } = runtime.options;
  if (propagationTargets.length === 0 || !isPropagationTarget(address, propagationTargets)) return {};
  const { random } = runtime.host;
  const known = unit.traceId ?? readActiveSpan()?.traceId;
  if (known !== undefined) return createTraceHeaders(traceHeaders, known, random);
  const made = newTraceId(random);
  // Work outside of any request or job is no single trace.
  if (unit.kind !== 'process') unit.traceId = made;
  return createTraceHeaders(traceHeaders, made, random);
}
