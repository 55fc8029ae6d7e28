/** The limits of heartbeats, in a separate file because processes without schemas load it. */

/** The most heartbeats of a project. */
export const HEARTBEATS_MAX = 120;
/** The most of these that check-ins can create. The key of a DSN is public, so the rest is reserved for people. */
export const HEARTBEATS_OF_CHECK_INS_MAX = 100;
