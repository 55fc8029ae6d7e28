import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../../server/test/support/seeded-random.ts';
import { checkEvent } from '../../../src/events/envelope/check-event.ts';
import { mapReports, type ReportSource, readReports } from '../../../src/foreign/reports/map-reports.ts';

const SOURCE: ReportSource = {
  serviceName: 'web',
  environment: 'staging',
  release: '1.2.0',
  userAgent: 'Mozilla/5.0 (request)',
  receivedAtMs: Date.UTC(2026, 2, 24, 10, 30, 0),
};

const POLICY = "default-src 'self'; report-uri https://errors.example/api/1/security/?sentry_key=0123";

/** What Chromium posts for `report-uri`. */
const CSP = {
  'document-uri': 'https://user:secret@shop.example/cart/17?token=abc#top',
  referrer: 'https://shop.example/?session=abc',
  'violated-directive': 'script-src-elem',
  'effective-directive': 'script-src-elem',
  'original-policy': POLICY,
  disposition: 'enforce',
  'blocked-uri': 'https://cdn.evil.example:8443/x.js?key=abc',
  'line-number': 12,
  'column-number': 3,
  'source-file': 'https://shop.example/app.js?v=1',
  'status-code': 200,
  'script-sample': 'alert("secret")',
};

const reportsOf = (json: unknown) => mapReports(readReports(json) ?? [], SOURCE);
const only = (json: unknown) => {
  const { reports } = reportsOf(json);
  const [report, ...others] = reports;
  if (report === undefined || others.length > 0) throw new Error(`${reports.length} reports`);
  return { ...report, event: report.event(report.count) };
};
const report = (type: string, body: object, own: object = {}) => ({
  type,
  age: 1_500,
  url: 'https://shop.example/cart/17?token=abc',
  user_agent: 'Mozilla/5.0 (report)',
  body,
  ...own,
});
const csp = (own: object) => ({ 'csp-report': { ...CSP, ...own } });

describe('a report of a content security policy', () => {
  it('names directive and host, and keeps no query, user, fragment, policy or sample', () => {
    const { event, kind } = only(csp({}));
    expect(kind).toBe('csp-violation');
    expect(event).toEqual({
      schema_version: 'report-1',
      event_type: 'log_event',
      occurred_at: '2026-03-24T10:30:00.000Z',
      sdk_name: 'browser-report',
      sdk_version: '1',
      sdk_language: 'javascript',
      service: { name: 'web', environment: 'staging', runtime: 'browser' },
      context: { release: '1.2.0' },
      payload: {
        message: 'CSP blocked script-src-elem: cdn.evil.example:8443',
        level: 'warning',
        captured: true,
        device: { user_agent: 'Mozilla/5.0 (request)' },
        attributes: {
          kind: 'csp-violation',
          route: '/cart/17',
          page: 'https://shop.example/cart/17',
          directive: 'script-src-elem',
          blocked: 'https://cdn.evil.example:8443/x.js',
          source: 'https://shop.example/app.js',
          line: 12,
          column: 3,
          disposition: 'enforce',
          status: 200,
          referrer: 'https://shop.example',
          count: 1,
        },
      },
    });
  });

  it('has a word where nothing was fetched', () => {
    const messageOf = (blocked: string) =>
      (only(csp({ 'blocked-uri': blocked })).event.payload as { message: string }).message;
    expect(
      ['inline', 'eval', 'data', 'data:text/html,<b>', 'blob', 'wasm-eval', 'self', 'trusted-types-sink'].map(
        messageOf,
      ),
    ).toEqual(
      ['inline', 'eval', 'data', 'data', 'blob', 'wasm-eval', 'self', 'trusted-types-sink'].map(
        (word) => `CSP blocked script-src-elem: ${word}`,
      ),
    );
  });

  it('of an older browser has the directive without its sources', () => {
    const old = csp({
      'effective-directive': undefined,
      'violated-directive': "img-src 'self' https://a.example",
    });
    expect(only(JSON.parse(JSON.stringify(old))).event.payload).toMatchObject({
      message: 'CSP blocked img-src: cdn.evil.example:8443',
    });
  });

  it('that only reports is a notice', () => {
    expect(only(csp({ disposition: 'report' })).event.payload).toMatchObject({ level: 'info' });
  });

  it('is the same in the form of the Reporting API', () => {
    const body = {
      documentURL: 'https://shop.example/cart/17?token=abc',
      blockedURL: 'https://cdn.evil.example:8443/x.js?key=abc',
      effectiveDirective: 'script-src-elem',
      originalPolicy: POLICY,
      sample: 'alert("secret")',
      disposition: 'enforce',
      sourceFile: 'https://shop.example/app.js?v=1',
      lineNumber: 12,
      columnNumber: 3,
      statusCode: 200,
    };
    const { event } = only([report('csp-violation', body)]);
    expect(event).toMatchObject({
      occurred_at: '2026-03-24T10:29:58.500Z',
      payload: {
        message: 'CSP blocked script-src-elem: cdn.evil.example:8443',
        device: { user_agent: 'Mozilla/5.0 (report)' },
        attributes: { route: '/cart/17', source: 'https://shop.example/app.js', line: 12 },
      },
    });
    expect(JSON.stringify(event)).not.toMatch(/secret|token|key=|sentry_key/);
  });

  it.each([
    'chrome-extension',
    'chrome-extension://abcdef/content.js',
    'moz-extension://abcdef/content.js',
    'safari-web-extension://abcdef/x.js',
    'about',
    'about:blank',
    'webviewprogressproxy:///complete',
  ])('of %s is not taken', (address) => {
    for (const own of [{ 'blocked-uri': address }, { 'source-file': address }]) {
      const { reports, notTaken } = reportsOf(csp(own));
      expect([reports.length, notTaken.get('csp-violation')]).toEqual([0, 1]);
    }
  });
});

describe('a report of another type', () => {
  it.each([
    [
      report('network-error', {
        type: 'dns.name_not_resolved',
        phase: 'dns',
        method: 'GET',
        status_code: 0,
        elapsed_time: 12,
      }),
      'Network error dns dns.name_not_resolved: shop.example',
      'warning',
    ],
    [report('crash', { reason: 'oom' }), 'Page crashed: oom', 'error'],
    [report('crash', {}), 'Page crashed: unknown', 'error'],
    [report('intervention', { id: 'HeavyAd', message: 'removed' }), 'intervention: HeavyAd', 'warning'],
    [report('deprecation', { id: 'UnloadHandler', message: 'old' }), 'deprecation: UnloadHandler', 'info'],
    [
      report('permissions-policy-violation', { featureId: 'camera' }),
      'permissions-policy-violation: camera',
      'warning',
    ],
    [
      report('document-policy-violation', { policyId: 'js-profiling' }),
      'document-policy-violation: js-profiling',
      'warning',
    ],
    [
      report('integrity-violation', { blockedURL: 'https://cdn.example/a.js?x=1', destination: 'script' }),
      'integrity-violation: cdn.example',
      'warning',
    ],
    [
      report('coep', { type: 'corp', blockedURL: 'https://img.example/a.png' }),
      'coep: img.example',
      'warning',
    ],
    [report('coop', { type: 'navigation-to-response' }), 'coop: navigation-to-response', 'warning'],
    [
      report('potential-permissions-policy-violation', { featureId: 'geolocation', disposition: 'report' }),
      'potential-permissions-policy-violation: geolocation',
      'warning',
    ],
    [
      report('feature-policy-violation', { feature: 'sync-xhr', sourceFile: 'https://shop.example/a.js' }),
      'permissions-policy-violation: sync-xhr',
      'warning',
    ],
    [
      report('csp', { directive: 'img-src', blocked: 'https://img.example/a.png', policy: 'img-src x' }),
      'CSP blocked img-src: img.example',
      'warning',
    ],
    [
      report('csp-violation', {
        effectiveDirective: 'require-trusted-types-for',
        blockedURL: 'trusted-types-sink',
        sample: 'Element innerHTML|<img',
      }),
      'CSP blocked require-trusted-types-for: trusted-types-sink',
      'warning',
    ],
  ])('becomes a line: %#', (sent, message, level) => {
    const { event } = only([sent]);
    expect(event.payload).toMatchObject({ message, level, captured: true });
    expect(checkEvent(event).ok).toBe(true);
    expect(JSON.stringify(event)).not.toContain('token');
  });

  it('of a crash keeps where the script was', () => {
    const stack = '    at loop (https://shop.example/app.js:7:3)';
    const { event } = only([report('crash', { reason: 'unresponsive', stack })]);
    expect(event.payload).toMatchObject({
      message: 'Page crashed: unresponsive',
      attributes: { stack: stack.trim() },
    });
  });

  it.each([
    { 'expect-ct-report': { hostname: 'shop.example', 'effective-expiration-date': '2026-01-01T00:00:00Z' } },
    { 'expect-staple-report': { hostname: 'shop.example' } },
    { 'date-time': '2026-01-01T00:00:00Z', hostname: 'shop.example', 'known-pins': [] },
  ])('of certificates in the form of its own is counted alone: %#', (sent) => {
    const { reports, notTaken } = reportsOf(sent);
    expect([reports, [...notTaken]]).toEqual([[], [['unknown', 1]]]);
  });

  it('that says nothing, or is unknown, is counted alone', () => {
    const { reports, notTaken } = reportsOf([
      report('network-error', { type: 'ok' }),
      report('expect-ct-report', {}),
      report('public-key-pins', {}),
      report('constructor', {}),
      report('csp-violation', {}),
      { type: 7 },
      null,
    ]);
    expect(reports).toEqual([]);
    expect([...notTaken]).toEqual([
      ['network-error', 1],
      ['unknown', 4],
      ['csp-violation', 1],
    ]);
  });
});

describe('a request', () => {
  it('of equal reports is one event with their count', () => {
    const other = csp({ 'document-uri': 'https://shop.example/other' });
    const sent = [...Array.from({ length: 5 }, () => CSP), other['csp-report']].map((body) =>
      report('csp-violation', { ...body, effectiveDirective: 'script-src' }, { url: body['document-uri'] }),
    );
    const { reports } = reportsOf(sent);
    expect(reports.map(({ count }) => count)).toEqual([5, 1]);
    expect(reports[0]?.event(9).payload).toMatchObject({ attributes: { count: 9 } });
  });

  it('of more than 100 reports is read to the hundredth', () => {
    const sent = Array.from({ length: 130 }, (_, index) => report('deprecation', { id: `D${index}` }));
    const { reports, overLimit } = reportsOf(sent);
    expect([reports.length, overLimit]).toEqual([100, 30]);
  });

  it('names the origin of its page', () => {
    expect(reportsOf(csp({})).origin).toBe('https://shop.example');
    expect(reportsOf([report('crash', {}, { url: 'https://a.example:8443/x' })]).origin).toBe(
      'https://a.example:8443',
    );
    expect(reportsOf(csp({ 'document-uri': 'about:blank' })).origin).toBeNull();
  });

  it('of neither form is none', () => {
    for (const json of [{}, { 'csp-report': [] }, { type: 'crash' }, 'x', 7, null, undefined]) {
      expect(readReports(json)).toBeNull();
    }
  });

  it('of any members becomes what intake takes', () => {
    const random = seededRandom(11);
    const values = [
      null,
      7,
      -1,
      true,
      '',
      'x',
      'https://a.example/b?c',
      [],
      {},
      'a'.repeat(5_000),
      '\u0000',
      '\ud800',
    ];
    const types = ['csp-violation', 'network-error', 'crash', 'deprecation', 'coep', 'unheard'];
    const keys = [
      'blockedURL',
      'effectiveDirective',
      'sourceFile',
      'lineNumber',
      'id',
      'message',
      'reason',
      'type',
    ];
    for (let round = 0; round < 3_000; round += 1) {
      const body = Object.fromEntries(keys.map((key) => [key, random.pick(values)]));
      const sent = { type: random.pick(types), age: random.pick(values), url: random.pick(values), body };
      for (const { event } of reportsOf([sent]).reports)
        expect(checkEvent(event(1))).toMatchObject({ ok: true });
    }
  });
});
