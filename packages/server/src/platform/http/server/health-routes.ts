import { getHealth, getLive, getReady, type ReadinessFailure } from '@culprit/contract/endpoints/health';
import { errorFields } from '../../error-fields.ts';
import { outsideWork } from '../../work.ts';
import type { Binder } from '../binding/bind-endpoint.ts';
import type { Callers } from '../binding/callers.ts';
import type { HttpServer } from './http-server.ts';

interface HealthOptions {
  /** The version of the running release. */
  version: string;
  /** Null when database, object store and queue can be used. A throw counts as an unreachable database. */
  checkReadiness: () => Promise<ReadinessFailure | null>;
}

/**
 * `/health`, `/live` and `/ready` (docs/contract/account.md 8): no credential, no load limit, so that probes always
 * get an answer.
 */
export function bindHealthRoutes<C extends Callers>(
  binder: Binder<C>,
  server: HttpServer,
  options: HealthOptions,
): void {
  const probe = { budget: 'none', head: true } as const;
  const checkReadiness = oneAtATime(options.checkReadiness);

  binder.bind(getHealth, probe).to(async () => ({
    status: 200,
    body: { status: 'ok', version: options.version, uptime: Math.floor(process.uptime()) },
  }));

  binder.bind(getLive, probe).to(async () => ({ status: 200, body: { status: 'live' } }));

  binder.bind(getReady, probe).to(async ({ requestId, log }) => {
    if (server.phase() !== 'serving') return notReady('shutting_down');
    const failure = await checkReadiness().catch((error: unknown) => {
      log.warn({ requestId, ...errorFields(error) }, 'readiness check failed');
      return 'db_unreachable' as const;
    });
    return failure === null ? { status: 200, body: { status: 'ready' } } : notReady(failure);
  });
}

function notReady(reason: ReadinessFailure) {
  return { status: 503, body: { status: 'not_ready', reason } } as const;
}

/** Anybody may ask, so questions that come together share one look at the database. */
function oneAtATime<Result>(check: () => Promise<Result>): () => Promise<Result> {
  let running: Promise<Result> | null = null;
  return () => {
    running ??= outsideWork(check).finally(() => {
      running = null;
    });
    return running;
  };
}
