import * as probes from '@culprit/contract/capture/probes';
import { getSdkConfig } from '@culprit/contract/events/sdk-config';
import type { Binder } from '../platform/http/binding/bind-endpoint.ts';
import type { Runtime } from '../runtime.ts';
import type { ApiCallers } from '../workspace/access/api-callers.ts';
import { activateProbe, checkLabelPattern } from './activate-probe.ts';
import { deactivateProbe } from './deactivate-probe.ts';
import { getClientConfig } from './get-client-config.ts';
import { isPlainPattern } from './label-pattern.ts';
import { checkProbesPage, listProbes } from './list-probes.ts';
import { isPublishedLibrary, ruleReaderOf } from './published-library.ts';

/** A response chosen by a token must not be shared (docs/contract/ingestion.md 7.2). */
const CONFIG_HEADERS = {
  'cache-control': 'private, max-age=0, must-revalidate',
  vary: 'Authorization, Origin',
};

/** The headers for an activation that other libraries would take literally (docs/contract/ingestion.md 6.1). */
const WILDCARD_HEADERS = {
  'x-service-notice':
    'only libraries of this service match this pattern; others do not receive the activation',
};

/** Remote probes, and the configuration that client libraries poll. */
export function bindProbeRoutes(binder: Binder<ApiCallers>, runtime: Runtime): void {
  // Clients that poll must not crowd out people, so they share the budget of events.
  binder
    .bind(getSdkConfig, { budget: 'ingestion', cors: 'client_config', tagged: true })
    .to(async ({ caller, query, headers }) => ({
      status: 200,
      headers: CONFIG_HEADERS,
      body: await getClientConfig(runtime, caller, {
        service: query.service ?? null,
        environment: query.environment ?? null,
        isPublishedLibrary: isPublishedLibrary({ headers, query }),
        ruleReader: ruleReaderOf({ headers, query }),
      }),
    }));

  binder
    .bind(probes.activateProbe)
    .checked(checkLabelPattern)
    .to(async (request) => ({
      status: 201,
      headers: isPlainPattern(request.body.label_pattern) ? {} : WILDCARD_HEADERS,
      body: await activateProbe(runtime, request),
    }));
  binder
    .bind(probes.listProbes)
    .checked(checkProbesPage)
    .answers((request) => listProbes(runtime, request));
  binder.bind(probes.deactivateProbe).answers((request) => deactivateProbe(runtime, request));
}
