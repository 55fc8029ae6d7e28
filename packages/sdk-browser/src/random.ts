import { attempt } from '../../sdk-core/src/attempt.ts';

/** Random bytes: those of the browser, mixed with those of the language, which hardened browsers leave alone. */
export function randomBytes(count: number): Uint8Array {
  const bytes = new Uint8Array(count);
  attempt(() => crypto.getRandomValues(bytes));
  return bytes.map((byte) => byte ^ (Math.random() * 256));
}
