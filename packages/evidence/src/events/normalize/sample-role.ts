/** Why an occurrence is kept in full (docs/contract/incidents.md 3.3). */
export type SampleRole = 'first' | 'latest' | 'after_deploy' | 'highest_severity' | 'richest';
