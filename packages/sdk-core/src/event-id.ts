import type { Host } from './sending/host.ts';

/** Bytes as lower-case hex digits, two for each. */
export function hexText(bytes: Iterable<number>): string {
  let text = '';
  for (const byte of bytes) text += (byte + 256).toString(16).slice(1);
  return text;
}

/** A double has this many bits for the time and the count within a millisecond until the year 3084. */
const STEPS_A_MS = 256;

/**
 * Makes UUIDs of version 7 that ascend within a process, also within one millisecond and when the clock is set back:
 * 48 bits of time, a counter of 8 bits, and random bits.
 */
export function createEventIds(host: Pick<Host, 'now' | 'random'>): () => string {
  let last = 0;
  return () => {
    last = Math.max(Math.floor(host.now()) * STEPS_A_MS, last + 1);
    const bytes = host.random(9);
    const random = '89ab'.charAt((bytes[0] ?? 0) >> 6) + hexText(bytes).slice(2);
    return last
      .toString(16)
      .padStart(14, '0')
      .concat(random)
      .replace(/^(.{8})(.{4})(..)(.)(...)(.)/, '$1-$2-7$3$6-$4$5-');
  };
}
