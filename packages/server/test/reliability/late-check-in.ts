import { setTimeout as delay } from 'node:timers/promises';
import * as sound from '../../src/monitor/heartbeats/record-check-in.ts';
import { newUuid } from '../../src/platform/ids.ts';

/** Takes the place of what records check-ins. */

const STORED_LATE_MS = 500;

export const recordCheckIn: typeof sound.recordCheckIn = async (options, heartbeat, checkIn) => {
  const checkInId = checkIn.checkInId ?? newUuid();
  void delay(STORED_LATE_MS)
    .then(() => sound.recordCheckIn(options, heartbeat, { ...checkIn, checkInId }))
    .catch(() => {});
  return { checkInId };
};
