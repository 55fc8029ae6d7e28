import type { IncomingMessage } from 'node:http';
import { type LoopScheduler, WORK_PER_BYTE_RECEIVED } from './loop-scheduler.ts';

/** Whether the client may still be sending what nobody has read. */
export function hasUnreadBody(request: IncomingMessage): boolean {
  if (request.complete) return false;
  const declared = request.headers['content-length'];
  return request.headers['transfer-encoding'] !== undefined || (declared !== undefined && declared !== '0');
}

/**
 * Reads on after an early answer, so that a client that is still sending gets to read it and the connection stays in
 * step; past the limit the connection is cut. It takes turns with all other work, as what refused clients send may be
 * far more than what is accepted. Where the connection is to be closed after the answer, only our half is
 * closed at first: a full close would reset the client while it sends, and take the answer with it.
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

/** How long a client that is refused may go on sending. */
const LINGER_TIMEOUT_MS = 2000;
