import type { BodyReader } from './foreign-intake.ts';

/** A body that is read when it has come to its end. It names no key. */
export function openWholeBody(): BodyReader & { bytes: () => Buffer } {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  return {
    add(chunk) {
      chunks.push(chunk);
      sizeBytes += chunk.length;
      return null;
    },
    get keptBytes() {
      return sizeBytes;
    },
    ownKey: undefined,
    bytes: () => Buffer.concat(chunks, sizeBytes),
  };
}
