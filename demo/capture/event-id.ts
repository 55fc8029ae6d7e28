import { randomUUID } from 'node:crypto';

let eventsMade = 0;

/** A new event id in UUID form. Ids of one process ascend, which keeps events of the same millisecond in order. */
export function newEventId(): string {
  eventsMade += 1;
  return eventsMade.toString(16).padStart(8, '0') + randomUUID().slice(8);
}
