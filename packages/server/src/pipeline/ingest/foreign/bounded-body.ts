import type { ForeignRequest } from './foreign-intake.ts';
import { type ForeignRefusal, refusal, UNAVAILABLE_NOW } from './foreign-refusal.ts';

/** The body of a request that is no batch of events, within a bound. */
export async function readBoundedBody(
  request: ForeignRequest,
  options: { sender: string; bytesMax: number; tooLong: string },
): Promise<Buffer | ForeignRefusal> {
  const { sender, bytesMax, tooLong } = options;
  const claim = request.openClaim(sender);
  const chunks: Buffer[] = [];
  try {
    if (!claim.enter()) return UNAVAILABLE_NOW;
    const read = await request.readBody(claim, {
      wireBytesMax: bytesMax,
      bytesMax: () => bytesMax,
      sink: {
        add(chunk) {
          chunks.push(chunk);
          return null;
        },
      },
    });
    if (read.ok) return Buffer.concat(chunks);
    if (read.problem === 'service_unavailable') return UNAVAILABLE_NOW;
    return refusal(read.problem, tooLong);
  } finally {
    claim.close();
  }
}
