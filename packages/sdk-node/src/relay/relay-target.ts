/** Where a relay sends to: the client of `init`, or what the relay's own options say. */
export type { RelayTarget } from '../client/implementation.ts';
