/** A deployment of the incident's project, service and environment. Times in milliseconds since the epoch. */
export interface Deployment {
  deploymentId: string;
  version: string | null;
  commitSha: string | null;
  branch: string | null;
  deployedAtMs: number;
}

/** The deploy fields of `bundle.reopened` (notifications chapter; incidents.md 1.5). */
export interface RegressionFacts {
  regression_after_deploy: boolean;
  deploy_version: string | null;
  deploy_commit_sha: string | null;
  deploy_branch: string | null;
  deploy_deployed_at: string | null;
  minutes_since_deploy: number | null;
}

const REGRESSION_WINDOW_MS = 24 * 3_600_000;

/** What a reopening without a deploy in the window carries. */
export const NO_DEPLOY: RegressionFacts = {
  regression_after_deploy: false,
  deploy_version: null,
  deploy_commit_sha: null,
  deploy_branch: null,
  deploy_deployed_at: null,
  minutes_since_deploy: null,
};

/** The newest deployment at or before a moment; `deployments` are newest first. */
export function deploymentAt(deployments: readonly Deployment[], atMs: number): Deployment | null {
  return deployments.find((deployment) => deployment.deployedAtMs <= atMs) ?? null;
}

/** Whether a regression came within 24 hours of a deploy (incidents.md 5.8). */
export function regressionFacts(deployments: readonly Deployment[], atMs: number): RegressionFacts {
  const deployment = deploymentAt(deployments, atMs);
  if (deployment === null || atMs - deployment.deployedAtMs > REGRESSION_WINDOW_MS) return NO_DEPLOY;
  return {
    regression_after_deploy: true,
    deploy_version: deployment.version,
    deploy_commit_sha: deployment.commitSha,
    deploy_branch: deployment.branch,
    deploy_deployed_at: new Date(deployment.deployedAtMs).toISOString(),
    minutes_since_deploy: Math.floor((atMs - deployment.deployedAtMs) / 60_000),
  };
}
