/** The lane of work that removes what projects keep too long. It runs in the worker process's own thread. */
export const RETENTION_LANE = 'retention';
/** Removes the old data of a live project; the key is the project. */
export const CLEAN_PROJECT = 'retention.clean-project';
