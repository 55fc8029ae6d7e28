import type { DebugBundle } from '@culprit/contract/incidents/bundle';
import type { Incident } from '@culprit/contract/incidents/incidents';
import { createEvidenceRedaction } from './redact-shared-text.ts';

/**
 * Returns an incident and its bundle with every text cleaned of secrets and of addresses of people and machines. The
 * server stores more for the people of a project than an issue tracker, or an agent, should receive
 * (docs/contract/command-line.md 5.7). Links stay unchanged.
 */
export function sharedForm(incident: Incident, bundle: DebugBundle): [Incident, DebugBundle] {
  const { text } = createEvidenceRedaction();
  return [structuredMap(incident, text), { ...structuredMap(bundle, text), links: bundle.links }];
}

/** The same shape, with other texts in it. */
function structuredMap<Value>(value: Value, change: (text: string) => string): Value;
function structuredMap(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((each: unknown) => structuredMap(each, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]: [string, unknown]) => [change(key), structuredMap(each, change)]),
  );
}
