import type { JsonObject } from '../events/envelope/json.ts';

/** What the data of a foreign client became (docs/contract/foreign-protocols.md 11.1). */
export interface ForeignEvent {
  /** As `POST /v1/events` takes it; `checkEvent` accepts it. */
  event: JsonObject;
  /** It opens no incident, whatever the policy would make of it: another event of the same failure does. */
  isContext: boolean;
}
