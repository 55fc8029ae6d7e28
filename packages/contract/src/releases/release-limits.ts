/** Commits that a release can have, and those that its page shows. */
export const RELEASE_COMMITS_MAX = 500;
export const SHOWN_COMMITS_MAX = 50;
/** Days of the counts that a record has. */
export const RELEASE_TREND_DAYS = 14;
/** Days that one answer of activity has at most. */
export const RELEASE_ACTIVITY_DAYS_MAX = 400;
/** Releases that a project can have. */
export const RELEASES_MAX = 5000;
/** New releases that events of a project can name in a day, and those of them that browsers can. */
export const NEW_RELEASES_PER_DAY_MAX = 100;
export const NEW_BROWSER_RELEASES_PER_DAY_MAX = 30;
