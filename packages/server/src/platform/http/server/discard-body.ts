import type { IncomingMessage } from 'node:http';
import { type LoopScheduler, WORK_PER_BYTE_RECEIVED } from '../limits/loop-scheduler.ts';

/** Returns true if the client may still be sending a body that was not read. */
export function hasUnreadBody(request: IncomingMessage): boolean {
  if (request.complete) return false;
  const declared = request.headers['content-length'];
  return request.headers['transfer-encoding'] !== undefined || (declared !== undefined && declared !== '0');
}

/**
 * Continues to read after an early answer, so that a client that is still sending receives it and the connection stays
 * in step; past the limit the connection is cut. The reading shares the loop with all other work, because refused
 * clients can send far more than is accepted. If the connection will be closed after the answer, only our half is
 * closed at first: a full close would reset the client while it sends, and the answer would be lost.
 */
export function discardBody(
  request: IncomingMessage,
  { bytesMax, loop, sender }: { bytesMax: number; loop: LoopScheduler; sender: string },
): void {
  const { socket } = request;
  let bytesLeft = bytesMax;
  request.on('data', (chunk: Buffer) => {
    bytesLeft -= chunk.length;
    if (bytesLeft < 0) {
      socket.destroy();
      return;
    }
    const turn = loop.next(sender, chunk.length * WORK_PER_BYTE_RECEIVED, 'large');
    if (turn === null) return;
    request.pause();
    void turn.then(() => request.resume());
  });
  request.resume();

  socket.destroySoon = () => {
    socket.end();
    request.once('end', () => socket.destroySoon());
    setTimeout(() => socket.destroy(), LINGER_TIMEOUT_MS).unref();
  };
  // From the end of the body on, closing is what it always was.
  request.once('end', () => Reflect.deleteProperty(socket, 'destroySoon'));
}

/** The time for which a refused client can continue to send. */
const LINGER_TIMEOUT_MS = 2000;
