import { describe, expect, it } from 'vitest';
import {
  type BundleDeployment,
  deploymentsAt,
} from '../../src/pipeline/bundles/evidence/bundle-evidence.queries.ts';

describe('the deployments of one incident among those of several', () => {
  it('are the newest twenty of the service, and what ran at its own moments', () => {
    const found = Array.from({ length: 30 }, (_, index) => deployment(30 - index));
    const times = deploymentsAt(found, [500, 350]).map(({ deployedAtMs }) => deployedAtMs);
    // The ten oldest are there for moments of other incidents.
    expect(times).toEqual([...found.slice(0, 20).map(({ deployedAtMs }) => deployedAtMs), 500, 300]);
    expect(deploymentsAt(found, [50])).toEqual(found.slice(0, 20));
  });
});

function deployment(number: number): BundleDeployment {
  const atMs = number * 100;
  return { version: `${number}`, commitSha: null, branch: null, deployedAtMs: atMs, receivedAtMs: atMs };
}
