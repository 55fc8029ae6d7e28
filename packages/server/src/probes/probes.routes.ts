import * as probes from '@culprit/contract/probes';
import { getSdkConfig } from '@culprit/contract/sdk-config';
import type { PlanSettings } from '../billing/plan.ts';
import type { Database } from '../platform/db/database.ts';
import type { Binder, Callers } from '../platform/http/bind-endpoint.ts';
import type { Secret } from '../platform/secret.ts';
import type { Member } from '../tokens/authenticate-member.ts';
import type { ClientProject } from '../tokens/authenticate-project.ts';
import { activateProbe } from './activate-probe.ts';
import { isPublishedLibrary } from './client-config.ts';
import { deactivateProbe } from './deactivate-probe.ts';
import { listProbes } from './list-probes.ts';
import { readClientConfig } from './read-client-config.ts';

export interface ProbesRoom {
  database: Database;
  plans: PlanSettings;
  /** From which the keys of trigger tokens are made, one per project. */
  triggerSecret: Secret<Buffer>;
}

/** A response chosen by a token must not be shared (ingestion.md 7.2). */
const CONFIG_HEADERS = {
  'cache-control': 'private, max-age=0, must-revalidate',
  vary: 'Authorization, Origin',
};

/** Remote probes, and the configuration that client libraries poll. */
export function bindProbeRoutes<C extends Callers & { member: Member; project_token: ClientProject }>(
  binder: Binder<C>,
  room: ProbesRoom,
): void {
  // Clients that poll must not crowd out people, so they share the budget of events.
  binder
    .bind(getSdkConfig, { budget: 'ingestion', cors: 'ingestion', tagged: true })
    .to(async ({ caller, query, headers, contentType }) => ({
      status: 200,
      headers: CONFIG_HEADERS,
      body: await readClientConfig(room, caller, {
        service: query.service ?? null,
        environment: query.environment ?? null,
        isPublishedLibrary: isPublishedLibrary(headers, contentType, query),
      }),
    }));

  binder.bind(probes.activateProbe).to(async (context) => ({
    status: 201,
    body: await activateProbe(room, context.caller, context.params.id, context.body, context),
  }));
  binder.bind(probes.listProbes).to(async ({ caller, params, query }) => ({
    status: 200,
    body: await listProbes(room, caller, params.id, query),
  }));
  binder.bind(probes.deactivateProbe).to(async (context) => {
    const { caller, params, body } = context;
    return {
      status: 200,
      body: { deactivated: await deactivateProbe(room, caller, params.id, body.activation_id, context) },
    };
  });
}
