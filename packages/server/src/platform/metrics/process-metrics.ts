import collectDefaultMetrics from 'prom-client/lib/defaultMetrics.js';
import { metrics } from './metrics.ts';

/** The loop is sampled by a timer, whose interval an idle loop shows as its delay; a finer one costs more. */
const LOOP_DELAY_SAMPLE_MS = 20;

/** Memory, processor time, event loop delay and garbage collection of this process. Once for each process. */
export function startProcessMetrics(): void {
  collectDefaultMetrics({ register: metrics, eventLoopMonitoringPrecision: LOOP_DELAY_SAMPLE_MS });
}
