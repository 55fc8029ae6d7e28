/** The lane of work that empties storage and can wait. It runs in the worker process's own thread. */
export const CLEANUP_LANE = 'cleanup';
/** Removes everything a deleted project left; the key is the project. */
export const PURGE_PROJECT = 'projects.purge-project';

/**
 * The wait after the deletion until the storage is emptied: more than a request and an object's write may take
 * together, so that what was under way at the deletion has ended. The contract grants 24 hours.
 */
export const PURGE_WAIT_SECONDS = 120;
