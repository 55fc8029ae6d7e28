import { getServer } from '@culprit/contract/endpoints/server';
import * as operator from '@culprit/contract/workspace/operator';
import type { Binder } from '../platform/http/binding/bind-endpoint.ts';
import type { Runtime } from '../runtime.ts';
import type { ApiCallers } from '../workspace/access/api-callers.ts';
import { describeServer } from './describe-server.ts';
import { checkLettersPage, retryDeadLetters, showDeadLetters } from './operator/dead-letters.ts';
import { createOperatorHealth, type OperatorSources } from './operator/operator-health.ts';

/** Binds the endpoints about the installation itself, for everyone and for its operators. */
export function bindInstallationRoutes(
  binder: Binder<ApiCallers>,
  runtime: Runtime,
  sources: OperatorSources,
): void {
  binder.bind(getServer).to(async (request) => ({ status: 200, body: describeServer(runtime, request) }));
  const readHealth = createOperatorHealth(runtime, sources);
  binder.bind(operator.getOperatorHealth).answers(() => readHealth());
  binder
    .bind(operator.listDeadLetters)
    .checked(checkLettersPage)
    .answers((request) => showDeadLetters(runtime, request));
  binder
    .bind(operator.retryDeadLetters)
    .to(async (request) => ({ status: 200, body: await retryDeadLetters(runtime, request) }));
}
