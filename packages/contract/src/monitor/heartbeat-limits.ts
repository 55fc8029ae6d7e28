/** How many heartbeats there may be; on its own, because processes without schemas load it. */

/** Of a project. */
export const HEARTBEATS_MAX = 120;
/** Of them, those that check-ins made: the key of a DSN is public, so people have room that it cannot use up. */
export const HEARTBEATS_OF_CHECK_INS_MAX = 100;
