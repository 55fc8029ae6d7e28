/** Bytes and lines of the ownership of a project (docs/contract/team-workflow.md 2.3). */
export const OWNERSHIP_BYTES_MAX = 65_536;
export const OWNERSHIP_LINES_MAX = 1000;
export const PREVIEW_DAYS_MAX = 30;
/** Incidents that one application assigns. */
export const APPLIED_MAX = 1000;
