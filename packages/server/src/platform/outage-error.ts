/**
 * Something that the service needs, and that is not part of it, cannot be had right now: a state of the machine or the
 * network, not a fault of the code that asked. The log shows it in one line, without the stack of who asked.
 */
export abstract class OutageError extends Error {}
