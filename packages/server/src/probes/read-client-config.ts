import type { ClientConfig } from '@culprit/contract/sdk-config';
import { planOfCapture, resolveCapturePolicy } from '../capture/capture-policy.ts';
import { listActiveRules } from '../capture/list-active-rules.ts';
import type { ClientProject } from '../tokens/authenticate-project.ts';
import { type ConfigCaller, clientConfig } from './client-config.ts';
import { findActiveProbes } from './probes.queries.ts';
import type { ProbesRoom } from './probes.routes.ts';
import { areRemoteProbesOpen } from './remote-probes-open.ts';
import { triggerTokenKey } from './trigger-token.ts';

/** What the clients of a project go by now (ingestion.md 7.1). Nothing of it is remembered between requests. */
export async function readClientConfig(
  { database, plans, triggerSecret }: ProbesRoom,
  project: ClientProject,
  caller: ConfigCaller,
): Promise<ClientConfig> {
  const { projectId, plan } = project;
  const hasRemoteProbes = areRemoteProbesOpen(plans, plan);
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
      triggerTokenKey: triggerTokenKey(triggerSecret.reveal(), projectId),
    },
    caller,
  );
}
