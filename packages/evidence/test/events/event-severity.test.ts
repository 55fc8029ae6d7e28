import { describe, expect, it } from 'vitest';
import type { BrowserEvent, LogLevel, NormalizedEvent } from '../../src/events/normalize/event.ts';
import { eventSeverity, maxSeverity, severityRank } from '../../src/events/normalize/event-severity.ts';
import {
  backendException,
  browserEvent,
  buildEvent,
  frontendException,
  logEvent,
  requestEvent,
} from './build-event.ts';

const SERVER = { isServerToken: true, hasFrames: true };

function ofLevel(level: LogLevel): NormalizedEvent {
  const event = logEvent('m');
  if (event.payload.kind !== 'log') throw new Error('unexpected kind');
  return { ...event, payload: { ...event.payload, level } };
}

function inBrowser(fields: Partial<BrowserEvent>): NormalizedEvent {
  return frontendException({ browserEvent: browserEvent(fields) });
}

/** A `link` hint that failed while the page was going away. */
function hint(
  rel: string,
  visibilityState: string | null,
  readyState: string | null,
  tagName = 'LINK',
): NormalizedEvent {
  return inBrowser({
    kind: 'resource_error',
    opaque: true,
    target: { tagName, sourceUrl: '/x', attributes: { rel } },
    page: { url: null, referrer: null, readyState, visibilityState },
  });
}

describe('the severity of one event (docs/contract/incidents.md 5.6)', () => {
  it.each([
    'ResizeObserver loop completed with undelivered notifications.',
    'Extension context invalidated.',
    'Non-Error promise rejection captured with value: Object Not Found Matching Id:3, MethodName:update, ParamCount:4',
    "Can't find variable: _AutofillCallbackHandler",
    'Java object is gone',
    'Error invoking postMessage: Java exception was raised during method invocation',
    'Cannot redefine property: googletag',
    'Cannot redefine property: ethereum',
    "undefined is not an object (evaluating 'window.webkit.messageHandlers.selectedDebugHandler.postMessage')",
    "Can't find variable: instantSearchSDKJSBridgeClearHighlight",
    "undefined is not an object (evaluating '__gCrWeb.instantSearch.setIgnoredElement')",
    'Could not establish connection. Receiving end does not exist.',
  ])('is low for the noise %j', (message) => {
    expect(
      eventSeverity(frontendException({ message, stack: 'f@https://shop.example/a.js:1:2' }), SERVER),
    ).toBe('low');
  });

  it.each([
    'TypeError: x\n    at f (chrome-extension://abc/content.js:1:2)\n    at g (https://shop.example/a.js:1:2)',
    'f@webkit-masked-url://hidden/:1:2\ng@https://shop.example/a.js:1:2',
    'f@safari-web-extension://abc/x.js:1:2',
    'TypeError: x\n    at f (iabjs://navigation_performance_logger.js:1:2)',
  ])('is low where the innermost frame is not of the page: %j', (stack) => {
    expect(eventSeverity(frontendException({ message: 'x is not a function', stack }), SERVER)).toBe('low');
  });

  it.each([
    ['The extension of your context expired', 'f@https://shop.example/a.js:1:2'],
    ['Object not found', 'f@https://shop.example/a.js:1:2'],
    ['Java is not installed', 'f@https://shop.example/a.js:1:2'],
    [
      'boom',
      'Error: boom\n    at f (https://shop.example/a.js:1:2)\n    at g (chrome-extension://abc/x.js:1:2)',
    ],
    ['fetch chrome-extension://abc failed', 'Error\n    at f (https://shop.example/a.js:1:2)'],
  ])('is high for the own failure %j', (message, stack) => {
    expect(eventSeverity(frontendException({ message, stack }), SERVER)).toBe('high');
  });

  const suppressed = buildEvent('error_suppressed', {
    kind: 'suppressed',
    suppressedCount: 1,
    windowSeconds: 30,
    firstSeenMs: 0,
    lastSeenMs: 0,
    isQueuePressure: false,
    sampleEventId: null,
    repeatedType: null,
  });
  const crumb = buildEvent('frontend_breadcrumb', {
    kind: 'breadcrumb',
    breadcrumb: { breadcrumbType: 'click', route: null, data: {}, timestampMs: 0 },
  });

  it.each<[string, NormalizedEvent, string]>([
    ['a backend exception', backendException(), 'high'],
    ['a browser exception', frontendException(), 'high'],
    ['a window error that is not opaque', inBrowser({ kind: 'window_error' }), 'high'],
    ['a resource error that is not opaque', inBrowser({ kind: 'resource_error' }), 'high'],
    ['an opaque window error', inBrowser({ kind: 'window_error', opaque: true }), 'low'],
    ['an opaque resource error', inBrowser({ kind: 'resource_error', opaque: true }), 'medium'],
    ['a preload given up by a hidden page', hint('preload', 'hidden', 'loading'), 'low'],
    ['a modulepreload given up while prerendering', hint('modulepreload', 'prerender', 'interactive'), 'low'],
    ['a prefetch given up by a page that left', hint('next PREFETCH', 'unloaded', null), 'low'],
    ['a preload of a hidden page that was complete', hint('preload', 'hidden', 'complete'), 'medium'],
    ['a preload of a visible page', hint('preload', 'visible', 'loading'), 'medium'],
    ['a stylesheet of a hidden page', hint('stylesheet', 'hidden', 'loading'), 'medium'],
    ['a script of a hidden page', hint('preload', 'hidden', 'loading', 'script'), 'medium'],
    ['an answer of 500', requestEvent('GET', '/', 500), 'high'],
    ['an answer of 404', requestEvent('GET', '/', 404), 'high'],
    ['an answer of 200', requestEvent('GET', '/', 200), 'low'],
    ['a debug line', ofLevel('debug'), 'low'],
    ['an error line', ofLevel('error'), 'low'],
    ['a critical line', ofLevel('critical'), 'high'],
    ['a fatal line', ofLevel('fatal'), 'high'],
    ['a suppression', suppressed, 'medium'],
    ['a breadcrumb', crumb, 'low'],
  ])('%s', (_, event, severity) => {
    expect(eventSeverity(event, SERVER)).toBe(severity);
  });

  it('is low for a bare script error without frames and without browser event', () => {
    const bare = { isServerToken: false, hasFrames: false };
    for (const message of ['Script error.', 'Script error', ' Script error. ']) {
      expect(eventSeverity(frontendException({ message }), bare)).toBe('low');
    }
    expect(eventSeverity(frontendException({ message: 'Script error.' }), { ...bare, hasFrames: true })).toBe(
      'high',
    );
    expect(eventSeverity(frontendException({ message: 'Script error. In x' }), bare)).toBe('high');
    const known = frontendException({
      message: 'Script error.',
      browserEvent: browserEvent({ opaque: false }),
    });
    expect(eventSeverity(known, bare)).toBe('high');
    expect(eventSeverity(backendException({ message: 'Script error.' }), bare)).toBe('high');
  });

  it('can be told whether a request was an immediate failure', () => {
    expect(eventSeverity(requestEvent('GET', '/', 404), { ...SERVER, isImmediateFailure: false })).toBe(
      'low',
    );
    expect(eventSeverity(requestEvent('GET', '/', 404), { ...SERVER, isImmediateFailure: true })).toBe(
      'high',
    );
  });

  it('is raised by the context of a server event, never lowered', () => {
    const claim = (event: NormalizedEvent, severity: string, isServerToken = true) =>
      eventSeverity({ ...event, context: { severity } }, { isServerToken, hasFrames: true });
    expect(claim(backendException(), 'critical')).toBe('critical');
    expect(claim(backendException(), 'low')).toBe('high');
    expect(claim(logEvent('m'), 'medium')).toBe('medium');
    expect(claim(logEvent('m'), 'CRITICAL')).toBe('low');
    expect(claim(backendException(), 'critical', false)).toBe('high');
    expect(claim(frontendException(), 'critical')).toBe('high');
    expect(claim(crumb, 'critical')).toBe('low');
  });

  it('has an order', () => {
    expect((['low', 'medium', 'high', 'critical'] as const).map(severityRank)).toEqual([0, 1, 2, 3]);
    expect(maxSeverity('low', 'high')).toBe('high');
    expect(maxSeverity('critical', 'medium')).toBe('critical');
  });
});
