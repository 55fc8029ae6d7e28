import { FAILURE_ROWS, type FailureTraits } from './failure-rows.ts';
import { BUSY_SERVICES, type BusyServiceName } from './services.ts';

/** The failures of the busy project. Each becomes one incident. */
export interface Failure extends FailureTraits {
  service: BusyServiceName;
  type: string;
  /** `{n}` is another number in every event. */
  message: string;
  function: string;
  file: string;
  events: number;
  /** The times of the first and the last event, in hours before now. */
  from: number;
  to: number;
}

export const FAILURES: readonly Failure[] = BUSY_SERVICES.flatMap(({ name: service }) =>
  FAILURE_ROWS[service].map(([type, message, place, events, from, to, more]) => {
    const at = place.lastIndexOf(' ');
    const [name, file] = at < 0 ? [place, ''] : [place.slice(0, at), place.slice(at + 1)];
    return { service, type, message, function: name, file, events, from, to, ...more };
  }),
);
