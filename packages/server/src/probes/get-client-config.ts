import type { ClientConfig } from '@culprit/contract/events/sdk-config';
import { resolveCapturePolicy } from '@culprit/evidence/capture/capture-policy';
import { listActiveRules } from '../capture/list-active-rules.ts';
import { planOfCapture } from '../capture/plan-of-capture.ts';
import type { Runtime } from '../runtime.ts';
import type { ClientProject } from '../workspace/tokens/authenticate-project.ts';
import { allowsRemoteProbes } from './allows-remote-probes.ts';
import { type ConfigCaller, clientConfig } from './client-config.ts';
import { findActiveProbes } from './probes.queries.ts';
import { triggerTokenKey } from './trigger-token.ts';

/**
 * Returns the current configuration for the clients of a project (docs/contract/ingestion.md 7.1). Nothing of it is
 * cached between requests.
 */
export async function getClientConfig(
  { database, plans, keys }: Runtime,
  project: ClientProject,
  caller: ConfigCaller,
): Promise<ClientConfig> {
  const { projectId, plan } = project;
  const hasRemoteProbes = allowsRemoteProbes(plans, plan);
  return clientConfig(
    {
      hasRemoteProbes,
      activeProbes: hasRemoteProbes ? await findActiveProbes(database, projectId) : [],
      policy: resolveCapturePolicy({
        preset: project.capturePreset,
        overrides: JSON.parse(project.captureOverrides),
        plan: planOfCapture(plans, plan),
      }),
      rules: await listActiveRules(database, projectId),
      triggerTokenKey: triggerTokenKey(keys.probeTriggers.reveal(), projectId),
    },
    caller,
  );
}
