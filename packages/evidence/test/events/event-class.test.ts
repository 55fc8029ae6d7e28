import { describe, expect, it } from 'vitest';
import { classifyEvent, demotedClass } from '../../src/events/normalize/event-class.ts';
import type { EventFacts } from '../../src/events/normalize/event-facts.ts';

function facts(eventType: EventFacts['eventType'], logRank: number | null = null): EventFacts {
  return {
    eventType,
    dialect: 'seed',
    eventId: null,
    serviceName: 'api',
    environment: 'production',
    logRank,
    isCaptured: false,
    request: eventType === 'request_event' ? { method: 'GET', path: '/', status: 404 } : null,
    projectToken: null,
  };
}

describe('the class of an event (docs/contract/ingestion.md 4.1)', () => {
  it.each([
    ['backend_exception', null, 'incident_signal', 'always_incident'],
    ['frontend_exception', null, 'incident_signal', 'always_incident'],
    ['log_event', 0, 'context_signal', null],
    ['log_event', 2, 'context_signal', null],
    ['log_event', 3, 'incident_signal', 'log_level_error'],
    ['log_event', 4, 'incident_signal', 'log_level_error'],
    ['request_event', null, 'context_signal', null],
    ['frontend_breadcrumb', null, 'context_signal', null],
    ['deploy_metadata', null, 'context_signal', null],
    ['error_suppressed', null, 'operational_signal', null],
    ['probe_event', null, 'operational_signal', null],
  ] as const)('of %s with rank %s is %s', (type, rank, eventClass, matchedPolicy) => {
    expect(classifyEvent(facts(type, rank), null, 1)).toEqual({ eventClass, matchedPolicy });
  });

  it('of an immediate failure is a signal with its reason', () => {
    expect(classifyEvent(facts('request_event'), 'immediate_client_error_status', 1)).toEqual({
      eventClass: 'incident_signal',
      matchedPolicy: 'immediate_client_error_status',
    });
  });

  it('of a message that the program reported is a signal from the level of the policy on', () => {
    const captured = (rank: number, from: number) =>
      classifyEvent({ ...facts('log_event', rank), isCaptured: true }, null, from).matchedPolicy;
    expect([captured(2, 2), captured(1, 2), captured(0, 1), captured(3, 3), captured(3, 4)]).toEqual([
      'captured_message',
      null,
      null,
      'captured_message',
      'log_level_error',
    ]);
  });

  it('changes by demotion only when it was a signal', () => {
    expect(demotedClass('incident_signal')).toBe('context_signal');
    expect(demotedClass('context_signal')).toBe('context_signal');
    expect(demotedClass('operational_signal')).toBe('operational_signal');
  });
});
