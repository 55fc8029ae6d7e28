import Counter from 'prom-client/lib/counter.js';
import Gauge from 'prom-client/lib/gauge.js';
import Histogram from 'prom-client/lib/histogram.js';
import Registry from 'prom-client/lib/registry.js';
import { metrics } from './metrics.ts';

/** The name of a metric, and the names of its labels. */
interface Described<Label extends string> {
  name: `culprit_${string}`;
  help: string;
  labelNames?: readonly Label[];
}

/** A number that only grows; its name ends in `_total`. */
export function counter<Label extends string = never>(described: Described<Label>): Counter<Label> {
  return new Counter({ ...described, registers: [metrics] });
}

/** Creates a histogram of durations in seconds. @param described.buckets upper bounds */
export function histogram<Label extends string = never>(
  described: Described<Label> & { buckets: number[] },
): Histogram<Label> {
  return new Histogram({ ...described, registers: [metrics] });
}

/** Creates a number that goes up and down. @param described.collect sets it at each read */
export function gauge<Label extends string = never>(
  described: Described<Label> & { collect?: (this: Gauge<Label>) => void },
  registry: Registry = metrics,
): Gauge<Label> {
  return new Gauge({ ...described, registers: [registry] });
}

/** A place for gauges that are not of this thread, such as those of the database. */
export function createRegistry(): Registry {
  return new Registry();
}
