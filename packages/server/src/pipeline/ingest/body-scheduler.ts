import type { Sliced } from '@culprit/evidence/events/envelope/sliced';
import { type Claim, createBudget, tenantShare } from '../../platform/http/limits/budget.ts';
import {
  type LoopScheduler,
  WORK_PER_BYTE_RECEIVED,
  type WorkSize,
} from '../../platform/http/limits/loop-scheduler.ts';

/**
 * Divides the event loop and the memory among the bodies that are received, judged and decided
 * (docs/contract/reliability.md A6). Each sender has one large body under way at a time, from its first byte on; the
 * others stay unread in their connections. If a body falls silent, the next one continues.
 */
export interface BodyScheduler {
  open(options: BodyOptions): ScheduledBody;
  /** Those that wait are refused, and so are those that would have to. For the end of the process. */
  refuseWaiting(): void;
}

export interface BodyOptions {
  /** The sender whose share of the event loop it uses. */
  sender: string;
  /** The queue of bodies with which it takes turns. */
  line: string;
  /** Counts what it keeps. */
  claim: Pick<Claim, 'takeBytes' | 'waitForBytes'>;
  /** Returns true if the client has closed its connection. */
  isGone: () => boolean;
}

/** One body. What says false means that there is no capacity for it: 503. */
export interface ScheduledBody {
  /** Before its first byte is read. @param declaredBytes null when the request does not say it */
  begin(declaredBytes: number | null): Promise<boolean>;
  /** Takes bytes that have come; the next ones are read when it says true. */
  takeBytes(sizeBytes: number): boolean | Promise<boolean>;
  /** Asks for memory for what the body becomes while it is judged. A large one waits for it before its next slice. */
  reserveBytes(sizeBytes: number): boolean;
  /** Judges it when it has arrived completely, and lets the next one continue; null when there is no capacity. */
  judge<Result>(work: Sliced<Result>): Promise<Result | null>;
  /** Called when its request is answered. */
  close(): void;
}

/** From this size on a body waits for the sender's earlier ones. */
export const LARGE_BODY_BYTES = 64 * 1024;
/**
 * If nothing of a body arrives for this time, the next one continues, and the body is outside the queue for a while.
 */
export const SILENCE_MS = 30;
/** Large bodies that wait, of which one sender has its share; what is beyond is refused. */
const WAITING_MAX = 256;
/** The time for which one waits for the others, or for memory. */
const WAIT_MS = 20_000;

export function createBodyScheduler(loop: LoopScheduler): BodyScheduler {
  const lines = createLines();

  return {
    open({ sender, line, claim, isGone }) {
      const entry = lines.open(line);
      let receivedBytes = 0;
      /** Bytes that may come outside the line. */
      let freeBytes = LARGE_BODY_BYTES;
      let owedBytes = 0;
      let silence: NodeJS.Timeout | undefined;
      let removeRequest = () => {};

      function awaitNext(): true {
        silence = setTimeout(() => {
          entry.leave();
          freeBytes = LARGE_BODY_BYTES;
        }, SILENCE_MS);
        return true;
      }

      function takeInLine(sizeBytes: number): boolean | Promise<boolean> {
        if (!entry.isInside()) return takeLater(sizeBytes);
        const taken = claim.waitForBytes(sizeBytes, WAIT_MS);
        if (taken !== true) return takeLater(sizeBytes, taken);
        const turn = loop.next(sender, sizeBytes * WORK_PER_BYTE_RECEIVED, 'large');
        return turn === null ? awaitNext() : turn.then(awaitNext);
      }

      async function takeLater(sizeBytes: number, taken?: Promise<boolean>): Promise<boolean> {
        if (!(await entry.enter())) return false;
        if (!(await (taken ?? claim.waitForBytes(sizeBytes, WAIT_MS)))) return false;
        await loop.next(sender, sizeBytes * WORK_PER_BYTE_RECEIVED, 'large');
        return awaitNext();
      }

      /** The client of a body that had to wait too long has disconnected and will retry. */
      function isGivenUp(): boolean {
        return entry.hasWaited() && isGone();
      }

      function mayGoOn(): boolean | Promise<boolean> {
        if (isGivenUp()) return false;
        if (owedBytes === 0) return true;
        const sizeBytes = owedBytes;
        owedBytes = 0;
        return claim.waitForBytes(sizeBytes, WAIT_MS);
      }

      return {
        async begin(declaredBytes) {
          if (declaredBytes === null || declaredBytes <= LARGE_BODY_BYTES) return true;
          freeBytes = 0;
          return (await entry.enter()) && awaitNext();
        },
        takeBytes(sizeBytes) {
          clearTimeout(silence);
          receivedBytes += sizeBytes;
          if (entry.isInside() || sizeBytes > freeBytes) return takeInLine(sizeBytes);
          freeBytes -= sizeBytes;
          return claim.takeBytes(sizeBytes);
        },
        reserveBytes(sizeBytes) {
          if (receivedBytes <= LARGE_BODY_BYTES) return claim.takeBytes(sizeBytes);
          owedBytes += sizeBytes;
          return true;
        },
        async judge(work) {
          clearTimeout(silence);
          if (receivedBytes <= LARGE_BODY_BYTES) return await loop.run(sender, 'small', work);
          if (!(await entry.enter())) return null;
          removeRequest = loop.addLargeRequest();
          const result = await loop.run(sender, 'large', work, mayGoOn);
          entry.leave();
          return result;
        },
        close() {
          clearTimeout(silence);
          entry.leave();
          removeRequest();
        },
      };
    },
    refuseWaiting: lines.close,
  };
}

/** Returns the size of the work for a body. */
export function workSizeOf(sizeBytes: number): WorkSize {
  return sizeBytes > LARGE_BODY_BYTES ? 'large' : 'small';
}

/** The way of one body into the line of its sender, and out of it. */
interface Entry {
  isInside(): boolean;
  hasWaited(): boolean;
  /** Waits until it is the only one inside; false after a while, and when too many wait. */
  enter(): Promise<boolean>;
  /** Also ends a wait. */
  leave(): void;
}

interface Waiting {
  arrival: number;
  settle: (isInside: boolean) => void;
}

/** Lets one in for each line. The others wait in the order of their arrival, also those that were inside before. */
function createLines(): { open(line: string): Entry; close(): void } {
  /** The waiting bodies by queue, while one of the queue is inside. */
  const queues = new Map<string, Waiting[]>();
  const waits = createBudget({ requestsMax: WAITING_MAX, bytesMax: 0 }, tenantShare);
  let arrivals = 0;
  let isClosed = false;

  return {
    close() {
      isClosed = true;
      for (const queue of queues.values()) {
        for (const waiting of queue.splice(0)) waiting.settle(false);
      }
    },
    open(line) {
      arrivals += 1;
      const arrival = arrivals;
      let isInside = false;
      let hasWaited = false;
      let waiting: Waiting | null = null;

      function wait(queue: Waiting[]): Promise<boolean> {
        const claim = waits.open(line);
        hasWaited = true;
        if (isClosed || !claim.enter()) {
          claim.close();
          return Promise.resolve(false);
        }
        return new Promise((resolve) => {
          const own: Waiting = {
            arrival,
            settle(result) {
              clearTimeout(timer);
              claim.close();
              waiting = null;
              isInside = result;
              resolve(result);
            },
          };
          const timer = setTimeout(stopWaiting, WAIT_MS);
          waiting = own;
          const later = queue.findIndex((other) => other.arrival > arrival);
          queue.splice(later === -1 ? queue.length : later, 0, own);
        });
      }

      function stopWaiting(): void {
        const queue = queues.get(line);
        if (waiting === null || queue === undefined) return;
        queue.splice(queue.indexOf(waiting), 1);
        waiting.settle(false);
      }

      return {
        isInside: () => isInside,
        hasWaited: () => hasWaited,
        async enter() {
          if (isInside) return true;
          const queue = queues.get(line);
          if (queue !== undefined) return await wait(queue);
          queues.set(line, []);
          isInside = true;
          return true;
        },
        leave() {
          stopWaiting();
          if (!isInside) return;
          isInside = false;
          const next = queues.get(line)?.shift();
          if (next === undefined) queues.delete(line);
          else next.settle(true);
        },
      };
    },
  };
}
