import type { DeployBlock } from '@culprit/contract/incidents/bundle-context';
import { formatTimestamp } from '@culprit/contract/schemas/timestamps';
import type { DeploymentEvidence } from '../../evidence/bundle-evidence.ts';
import { evidenceTextOrNull } from '../../evidence/evidence-text.ts';

/** The time after a deploy in which a failure is suspected to come from it (docs/contract/incidents.md 3.4, 5.8). */
const REGRESSION_WINDOW_MS = 24 * 60 * 60 * 1000;

/** The newest deployment at or before the primary event. */
export function deployBlock(deployment: DeploymentEvidence | null, primaryAtMs: number): DeployBlock | null {
  if (deployment === null) return null;
  return {
    version: 1,
    commit_sha: evidenceTextOrNull(deployment.commitSha),
    deploy_version: evidenceTextOrNull(deployment.version),
    branch: evidenceTextOrNull(deployment.branch),
    deployed_at: formatTimestamp(deployment.deployedAtMs),
    regression_window: primaryAtMs - deployment.deployedAtMs <= REGRESSION_WINDOW_MS,
  };
}
