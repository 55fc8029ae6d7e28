import { setTimeout as delay, setImmediate } from 'node:timers/promises';
import { CANDIDATE, ENDPOINT, processorMicros, startCandidate } from './candidate.mjs';

// Captures as many failures as a broken loop produces: half of them alike, half with a different number in the message.

const TOTAL = Number(process.argv[4]);
const BATCH = 1_000;
const SETTLE_MS = 1_000;
const SEND_MAX_MS = 60_000;

const library = await startCandidate(CANDIDATE, ENDPOINT);
const capture = library?.captureException ?? (() => {});
const failure = (number) =>
  number % 2 === 0 ? new Error('the same again') : new TypeError(`order ${number} was refused`);

const heapMb = () => {
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 1_048_576;
};
const residentMb = () => process.memoryUsage.rss() / 1_048_576;

// The first batch to ingestion loads what sending needs.
capture(new SyntaxError('the first of all'));
await delay(SETTLE_MS);
const idleHeapMb = heapMb();
const idleResidentMb = residentMb();
let peakHeapMb = 0;
let peakResidentMb = 0;
let collectionsMicros = 0;

const before = process.cpuUsage();
for (let number = 0; number < TOTAL; number += 1) {
  capture(failure(number));
  if (number % BATCH !== BATCH - 1) continue;
  peakResidentMb = Math.max(peakResidentMb, residentMb());
  if (number % (BATCH * 50) === BATCH * 50 - 1) {
    const collecting = process.cpuUsage();
    peakHeapMb = Math.max(peakHeapMb, heapMb());
    collectionsMicros += processorMicros(collecting);
  }
  await setImmediate();
}
const seconds = (processorMicros(before) - collectionsMicros) / 1_000_000;
const diagnostics = library?.getDiagnostics() ?? null;
await library?.close(SEND_MAX_MS);
const figures = {
  seconds,
  heapMb: peakHeapMb - idleHeapMb,
  residentMb: peakResidentMb - idleResidentMb,
  captured: TOTAL + 1,
  diagnostics,
};
process.send(figures, () => process.exit());
