import type { Host } from './host.ts';

/** Bytes as lower-case hex digits, two for each. */
export function hexText(bytes: Iterable<number>): string {
  let text = '';
  for (const byte of bytes) text += (byte + 256).toString(16).slice(1);
  return text;
}

/**
 * Makes UUIDs of version 7 that ascend within a process, also within one millisecond and when the clock is set back:
 * 48 bits of time, a counter of 12 bits, and random bits.
 */
export function createEventIds(host: Pick<Host, 'now' | 'random'>): () => string {
  let lastMs = 0;
  let count = 0;
  let time = '';
  return () => {
    const nowMs = Math.floor(host.now());
    count += 1;
    if (nowMs > lastMs || count > 4095) {
      lastMs = Math.max(nowMs, lastMs + 1);
      count = 0;
      time = lastMs.toString(16).padStart(12, '0').replace(/.{4}$/, '-$&-');
    }
    const bytes = host.random(8);
    const random = '89ab'.charAt((bytes[0] ?? 0) >> 6) + hexText(bytes).slice(1);
    return `${time + (count + 0x7000).toString(16)}-${random.slice(0, 4)}-${random.slice(4)}`;
  };
}
