import type { JsonObject } from '../events/envelope/json.ts';

/** An event that was mapped from the data of a foreign client (docs/contract/foreign-protocols.md 11.1). */
export interface ForeignEvent {
  /** The event in the form that `POST /v1/events` accepts; `checkEvent` accepts it. */
  event: JsonObject;
  /** It opens no incident, whatever the policy would make of it: another event of the same failure does. */
  isContext: boolean;
}
