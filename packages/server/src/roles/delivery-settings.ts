import type { Config } from '../platform/config.ts';

/** How deliveries are repeated (notifications.md 3.11). */
export interface DeliverySettings {
  /** Waits after the failed attempts, in milliseconds. */
  scheduleMs: readonly number[];
  /** Least span of failed attempts in a row after which a webhook is disabled. */
  disableAfterMs: number;
}

/** The same from the settings. */
export function deliverySettings(config: Config): DeliverySettings {
  return { scheduleMs: config.deliveryScheduleMs, disableAfterMs: config.webhookDisableAfterMs };
}
