/** The parts of the metrics library that are used, as they are imported. */

/** Counting without the gateway client of the package, which is most of it. */
export const COUNTING = ['cluster', 'counter', 'gauge', 'histogram', 'registry'].map(
  (part) => `prom-client/lib/${part}.js`,
);

/** Not `processCpuTotal`, which brings a library for tracing, nor `eventLoopLag`, which wakes the process all the time. */
export const PROCESS_METRICS = [
  'gc',
  'heapSizeAndUsed',
  'heapSpacesSizeAndUsed',
  'osMemoryHeap',
  'processHandles',
  'processMaxFileDescriptors',
  'processOpenFileDescriptors',
  'processRequests',
  'processResources',
  'processStartTime',
  'version',
].map((part) => `prom-client/lib/metrics/${part}.js`);
