import { api } from '@culprit/contract/api';
import type { Endpoint } from '@culprit/contract/endpoint';
import { policies, policyOf, requirePolicies } from '@culprit/contract/policy';
import { describe, expect, it } from 'vitest';

/** Reliability rule A10: one table lists the answers for each operation and role; what is not in it does not start. */

const [endpoint] = api.filter(({ id }) => id === 'deleteProject');
if (endpoint === undefined) throw new Error('no endpoint');
const { deleteProject: row = { anybody: 200 } } = policies;

describe('the policy table', () => {
  it('has a row for every endpoint of the contract, and no other', () => {
    expect(() => requirePolicies(api)).not.toThrow();
    expect(Object.keys(policies).sort()).toEqual(api.map(({ id }) => id).sort());
  });

  it('stops the start for an endpoint without a row, by its name', () => {
    const added: Endpoint = { ...endpoint, id: 'eraseEverything', path: '/v1/everything' };
    expect(() => requirePolicies([...api, added])).toThrow(
      'endpoint eraseEverything has no row in the policy table',
    );
    expect(() => policyOf({ id: 'constructor' })).toThrow('endpoint constructor has no row');
  });

  it('stops the start for a row without an endpoint', () => {
    expect(() => requirePolicies([endpoint], { deleteProject: row, listSecrets: row })).toThrow(
      'the policy table has a row for listSecrets, which is no endpoint',
    );
  });

  it.each([
    ['lets in the admin', { ...row, admin: 200 }],
    ['lets in the member', { ...row, member: 200, admin: 200 }],
    ['says 204', { ...row, owner: 204 }],
    ['says incident_not_found', { ...row, stranger: 'incident_not_found' as const }],
    ['is not one for member callers', { anybody: 200 }],
    ['is not one for member callers', { projectToken: 200 }],
  ])('stops the start when a row %s against its endpoint', (fault, policy) => {
    expect(() => requirePolicies([endpoint], { deleteProject: policy })).toThrow(
      `the policy of deleteProject ${fault}`,
    );
  });
});
