import type { AlertCondition, AlertScope, AlertTrigger } from '@culprit/contract/alerts/alerts';
import { SEVERITIES } from '@culprit/evidence/events/normalize/severity';
import { describe, expect, it } from 'vitest';
import type { AlertFacts } from '../../src/notify/alerts/alert-facts.ts';
import { type Past, verdictOf } from '../../src/notify/alerts/judge-verdict.ts';
import { type EnabledRule, matchRules, type Transition } from '../../src/notify/alerts/match-rules.ts';

/** Which rules a transition satisfies, and under which keys: docs/contract/notifications.md 1.7, 1.9 and 1.10. */

const SERVICE = '11111111-1111-4111-8111-111111111111';
const OTHER_SERVICE = '22222222-2222-4222-8222-222222222222';
const FINGERPRINT = 'ab'.repeat(32);
const SPIKE_AT = '2026-03-24T10:30:00.000Z';
const SUBJECT = `fp:${FINGERPRINT}:${SERVICE}:production`;

function rule(overrides: Partial<EnabledRule>): EnabledRule {
  return {
    alertId: 'rule',
    name: null,
    serviceId: null,
    services: null,
    environments: null,
    channel: 'email',
    condition: 'new_incident',
    severityMin: null,
    scope: null,
    threshold: null,
    cooldownSeconds: 0,
    config: { to: 'team@example.test' },
    isEnabled: true,
    query: null,
    isJudgedLate: false,
    ...overrides,
  };
}

const DEPLOY: AlertFacts['deploy'] = {
  version: 'v2',
  commitSha: null,
  branch: null,
  deployedAt: null,
  minutesSinceDeploy: 5,
};

function transition(
  lifecycle: AlertTrigger,
  {
    severity = 'high',
    deploy = null,
    ...overrides
  }: Partial<Transition> & {
    severity?: AlertFacts['incident']['severity'];
    deploy?: AlertFacts['deploy'];
  } = {},
): Transition {
  return {
    lifecycle,
    lifecycleId: 1,
    incidentId: '33333333-3333-4333-8333-333333333333',
    serviceId: SERVICE,
    fingerprint: FINGERPRINT,
    isOpaqueWindowError: false,
    regressionNumber: 2,
    alertId: null,
    spikeDetectedAt: lifecycle === 'error_spike' ? SPIKE_AT : null,
    facts: {
      lifecycle,
      triggeredAt: SPIKE_AT,
      projectId: 'proj_1',
      projectName: 'Shop',
      incident: {
        incidentId: 'inc_1',
        shortId: 'CHECKOUT-42',
        bundleId: 'bun_1',
        title: 'TypeError',
        description: 'A TypeError',
        kind: 'backend_exception',
        severity,
        status: 'open',
        serviceId: SERVICE,
        serviceName: 'checkout',
        environment: 'production',
        occurrenceCount: 1,
        firstSeenAt: SPIKE_AT,
        lastSeenAt: SPIKE_AT,
      },
      release: null,
      spike: null,
      deploy,
    },
    ...overrides,
  };
}

const NEW = transition('new_incident');
const REGRESSED = transition('incident_regressed');
const REGRESSED_AFTER_DEPLOY = transition('incident_regressed', { deploy: DEPLOY });
const SPIKE = transition('error_spike', { deploy: DEPLOY });

describe('the verdict on a rule that sent nothing', () => {
  const AT_MS = Date.parse(SPIKE_AT);
  const usual = { createdAtMs: 0, updatedAtMs: 0 };
  const past: Past = {
    wasRefused: false,
    wasSnoozed: false,
    fitsQuery: true,
    missing: null,
    cooledBy: null,
    reachedBefore: null,
  };
  const waiting: Partial<EnabledRule> = { condition: 'occurrence_threshold', threshold: { users: 5 } };
  const unusable = { missing: 'disabled_target' } as const;

  it.each<[string, Partial<Parameters<typeof verdictOf>[0]>, Partial<Past>]>([
    ['allowance', { isEnabled: false }, { wasRefused: true, wasSnoozed: true }],
    ['snoozed', { isEnabled: false }, { wasSnoozed: true }],
    ['created_later', { createdAtMs: AT_MS + 1, isEnabled: false }, {}],
    ['disabled', { isEnabled: false, condition: 'error_spike' }, {}],
    ['not_this_condition', { condition: 'error_spike', config: {} }, {}],
    ['no_target', { config: {}, services: ['other'] }, {}],
    ['other_service', { services: ['other'], environments: ['staging'] }, {}],
    ['other_environment', { environments: ['staging'], severityMin: 'critical' }, {}],
    ['below_severity', { severityMin: 'critical' }, unusable],
    ['query_not_matched', { query: 'type:Timeout' }, { fitsQuery: false, ...unusable }],
    ['below_threshold', waiting, unusable],
    ['other_service', { ...waiting, services: ['other'] }, {}],
    ['not_this_condition', waiting, { reachedBefore: AT_MS - 60_000 }],
    ['plan', { updatedAtMs: AT_MS + 1 }, { missing: 'plan' }],
    ['disabled_target', { updatedAtMs: AT_MS + 1 }, unusable],
    ['changed_since', { updatedAtMs: AT_MS + 1 }, { cooledBy: AT_MS - 60_000 }],
    ['cooldown', { cooldownSeconds: 600 }, { cooledBy: AT_MS - 60_000 }],
    ['not_sent', {}, {}],
  ])('is %s, the first reason of several', (word, change, of) => {
    const judged = verdictOf({ ...rule({}), ...usual, ...change }, NEW, { ...past, ...of });
    expect(judged.word).toBe(word);
  });

  it('has the deciding values, and says when the rule was changed after the transition', () => {
    const { detail } = verdictOf(
      { ...rule({ severityMin: 'critical' }), createdAtMs: 0, updatedAtMs: AT_MS + 1 },
      NEW,
      past,
    );
    expect(detail).toBe(
      'The severity was high; the rule needs critical or above. The rule was changed after that.',
    );
    expect(
      verdictOf({ ...rule({ cooldownSeconds: 600 }), ...usual }, NEW, { ...past, cooledBy: AT_MS - 60_000 })
        .detail,
    ).toBe('It sent a message 1 min before; its cooldown is 10 min.');
  });
});

describe('a transition', () => {
  it.each<[AlertCondition, AlertScope | null, matched: readonly Transition[]]>([
    ['new_incident', null, [NEW]],
    ['incident_regressed', null, [REGRESSED, REGRESSED_AFTER_DEPLOY]],
    ['error_spike', null, [SPIKE]],
    ['regression_after_deploy', null, [REGRESSED_AFTER_DEPLOY]],
    ['severity_threshold', 'new_incident', [NEW]],
    ['severity_threshold', 'incident_regressed', [REGRESSED, REGRESSED_AFTER_DEPLOY]],
    ['severity_threshold', 'both', [NEW, REGRESSED, REGRESSED_AFTER_DEPLOY]],
  ])('satisfies %s with the scope %s where the contract says so', (condition, scope, matched) => {
    const all = [NEW, REGRESSED, REGRESSED_AFTER_DEPLOY, SPIKE];
    const satisfied = all.filter((one) => matchRules(one, [rule({ condition, scope })]).length > 0);
    expect(satisfied).toEqual(matched);
  });

  it.each(SEVERITIES.flatMap((wanted) => SEVERITIES.map((severity) => [wanted, severity] as const)))(
    'satisfies a rule from %s on with an incident of severity %s only if that is as high',
    (severityMin, severity) => {
      const matches = matchRules(transition('error_spike', { severity }), [
        rule({ condition: 'error_spike', severityMin }),
      ]);
      expect(matches).toHaveLength(SEVERITIES.indexOf(severity) >= SEVERITIES.indexOf(severityMin) ? 1 : 0);
    },
  );

  it.each<[string, Partial<EnabledRule>, number]>([
    ['of every service', { serviceId: null }, 1],
    ['of the same service', { serviceId: SERVICE }, 1],
    ['of another service', { serviceId: OTHER_SERVICE }, 0],
    ['whose target was cleared', { config: {} }, 0],
    ['of its environment', { environments: ['staging', 'production'] }, 1],
    ['of another environment', { environments: ['staging', 'Production', 'prod', 'production '] }, 0],
    ['of environments that begin as its own does', { environments: ['prod*'] }, 1],
    ['of environments that begin otherwise', { environments: ['production-*', 'Prod*'] }, 0],
    ['of every environment', { environments: ['*'] }, 1],
    ['of every environment but others', { environments: ['!staging', '!dev*'] }, 1],
    ['of every environment but its own', { environments: ['!prod*'] }, 0],
    ['of environments without its own', { environments: ['prod*', '!production'] }, 0],
    ['of a service with its name', { services: ['checkout'] }, 1],
    ['of services with other names', { services: ['Checkout', 'check', 'checkout-*'] }, 0],
    ['of its service in another environment', { services: ['check*'], environments: ['staging'] }, 0],
    ['of its environment and another service', { serviceId: OTHER_SERVICE, environments: ['production'] }, 0],
    ['of its environment and service', { serviceId: SERVICE, environments: ['production'] }, 1],
  ])('finds a rule %s', (_what, overrides, count) => {
    expect(matchRules(NEW, [rule(overrides)])).toHaveLength(count);
  });

  it('finds every rule that it satisfies, each for itself', () => {
    const rules = [rule({ alertId: 'a' }), rule({ alertId: 'b', channel: 'webhook' })];
    expect(matchRules(NEW, rules).map((match) => match.rule.alertId)).toEqual(['a', 'b']);
  });
});

describe('the keys of a match', () => {
  it.each<[AlertCondition, AlertScope | null, Transition, notificationKey: string, dedupeKey: string]>([
    ['new_incident', null, NEW, `new_incident|${SUBJECT}`, 'new_incident'],
    ['incident_regressed', null, REGRESSED, `incident_regressed|${SUBJECT}`, 'incident_regressed:2'],
    [
      'regression_after_deploy',
      null,
      REGRESSED_AFTER_DEPLOY,
      `regression_after_deploy|${SUBJECT}`,
      'regression_after_deploy:2',
    ],
    ['error_spike', null, SPIKE, `error_spike|${SUBJECT}`, `error_spike:${SPIKE_AT}`],
    ['severity_threshold', 'both', NEW, `new_incident|${SUBJECT}`, 'new_incident'],
    ['severity_threshold', 'both', REGRESSED, `incident_regressed|${SUBJECT}`, 'incident_regressed:2'],
  ])('of %s with the scope %s', (condition, scope, of, notificationKey, dedupeKey) => {
    const [match] = matchRules(of, [rule({ condition, scope })]);
    expect(match).toMatchObject({ notificationKey, dedupeKey });
  });

  it('are one for all opaque browser errors of a service and environment', () => {
    const opaque = transition('new_incident', { isOpaqueWindowError: true });
    expect(matchRules(opaque, [rule({})])[0]?.notificationKey).toBe(
      `new_incident|opaque:window_error:${SERVICE}:production`,
    );
  });
});
