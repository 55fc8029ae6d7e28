import type { Logger } from 'pino';
import { closeGracefully } from '../platform/http/server/close-gracefully.ts';
import { createHttpServer } from '../platform/http/server/http-server.ts';
import { listenProblem } from '../platform/http/server/listen-error.ts';
import { bindMetricsRoute } from '../platform/http/server/metrics-route.ts';
import { type Metric, metricsText, withRole } from '../platform/metrics/metrics.ts';
import type { Secret } from '../platform/secrets/secret.ts';

/** A port of a worker process that answers `/metrics` and nothing else. */
export async function startMetricsListener(options: {
  host: string;
  port: number;
  token: Secret | null;
  read: () => Promise<readonly Metric[]>;
  log: Logger;
}): Promise<{ stop(): Promise<void> }> {
  const { host, port, token, read, log } = options;
  const server = createHttpServer({ log });
  bindMetricsRoute(server, {
    token,
    page: async () => await metricsText([withRole(await read(), 'worker')]),
  });
  const stop = async () => void (await closeGracefully(server));
  const address = await server.listen({ host, port }).catch(async (error: unknown) => {
    await stop();
    throw listenProblem(error, { host, port, setting: 'CULPRIT_METRICS_PORT' });
  });
  log.info({ address }, 'metrics are served');
  return { stop };
}
