/** The limits of a query of incidents (docs/contract/team-workflow.md 1.1), apart from its reader, which weighs more. */

/** Units of text that a query holds at most. */
export const QUERY_CHARS_MAX = 500;
export const QUERY_TERMS_MAX = 20;
export const QUERY_VALUES_MAX = 10;
/** The most characters in the query of an alert rule. */
export const ALERT_QUERY_CHARS_MAX = 300;
/** Digits of a fingerprint from which a search looks for it. */
export const FINGERPRINT_PREFIX_MIN = 8;
