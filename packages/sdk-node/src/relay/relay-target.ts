/** The target of a relay: the client of `init`, or the relay's own options. */
export type { RelayTarget } from '../client/implementation.ts';
