import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { availabilityTitle, eventTitle } from '../../../src/events/fingerprint/event-title.ts';
import {
  backendException,
  browserEvent,
  buildEvent,
  frontendException,
  logEvent,
  requestEvent,
} from '../build-event.ts';

describe('eventTitle', () => {
  it('is type and first line of an exception', () => {
    expect(eventTitle(backendException({ name: 'TypeError', message: '\n  x is 5  \nmore' }))).toBe(
      'TypeError: x is 5',
    );
    expect(eventTitle(backendException({ name: 'TypeError', message: ' \n ' }))).toBe('TypeError');
  });

  it('is method, route and status of a request', () => {
    expect(eventTitle(requestEvent('post', '/orders/17/pay?x=1', 502))).toBe(
      'POST /orders/{param}/pay returned 502',
    );
  });

  it('is the first line of a log', () => {
    expect(eventTitle(logEvent('job 5 failed\nbecause'))).toBe('job 5 failed');
    expect(eventTitle(logEvent(''))).toBe('Log entry without text');
  });

  it('tells that a browser withheld the detail', () => {
    const opaque = browserEvent({ opaque: true });
    expect(eventTitle(frontendException({ message: 'Script error.', browserEvent: opaque }))).toBe(
      'Opaque browser error: Script error.',
    );
    expect(eventTitle(frontendException({ message: '', browserEvent: opaque }))).toBe(
      'Opaque browser error: no detail',
    );
    expect(eventTitle(frontendException({ message: 'Script error' }))).toBe(
      'Opaque browser error: Script error',
    );
  });

  it('names a resource that failed to load', () => {
    const target = {
      tagName: 'SCRIPT',
      sourceUrl: 'https://u@CDN.example.net/pay/widget.js?k=1',
      attributes: {},
    };
    const event = browserEvent({ kind: 'resource_error', opaque: true, target });
    expect(eventTitle(frontendException({ browserEvent: event }))).toBe(
      'Failed to load script cdn.example.net/pay/widget.js',
    );
    const untagged = browserEvent({ kind: 'resource_error', target: { ...target, tagName: null } });
    expect(eventTitle(frontendException({ browserEvent: untagged }))).toMatch(/^Failed to load resource cdn/);
  });

  it('describes events that open no incident as well', () => {
    const deploy = { commitSha: 'a1b2', version: null, branch: null, environment: 'p', deployedAtMs: 0 };
    expect(eventTitle(buildEvent('deploy_metadata', { kind: 'deploy', ...deploy }))).toBe('Deploy a1b2');
  });

  it('is cut at 200 characters without splitting one', () => {
    expect(eventTitle(logEvent('x'.repeat(300)))).toBe('x'.repeat(200));
    expect(eventTitle(logEvent(`${'x'.repeat(199)}😀`))).toBe('x'.repeat(199));
  });

  it('has 1 to 200 characters on one line for any text', () => {
    const text = fc.string({ unit: 'binary', maxLength: 400 });
    fc.assert(
      fc.property(text, text, (name, message) => {
        for (const event of [
          backendException({ name, message }),
          logEvent(message),
          requestEvent(name, message, 500),
        ]) {
          const title = eventTitle(event);
          expect(title.trim().length).toBeGreaterThan(0);
          expect(title.length).toBeLessThanOrEqual(200);
        }
        expect(eventTitle(backendException({ name, message }))).not.toContain('\n');
      }),
    );
  });
});

describe('availabilityTitle', () => {
  it('names the check', () => {
    expect(availabilityTitle('Home page')).toBe('Availability check failing: Home page');
    expect(availabilityTitle('x'.repeat(300))).toHaveLength(200);
  });
});
