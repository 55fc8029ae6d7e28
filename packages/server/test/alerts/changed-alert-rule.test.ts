import type { updateAlert } from '@culprit/contract/alerts/alerts';
import type { BodyOf } from '@culprit/contract/endpoints/endpoint';
import { describe, expect, it } from 'vitest';
import { type AlertRule, changedAlertRule, lacksConfig } from '../../src/notify/alerts/alert-rule.ts';

/** What an update makes of a rule: docs/contract/notifications.md 1.6. */

type Body = BodyOf<typeof updateAlert>;

const SERVICE = '11111111-1111-4111-8111-111111111111';
const FOUND = { serviceId: SERVICE, config: { to: 'found@example.test' } };

const RULE: AlertRule = {
  name: 'Pager',
  services: null,
  query: null,
  environments: ['production'],
  serviceId: '22222222-2222-4222-8222-222222222222',
  channel: 'email',
  condition: 'severity_threshold',
  severityMin: 'high',
  scope: 'new_incident',
  threshold: null,
  cooldownSeconds: 600,
  config: { to: 'team@example.test' },
  isEnabled: false,
};

describe('an update of an alert rule', () => {
  it.each<[field: string, body: Body, changed: Partial<AlertRule>]>([
    ['is_enabled', { is_enabled: true }, { isEnabled: true }],
    ['is_enabled cleared', { is_enabled: null }, { isEnabled: true }],
    ['cooldown_seconds', { cooldown_seconds: 0 }, { cooldownSeconds: 0 }],
    ['cooldown_seconds cleared', { cooldown_seconds: null }, { cooldownSeconds: 0 }],
    ['severity_min', { severity_min: 'low' }, { severityMin: 'low' }],
    ['severity_min cleared', { severity_min: null }, { severityMin: null }],
    ['severity_lifecycle_scope', { severity_lifecycle_scope: 'both' }, { scope: 'both' }],
    ['severity_lifecycle_scope cleared', { severity_lifecycle_scope: null }, { scope: 'both' }],
    ['name', { name: ' On call ' }, { name: 'On call' }],
    ['name cleared', { name: null }, { name: null }],
    ['a blank name', { name: ' ' }, { name: null }],
    ['environments', { environments: ['a', 'b*', 'a ', 'a'] }, { environments: ['a', 'b*'] }],
    ['environments cleared', { environments: null }, { environments: null }],
    ['environments emptied', { environments: [] }, { environments: null }],
    ['services', { services: ['api'] }, { services: ['api'] }],
    ['service_id', { service_id: SERVICE }, { serviceId: SERVICE }],
    ['config with its channel', { channel: 'email', config: { to: 'b@c.test' } }, { config: FOUND.config }],
    ['the same channel alone', { channel: 'email' }, {}],
    ['the condition', { condition_type: 'error_spike' }, { condition: 'error_spike', scope: null }],
  ])('changes %s and nothing else', (_field, body, changed) => {
    expect(changedAlertRule(RULE, body, FOUND)).toEqual({ ...RULE, ...changed });
  });

  it('clears the service with null', () => {
    const cleared = changedAlertRule(RULE, { service_id: null }, { ...FOUND, serviceId: null });
    expect(cleared).toEqual({ ...RULE, serviceId: null });
  });

  it('gives a threshold both scopes when the condition becomes one', () => {
    const before: AlertRule = { ...RULE, condition: 'new_incident', scope: null };
    const after = changedAlertRule(before, { condition_type: 'severity_threshold' }, FOUND);
    expect(after).toEqual({ ...RULE, scope: 'both' });
  });

  it.each<[Body, boolean]>([
    [{ channel: 'slack' }, true],
    [{ channel: 'slack', config: null }, false],
    [{ channel: 'email' }, false],
    [{ is_enabled: true }, false],
  ])('%j lacks a config: %s', (body, isLacking) => {
    expect(lacksConfig(RULE, body)).toBe(isLacking);
  });
});
