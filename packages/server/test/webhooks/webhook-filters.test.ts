import { describe, expect, it } from 'vitest';
import {
  type FilterFacts,
  matchesFilters,
  orderedEvents,
  setFilters,
} from '../../src/notify/webhooks/webhook.ts';

const FACTS: FilterFacts = {
  environment: 'production',
  service: 'checkout-api',
  severity: 'high',
  bundleType: 'failure',
  isVerification: false,
};

describe('the filters of a webhook', () => {
  it('match everything where none is set', () => {
    expect(matchesFilters({}, FACTS)).toBe(true);
    expect(matchesFilters({}, { ...FACTS, isVerification: true, severity: 'low' })).toBe(true);
  });

  it.each([
    [{ environment: ['staging', 'production'] }, true],
    [{ environment: ['Production'] }, false],
    [{ environment: ['prod'] }, false],
    [{ service: ['checkout-api'] }, true],
    [{ service: ['checkout'] }, false],
    [{ severity_min: 'low' as const }, true],
    [{ severity_min: 'high' as const }, true],
    [{ severity_min: 'critical' as const }, false],
    [{ bundle_type: ['failure' as const] }, true],
    [{ bundle_type: ['improvement' as const] }, false],
    [{ environment: ['production'], service: ['web'] }, false],
  ])('%j match a high failure of checkout-api in production: %s', (filters, expected) => {
    expect(matchesFilters(filters, FACTS)).toBe(expected);
  });

  it('drop verification runs only where that is false', () => {
    const verification = { ...FACTS, isVerification: true };
    expect(matchesFilters({ verification: false }, verification)).toBe(false);
    expect(matchesFilters({ verification: false }, FACTS)).toBe(true);
    expect(matchesFilters({ verification: true }, verification)).toBe(true);
    expect(matchesFilters({ verification: true }, FACTS)).toBe(true);
  });

  it('keep only the keys that are set', () => {
    expect(setFilters(null)).toEqual({});
    expect(
      setFilters({ environment: [], service: null, severity_min: null, bundle_type: [], verification: null }),
    ).toEqual({});
    expect(setFilters({ verification: false, environment: ['a'] })).toEqual({
      environment: ['a'],
      verification: false,
    });
  });
});

describe('the events of a webhook', () => {
  it('stand each once, in the order of the contract', () => {
    expect(orderedEvents(['verification.failed', 'bundle.created', 'bundle.created'])).toEqual([
      'bundle.created',
      'verification.failed',
    ]);
  });
});
