import { setFlagsFromString } from 'node:v8';
import { EventBatch } from './event-batch.ts';
import type { EventLine, Fault } from './event-lines.ts';
import type { ImportState } from './import-state.ts';
import { isDone, type RejectedFile, type Rejection } from './rejected-file.ts';
import { type BatchOutcome, type SendOptions, sendBatch } from './send-batch.ts';

const UNDER_WAY_MAX = 2;
/** Broken lines that wait for the batch they are counted with. */
const FAULTS_MAX = 200;

interface Import {
  lines: AsyncIterable<EventLine> | Iterable<EventLine>;
  state: ImportState;
  rejected: RejectedFile;
  send: SendOptions;
  /** Broken lines end the import instead of being rejected. */
  onFault: (line: Fault) => void;
  /** Called after each answer; writes the state and the progress. */
  onConfirmed: (state: ImportState) => void;
}

/** A batch that is under way, in the order of the file. */
interface Pending {
  first: number;
  last: number;
  endOffset: number;
  isDone: boolean;
}

/**
 * Sends everything in batches, two at a time. The confirmed part of the file grows with each answer, so whatever ends
 * the program, the next run continues after it.
 * @returns true if the end was reached
 */
export async function importEvents({
  lines,
  state,
  rejected,
  send,
  onFault,
  onConfirmed,
}: Import): Promise<boolean> {
  // Each line lives for a moment, so the space for new objects need not grow with how many there are.
  setFlagsFromString('--semi-space-growth-factor=1');
  const order: Pending[] = [];
  const underWay = new Set<Promise<void>>();
  let failure: unknown = null;
  const free: EventBatch[] = [];
  let batch = new EventBatch();
  let faults: Rejection[] = [];
  let last = { line: 0, endOffset: 0 };

  const settle = (pending: Pending, outcome: BatchOutcome) => {
    rejected.add(outcome.rejected);
    state.accepted += outcome.accepted;
    state.rejected += outcome.rejected.length;
    for (const { reason } of outcome.rejected) state.reasons[reason] = (state.reasons[reason] ?? 0) + 1;
    pending.isDone = true;
    for (let head = order[0]; head?.isDone === true; head = order[0]) {
      order.shift();
      state.offset = head.endOffset;
      state.line = head.last;
    }
    state.done = [...state.done, ...order.filter((each) => each.isDone).map(rangeOf)].filter(
      ([, to], index, all) => to > state.line && all.findIndex(([, other]) => other === to) === index,
    );
    onConfirmed(state);
  };

  const flush = async () => {
    const first = Math.min(batch.lines[0]?.line ?? Infinity, faults[0]?.line ?? Infinity);
    if (first === Infinity) return;
    const pending: Pending = { first, last: last.line, endOffset: last.endOffset, isDone: false };
    order.push(pending);
    const sent = batch;
    const broken = faults;
    batch = free.pop() ?? new EventBatch();
    faults = [];
    const work = sendBatch(sent.lines, send)
      .then((outcome) => {
        if (outcome !== null) settle(pending, { ...outcome, rejected: [...broken, ...outcome.rejected] });
      })
      .catch((error: unknown) => {
        failure ??= error;
      })
      .finally(() => {
        underWay.delete(work);
        sent.clear();
        free.push(sent);
      });
    underWay.add(work);
    if (underWay.size >= UNDER_WAY_MAX) await Promise.race(underWay);
  };

  for await (const line of lines) {
    if (failure !== null || send.signal.aborted) break;
    if (isDone(line.line, state)) continue;
    if ('fault' in line) {
      onFault(line);
      faults.push({ line: line.line, reason: line.fault, text: line.text });
      if (faults.length >= FAULTS_MAX) await flush();
    } else if (!batch.add(line.line, line.json)) {
      await flush();
      batch.add(line.line, line.json);
    }
    last = line;
  }
  const isWhole = failure === null && !send.signal.aborted;
  if (isWhole) await flush();
  await Promise.all(underWay);
  if (failure !== null) throw failure;
  return isWhole && !send.signal.aborted;
}

function rangeOf({ first, last }: Pending): [number, number] {
  return [first, last];
}
