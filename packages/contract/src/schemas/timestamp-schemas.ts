import Type from 'typebox';

/** A point in time in an answer: UTC, milliseconds, `Z` (docs/contract/incidents.md 0). */
export const Timestamp = Type.String({
  format: 'date-time',
  description: 'UTC with milliseconds, for example 2026-03-24T10:30:00.000Z',
});

/**
 * A point in time of a remote probe: UTC, whole seconds, `Z`. Older libraries read no fractions
 * (docs/contract/ingestion.md 3.9).
 */
export const SecondTimestamp = Type.String({
  format: 'date-time',
  description: 'UTC with whole seconds, for example 2026-03-24T10:30:00Z',
});

/** A point in time in a query or a body: ISO 8601 date-time with `Z` or an offset; a date alone is refused. */
export const RequestTimestamp = Type.String({
  format: 'date-time',
  maxLength: 64,
  description: 'ISO 8601 date-time with Z or an offset',
});
