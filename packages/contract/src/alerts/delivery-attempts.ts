/** Attempts that are kept of a webhook's delivery: the latest. */
export const DELIVERY_ATTEMPTS_MAX = 20;
