/**
 * The parts of the package that we use, which has types for the whole only. The whole holds a client for a gateway, and
 * with it an HTTP client of 7 MB in each process and each thread that counts something.
 */
declare module 'prom-client/lib/counter.js' {
  import { Counter } from 'prom-client';
  export default Counter;
}
declare module 'prom-client/lib/gauge.js' {
  import { Gauge } from 'prom-client';
  export default Gauge;
}
declare module 'prom-client/lib/histogram.js' {
  import { Histogram } from 'prom-client';
  export default Histogram;
}
declare module 'prom-client/lib/registry.js' {
  import { Registry } from 'prom-client';
  export default Registry;
}
declare module 'prom-client/lib/cluster.js' {
  import { AggregatorRegistry } from 'prom-client';
  export default AggregatorRegistry;
}
declare module 'prom-client/lib/metrics/*' {
  import type { Registry } from 'prom-client';
  export default function collect(registry: Registry): void;
}
