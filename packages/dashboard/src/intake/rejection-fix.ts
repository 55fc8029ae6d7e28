/**
 * Returns the remedy for a reason for which events are rejected (docs/contract/ingestion.md 3.6); pass null for several
 * reasons.
 */
export function rejectionFix(reason: string | null): string {
  return (
    FIXES.find(([of]) => reason !== null && of.test(reason))?.[1] ?? 'Update the library that sends them.'
  );
}

const FIXES: readonly (readonly [of: RegExp, fix: string])[] = [
  [/^rate_limited$/, 'Send fewer events, or spread the load over several tokens.'],
  [/^Invalid event_type/, 'Use an event type from the API reference, such as backend_exception.'],
  [/: missing field /, 'Add the field.'],
  [/: unknown field /, 'Remove the field, or move it into context.'],
  [/: conflicting fields /, 'Send one of the two fields.'],
  [/: invalid field /, 'Correct the value of the field. See the API reference for its format.'],
  [/: (?:nested|more than) /, 'Send less data with each event.'],
];
