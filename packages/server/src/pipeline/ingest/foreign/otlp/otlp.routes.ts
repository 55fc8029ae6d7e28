import type { ForeignIntake } from '../foreign-intake.ts';
import type { ForeignRoute } from '../foreign-route.ts';
import { acceptOtlp, refuseMetrics } from './accept-otlp.ts';
import { otlpRefusal } from './otlp-answers.ts';

/** The addresses of OpenTelemetry exporters (docs/contract/foreign-protocols.md 8.1). */
export function bindOtlpRoutes(bind: (...route: ForeignRoute) => void, intake: ForeignIntake): void {
  const options = { refuse: otlpRefusal };
  for (const signal of ['traces', 'logs'] as const) {
    bind(`/v1/${signal}`, (request) => acceptOtlp(request, intake, { signal, number: null }), {
      ...options,
      // `GET /v1/logs` lists log lines.
      sharesPath: signal === 'logs',
    });
    bind(
      `/api/:number/integration/otlp/v1/${signal}`,
      (request, { number = '' }) => acceptOtlp(request, intake, { signal, number }),
      options,
    );
  }
  for (const path of ['/v1/metrics', '/api/:number/integration/otlp/v1/metrics']) {
    bind(path, refuseMetrics, options);
  }
}
