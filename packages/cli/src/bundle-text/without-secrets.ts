import { createEvidenceRedaction } from '@culprit/mcp/text/redact-evidence';

/**
 * A record with every text cleaned of secrets and of addresses of people and machines. What the server keeps for the
 * people of a project is more than an issue tracker, or an agent, should get (docs/contract/command-line.md 5.7).
 */
export function withoutSecrets<Value>(value: Value): Value {
  const redaction = createEvidenceRedaction();
  return structuredMap(value, (text) => redaction.text(text));
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
