import type { ServerResponse } from 'node:http';

/** Answers that clients have still to fetch. */
export interface PendingAnswers {
  /** Counts an answer in that is about to be sent, with the memory it keeps until it is fetched. */
  add(response: ServerResponse, sizeBytes: number): void;
  /** For answers that were fetched or broken off, and without effect for others. */
  remove(response: ServerResponse): void;
  readonly bytes: number;
}

/**
 * Bounds the memory of answers. A client decides how fast it reads, so beyond the limit the oldest answers are cut off:
 * a slow reader loses its own answer, and no other client loses a request.
 */
export function createPendingAnswers(bytesMax: number): PendingAnswers {
  const sizes = new Map<ServerResponse, number>();
  let bytes = 0;

  function remove(response: ServerResponse): void {
    bytes -= sizes.get(response) ?? 0;
    sizes.delete(response);
  }

  return {
    add(response, sizeBytes) {
      remove(response);
      // An answer that keeps nothing, such as a stream, releases nothing either when it is cut off.
      if (sizeBytes === 0) return;
      sizes.set(response, sizeBytes);
      bytes += sizeBytes;
      if (bytes <= bytesMax) return;
      for (const oldest of sizes.keys()) {
        if (bytes <= bytesMax || oldest === response) break;
        remove(oldest);
        oldest.destroy();
      }
    },
    remove,
    get bytes() {
      return bytes;
    },
  };
}
