import { describe, expect, it } from 'vitest';
import {
  type Deployment,
  NO_DEPLOY,
  regressionFacts,
  spikeDeployFacts,
} from '../../src/incidents/regression.ts';

const HOUR_MS = 3_600_000;
const AT = 1_774_348_200_000;

function deployed(version: string | null, hoursBefore: number): Deployment {
  return {
    deploymentId: `deployment ${version}`,
    version,
    commitSha: 'c0ffee',
    branch: 'main',
    deployedAtMs: AT - hoursBefore * HOUR_MS,
  };
}

describe('a regression (docs/contract/incidents.md 5.8)', () => {
  it.each<[what: string, deployments: Deployment[], version: string | null, minutes: number | null]>([
    ['without a deploy', [], null, null],
    ['at the moment of a deploy', [deployed('v2', 0)], 'v2', 0],
    ['an hour and a half after one', [deployed('v2', 1.5)], 'v2', 90],
    ['24 hours after one', [deployed('v2', 24)], 'v2', 1440],
    ['a moment more than 24 hours after one', [deployed('v2', 24 + 1 / HOUR_MS)], null, null],
    ['before a deploy', [deployed('v3', -1)], null, null],
    ['between two, the newer of which came later', [deployed('v3', -1), deployed('v2', 2)], 'v2', 120],
    ['after two', [deployed('v2', 1), deployed('v1', 2)], 'v2', 60],
  ])('%s', (_what, deployments, version, minutes) => {
    expect(regressionFacts(deployments, AT)).toEqual(
      version === null
        ? NO_DEPLOY
        : {
            regression_after_deploy: true,
            deploy_version: version,
            deploy_commit_sha: 'c0ffee',
            deploy_branch: 'main',
            deploy_deployed_at: new Date(AT - (minutes ?? 0) * 60_000).toISOString(),
            minutes_since_deploy: minutes,
          },
    );
  });
});

describe('a spike (docs/contract/notifications.md 3.10 B)', () => {
  it('says nothing of deploys where none is known', () => {
    expect(spikeDeployFacts([deployed('v3', -1)], AT)).toEqual({});
  });

  it('names the deploy under which it began, however old, and the one before', () => {
    const deployments = [deployed('v3', -1), deployed('v2', 48), deployed('v1', 96)];
    expect(spikeDeployFacts(deployments, AT)).toMatchObject({
      deploy_version: 'v2',
      minutes_since_deploy: 2880,
      previous_deploy_version: 'v1',
    });
  });

  it('has no deploy before the first one', () => {
    expect(spikeDeployFacts([deployed('v1', 1)], AT)).toMatchObject({ previous_deploy_version: null });
  });
});
