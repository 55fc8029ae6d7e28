import { hash } from 'node:crypto';

/** An id that is the same whenever the same parts are sent again, so that repeats count once. */
export function derivedId(prefix: string, ...parts: readonly string[]): string {
  return `${prefix}_${hash('sha256', parts.join('\0'), 'hex').slice(0, 32)}`;
}
