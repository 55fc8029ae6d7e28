/** A deployment of the incident's project, service and environment. Times in milliseconds since the epoch. */
export interface Deployment {
  deploymentId: string;
  version: string | null;
  commitSha: string | null;
  branch: string | null;
  deployedAtMs: number;
}

interface DeployFacts {
  deploy_version: string | null;
  deploy_commit_sha: string | null;
  deploy_branch: string | null;
  deploy_deployed_at: string | null;
  minutes_since_deploy: number | null;
}

/** The deploy fields of `bundle.reopened` (notifications chapter; docs/contract/incidents.md 1.5). */
interface RegressionFacts extends DeployFacts {
  regression_after_deploy: boolean;
}

/** The deploy under which a spike began, however long ago it was (docs/contract/notifications.md 3.10 B). */
interface SpikeDeployFacts extends DeployFacts {
  /** The version of the previous deploy. */
  previous_deploy_version: string | null;
}

const REGRESSION_WINDOW_MS = 24 * 3_600_000;

/** The facts of a reopening without a deploy in the window. */
export const NO_DEPLOY: RegressionFacts = {
  regression_after_deploy: false,
  deploy_version: null,
  deploy_commit_sha: null,
  deploy_branch: null,
  deploy_deployed_at: null,
  minutes_since_deploy: null,
};

/** Returns the deploy of a regression that occurred within 24 hours after one (docs/contract/incidents.md 5.8). */
export function regressionFacts(deployments: readonly Deployment[], atMs: number): RegressionFacts {
  const [deployment] = deploymentsAt(deployments, atMs);
  if (deployment === undefined || atMs - deployment.deployedAtMs > REGRESSION_WINDOW_MS) return NO_DEPLOY;
  return { regression_after_deploy: true, ...deployFacts(deployment, atMs) };
}

/** Returns a spike's facts about the deploys of its service; nothing if none is known. */
export function spikeDeployFacts(
  deployments: readonly Deployment[],
  atMs: number,
): SpikeDeployFacts | Record<string, never> {
  const [deployment, previous] = deploymentsAt(deployments, atMs);
  if (deployment === undefined) return {};
  return { ...deployFacts(deployment, atMs), previous_deploy_version: previous?.version ?? null };
}

/** Those at or before a moment, in their order, which is newest first. */
function deploymentsAt(deployments: readonly Deployment[], atMs: number): readonly Deployment[] {
  return deployments.filter((deployment) => deployment.deployedAtMs <= atMs);
}

function deployFacts(deployment: Deployment, atMs: number): DeployFacts {
  return {
    deploy_version: deployment.version,
    deploy_commit_sha: deployment.commitSha,
    deploy_branch: deployment.branch,
    deploy_deployed_at: new Date(deployment.deployedAtMs).toISOString(),
    minutes_since_deploy: Math.floor((atMs - deployment.deployedAtMs) / 60_000),
  };
}
