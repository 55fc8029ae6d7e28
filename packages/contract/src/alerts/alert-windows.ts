/**
 * Minutes in which an alert rule counts events (docs/contract/notifications.md 1.22): each up to here, then some whole
 * hours. Apart from the schemas, which a worker does not load.
 */
export const THRESHOLD_MINUTES_MAX = 120;
export const THRESHOLD_HOURS: readonly number[] = [3, 6, 12, 24];
