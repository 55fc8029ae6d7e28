import type { PrometheusContentType } from 'prom-client';
import AggregatorRegistry from 'prom-client/lib/cluster.js';
import Registry from 'prom-client/lib/registry.js';

/**
 * The metrics of this thread. Each process and each worker thread has its own; they are merged when they are read.
 * Labels are words of the program, never ids or text of users.
 */
export const metrics = new Registry();

/** One metric with all its values, as it travels between threads and processes. */
export interface Metric {
  name: string;
  help: string;
  type: string;
  /** The way to merge the values of several threads. */
  aggregator: string;
  values: readonly MetricValue[];
}

interface MetricValue {
  value: number;
  labels: Readonly<Record<string, string | number>>;
  /** The name with `_bucket`, `_sum` or `_count`, for a histogram. */
  metricName?: string;
}

/** Returns the current values of a registry. Values that are not known yet are omitted. */
export async function readMetrics(registry: Registry = metrics): Promise<Metric[]> {
  const read = await registry.getMetricsAsJSON();
  return read.map(({ name, help, type, aggregator, values }) => ({
    name,
    help,
    type: String(type),
    // One that no sum makes sense of still belongs on the page of its process.
    aggregator: aggregator === 'omit' ? 'first' : aggregator,
    values: values
      .filter(({ value }) => Number.isFinite(value))
      .map(({ value, labels, ...histogram }) => ({ value, labels: definedLabels(labels), ...histogram })),
  }));
}

function definedLabels(labels: Partial<Record<string, string | number>>): Record<string, string | number> {
  const defined: Record<string, string | number> = {};
  for (const [name, value] of Object.entries(labels)) if (value !== undefined) defined[name] = value;
  return defined;
}

/** The metrics of several threads as those of one. */
export async function addUp(parts: readonly (readonly Metric[])[]): Promise<Metric[]> {
  return await readMetrics(aggregated(parts));
}

/** The same metrics, each value with the role of its process, so that those of several stay apart. */
export function withRole(read: readonly Metric[], role: string): Metric[] {
  return read.map((metric) => ({
    ...metric,
    aggregator: 'first',
    values: metric.values.map((value) => ({ ...value, labels: { role, ...value.labels } })),
  }));
}

export const METRICS_TYPE = Registry.PROMETHEUS_CONTENT_TYPE;

/** The page that Prometheus reads. */
export async function metricsText(parts: readonly (readonly Metric[])[]): Promise<string> {
  return await aggregated(parts).metrics();
}

function aggregated(parts: readonly (readonly Metric[])[]): Registry {
  return AggregatorRegistry.aggregate<PrometheusContentType>([...parts]);
}
