import Counter from 'prom-client/lib/counter.js';
import gc from 'prom-client/lib/metrics/gc.js';
import heapSizeAndUsed from 'prom-client/lib/metrics/heapSizeAndUsed.js';
import heapSpacesSizeAndUsed from 'prom-client/lib/metrics/heapSpacesSizeAndUsed.js';
import osMemoryHeap from 'prom-client/lib/metrics/osMemoryHeap.js';
import processHandles from 'prom-client/lib/metrics/processHandles.js';
import processMaxFileDescriptors from 'prom-client/lib/metrics/processMaxFileDescriptors.js';
import processOpenFileDescriptors from 'prom-client/lib/metrics/processOpenFileDescriptors.js';
import processRequests from 'prom-client/lib/metrics/processRequests.js';
import processResources from 'prom-client/lib/metrics/processResources.js';
import processStartTime from 'prom-client/lib/metrics/processStartTime.js';
import version from 'prom-client/lib/metrics/version.js';
import { startLoopDelayMetrics } from './loop-delay.ts';
import { metrics } from './metrics.ts';

/** All that the package collects by default, but the time of the processor and the delay of the loop. */
const COLLECTORS = [
  gc,
  heapSizeAndUsed,
  heapSpacesSizeAndUsed,
  osMemoryHeap,
  processHandles,
  processMaxFileDescriptors,
  processOpenFileDescriptors,
  processRequests,
  processResources,
  processStartTime,
  version,
];

/** Memory, processor time, event loop delay and garbage collection of this process. Once for each process. */
export function startProcessMetrics(): void {
  for (const collect of COLLECTORS) collect(metrics);
  startLoopDelayMetrics();
  countProcessorTime('process_cpu_user_seconds_total', 'user', ({ user }) => user);
  countProcessorTime('process_cpu_system_seconds_total', 'system', ({ system }) => system);
  countProcessorTime('process_cpu_seconds_total', 'user and system', ({ user, system }) => user + system);
}

/** Under the names that every Prometheus client uses. The package's own brings a library for tracing, 7 MB of it. */
function countProcessorTime(
  name: string,
  what: string,
  microsecondsOf: (usage: NodeJS.CpuUsage) => number,
): void {
  let counted = 0;
  new Counter({
    name,
    help: `Total ${what} CPU time spent in seconds.`,
    registers: [metrics],
    collect() {
      const microseconds = microsecondsOf(process.cpuUsage());
      this.inc((microseconds - counted) / 1_000_000);
      counted = microseconds;
    },
  });
}
