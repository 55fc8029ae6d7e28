import { CANDIDATE, ENDPOINT, processorMicros, startCandidate } from './candidate.mjs';

// Import and `init`: processor time, and resident memory after it.

globalThis.gc();
const bytesBefore = process.memoryUsage.rss();
const before = process.cpuUsage();
await startCandidate(CANDIDATE, ENDPOINT);
const startMs = processorMicros(before) / 1000;
globalThis.gc();
const memoryMb = (process.memoryUsage.rss() - bytesBefore) / 1_048_576;
process.send({ startMs, memoryMb }, () => process.exit());
