import { createDiagnosticPrinter, localAdvice } from '../../../sdk-core/src/probes/lines.ts';
import {
  isProjectToken,
  readDsn,
  resolveEndpoint,
  tokenPreview,
} from '../../../sdk-core/src/sending/endpoint.ts';
import { workingDirectory } from '../facts/runtime-facts.ts';
import { defaultDirectory } from '../local/own-directory.ts';
import { ownerOf } from '../local/owned-directory.ts';
import { createOwnAgents } from '../transport/http-request.ts';
import { sendBatch } from '../transport/ingestion.ts';
import type { RelayOptions } from './relay-options.ts';
import type { RelayTarget } from './relay-target.ts';

const TIMEOUT_MS = 5_000;
const LOCAL_ENVIRONMENTS = ['local', 'development'];

/** Returns the target of a relay without a client: its own options, then the environment. */
export function ownTarget(options: RelayOptions, env: NodeJS.ProcessEnv): RelayTarget {
  const dsn = env.CULPRIT_DSN === undefined ? null : readDsn(env.CULPRIT_DSN);
  const token = options.token ?? env.CULPRIT_PROJECT_TOKEN ?? dsn?.token ?? null;
  const address = options.endpoint ?? env.CULPRIT_ENDPOINT ?? dsn?.endpoint ?? null;
  const endpoint = address === null ? null : resolveEndpoint(String(address));
  const given = env.CULPRIT_ENVIRONMENT ?? env.NODE_ENV;
  const environment = given ?? (token === null ? 'development' : 'production');
  const wanted = options.mode ?? env.CULPRIT_MODE;
  const isLocal = wanted === 'local' || (wanted !== 'connected' && LOCAL_ENVIRONMENTS.includes(environment));
  const print = createDiagnosticPrinter({
    print: (line) => process.stderr.write(`${line}\n`),
    isProduction: environment === 'production',
    data: () => ({
      token: token === null ? null : tokenPreview(token),
      address: endpoint?.events ?? null,
      host: endpoint?.origin ?? null,
      origin: null,
    }),
  });
  const agents = createOwnAgents();
  const target: RelayTarget = {
    mode: isLocal ? 'local' : token !== null && endpoint !== null ? 'connected' : 'off',
    service: options.service ?? env.CULPRIT_SERVICE ?? env.OTEL_SERVICE_NAME ?? 'node-service',
    owner: () => ownerOf(endpoint?.events ?? null, token),
    localDirectory: env.CULPRIT_LOCAL_DIR ?? defaultDirectory('events', workingDirectory() ?? '/'),
    async send(batch) {
      if (token === null || endpoint === null) return { status: 0 };
      return sendBatch(agents, { endpoint: endpoint.events, token, timeoutMs: TIMEOUT_MS }, batch);
    },
    // Both need the configuration of the project, which only a client has.
    passesProbes: () => false,
    checkTrigger: () => null,
    tell: print,
  };
  if (isLocal && wanted === undefined && (token !== null || given === undefined)) {
    print('local_chosen', { path: target.localDirectory, advice: localAdvice(token !== null) });
  }
  if (target.mode === 'off') print(token === null ? 'token_missing' : 'endpoint_missing', {});
  else if (token !== null && !isLocal && !isProjectToken(token)) print('token_malformed', {});
  return target;
}
