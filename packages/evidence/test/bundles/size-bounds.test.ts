import { describe, expect, it } from 'vitest';
import { assembleBundle } from '../../src/bundles/document/assemble-bundle.ts';
import { writeBundle } from '../../src/bundles/document/bundle-bytes.ts';
import type { BundleDocument } from '../../src/bundles/document/bundle-document.ts';
import {
  boundBody,
  boundEntries,
  cutStack,
  cutText,
  takeHead,
} from '../../src/bundles/document/size-bounds.ts';
import type { BundleEvidence } from '../../src/bundles/evidence/bundle-evidence.ts';
import type { NormalizedEvent } from '../../src/events/normalize/event.ts';
import {
  breadcrumb,
  EX_STACK,
  evidenceOf,
  exception,
  frontendException,
  log,
  MOMENT_MS,
  probe,
  request,
  response,
} from './build-evidence.ts';

const KIB = 1024;

function bundleOf(occurrence: NormalizedEvent, fields: Partial<BundleEvidence> = {}): BundleDocument {
  return assembleBundle(evidenceOf(occurrence, fields));
}

function bytesOf(document: BundleDocument): number {
  return writeBundle(document).bytes.length;
}

describe('cutting text', () => {
  it.each([
    ['abc', 3, 'abc'],
    ['abcdefghijklmnop', 15, 'abcd[Truncated]'],
    // Two bytes each: the cut falls inside the third character and goes before it.
    ['ääääääääää', 16, 'ää[Truncated]'],
    ['🦊🦊🦊🦊🦊', 16, '🦊[Truncated]'],
  ])('%s to %i bytes', (text, bytesMax, expected) => {
    expect(cutText(text, bytesMax)).toBe(expected);
  });

  it('never leaves half a character', () => {
    for (let bytes = 0; bytes <= 16; bytes++) {
      const head = takeHead('a🦊é🦊', bytes);
      expect('a🦊é🦊'.startsWith(head)).toBe(true);
      expect(Buffer.byteLength(head)).toBeLessThanOrEqual(bytes);
    }
  });

  it('keeps 24 KiB of the head and 8 KiB of the tail of a stack', () => {
    const stack = `HEAD${'h'.repeat(100 * KIB)}🦊${'t'.repeat(100 * KIB)}TAIL`;
    const cut = cutStack(stack);
    expect(Buffer.byteLength(cut)).toBe(32 * KIB);
    expect(cut).toMatch(/^HEADh+\n\[Truncated\]\nt+TAIL$/);
    expect(cut.split('\n')[2]).toHaveLength(8 * KIB);
    expect(cutStack('short')).toBe('short');
  });

  it('replaces a large body by its size and head', () => {
    expect(boundBody({ a: 1 }, 7)).toEqual({ a: 1 });
    expect(boundBody({ a: 10 }, 7)).toEqual({ truncated: true, bytes: 8, head: '{"a":10' });
    expect(boundBody('äöü', 5)).toEqual({ truncated: true, bytes: 6, head: 'äö' });
  });

  it('keeps 64 entries of headers and 1 KiB of each', () => {
    const map = Object.fromEntries(Array.from({ length: 80 }, (_, i) => [`h${i}`, i]));
    expect(Object.keys(boundEntries(map))).toHaveLength(64);
    const long = boundEntries({ text: 'x'.repeat(2 * KIB), list: Array.from({ length: 999 }, () => 'a') });
    expect(String(long.text)).toHaveLength(KIB);
    expect(String(long.list)).toMatch(/^\["a","a",.*\[Truncated\]$/);
  });
});

//
describe('one huge event', () => {
  const document = bundleOf(
    exception({
      message: 'm'.repeat(9 * KIB),
      stack: `${EX_STACK}\n${'    at f (/srv/app/src/a.js:1:1)\n'.repeat(6000)}`,
      request: request({ body: { text: 'r'.repeat(400 * KIB) }, headers: { host: 'a.example' } }),
      response: response({ body: 's'.repeat(300 * KIB) }),
    }),
  );

  it('fits into 512 KiB and says that both bodies were cut', () => {
    expect(bytesOf(document)).toBeLessThanOrEqual(512 * KIB);
    expect(document.context.request?.body).toMatchObject({ truncated: true, bytes: 400 * KIB + 11 });
    expect(document.context.response?.body).toMatchObject({ truncated: true, bytes: 300 * KIB });
  });

  it('keeps each part within its own bound', () => {
    expect(Buffer.byteLength(document.context.error?.message ?? '')).toBe(4 * KIB);
    expect(Buffer.byteLength(document.context.error?.stack ?? '')).toBe(32 * KIB);
    expect(document.context.error?.top_frames).toHaveLength(5);
  });
});

describe('bounds of lists', () => {
  it('50 logs of 2 KiB, 50 probe items of 8 KiB', () => {
    const near = (i: number) => ({ effectiveAtMs: MOMENT_MS - i });
    const correlated = Array.from({ length: 70 }, (_, i) => [
      {
        event: log('l'.repeat(3 * KIB), { attributes: { big: 'x'.repeat(5 * KIB) } }, near(i)),
        relation: 'trace' as const,
      },
      { event: probe('p', { big: 'x'.repeat(9 * KIB) }, near(i)), relation: 'trace' as const },
    ]).flat();
    const { logs } = bundleOf(exception(), {
      correlated: correlated.filter(({ event }) => event.eventType === 'log_event'),
    }).context;
    expect(logs?.items).toHaveLength(50);
    expect(logs?.items[0]?.message).toHaveLength(2 * KIB);
    expect(logs?.items[0]?.attributes).toMatchObject({ truncated: true });
    const { probe_data } = bundleOf(exception(), {
      correlated: correlated.filter(({ event }) => event.eventType === 'probe_event'),
    }).context;
    expect(probe_data?.items.length).toBeLessThanOrEqual(50);
    expect(probe_data?.items.at(-1)?.data).toMatchObject({ truncated: true, bytes: 9 * KIB + 10 });
  });

  it('50 entries of each frontend list, the nearest ones, oldest first', () => {
    const breadcrumbs = Array.from({ length: 100 }, (_, i) =>
      breadcrumb('click', { selector: `#b${i}` }, MOMENT_MS - i * 1000),
    );
    const { frontend } = bundleOf(frontendException({ breadcrumbs })).context;
    expect(frontend?.clicks.map((click) => click.selector)).toEqual(
      Array.from({ length: 50 }, (_, i) => `#b${49 - i}`),
    );
  });

  it('custom data shares 16 KiB', () => {
    const { custom } = bundleOf(
      exception({}, { context: { a: 'x'.repeat(20 * KIB) }, extra: { b: 1 } }),
    ).context;
    expect(custom?.context).toMatchObject({ truncated: true, bytes: 20 * KIB + 8 });
    expect(custom?.extra).toEqual({ b: 1 });
  });
});

describe('a document over 512 KiB', () => {
  const filler = (kib: number) => 'x'.repeat(kib * KIB);

  function crowded(logCount: number): BundleEvidence {
    const network = Array.from({ length: 50 }, (_, i) =>
      breadcrumb(
        'network_request',
        {
          method: 'GET',
          url: `/n${i}`,
          status_code: 500,
          response_body: filler(4),
          response_headers: { a: 'b' },
        },
        MOMENT_MS - 1000 - i,
      ),
    );
    const console = Array.from({ length: 50 }, (_, i) =>
      breadcrumb('console_log', { level: 'error', message: filler(2) }, MOMENT_MS - 1000 - i),
    );
    const occurrence = frontendException({
      request: request({ headers: { host: 'a.example' }, body: filler(16) }),
      response: response({ body: filler(16) }),
      breadcrumbs: [...network, ...console],
      stack: `Error: a\n    at f (/srv/app/src/a.js:1:1)\n${filler(40)}`,
    });
    const correlated = Array.from({ length: logCount }, (_, i) => ({
      event: log(`${i} ${filler(2)}`, { attributes: { big: filler(3) } }, { effectiveAtMs: MOMENT_MS - i }),
      relation: 'trace' as const,
    }));
    return evidenceOf(occurrence, { correlated });
  }

  it('first loses its console lines, then the bodies of network requests', () => {
    const full = assembleBundle(crowded(20));
    expect(bytesOf(full)).toBeLessThanOrEqual(512 * KIB);
    expect(full.context.frontend?.console_logs).toEqual([]);
    expect(full.context.frontend?.network_requests[0]).toHaveProperty('response_body');
    const fuller = assembleBundle(crowded(50));
    expect(bytesOf(fuller)).toBeLessThanOrEqual(512 * KIB);
    expect(fuller.context.frontend?.network_requests).toHaveLength(50);
    expect(fuller.context.frontend?.network_requests[0]).not.toHaveProperty('response_body');
    expect(fuller.context.frontend?.network_requests[0]).toHaveProperty('response_headers');
    expect(fuller.context.logs?.items).toHaveLength(50);
  });

  const probes = Array.from({ length: 50 }, (_, i) => ({
    event: probe(`p${i}`, { big: filler(7) }, { effectiveAtMs: MOMENT_MS - i }),
    relation: 'trace' as const,
  }));

  it('then loses its oldest logs', () => {
    const evidence = crowded(50);
    const document = assembleBundle({
      ...evidence,
      correlated: [...evidence.correlated, ...probes.slice(0, 20)],
    });
    expect(bytesOf(document)).toBeLessThanOrEqual(512 * KIB);
    const logs = document.context.logs?.items ?? [];
    expect(logs.length).toBeGreaterThan(0);
    expect(logs.length).toBeLessThan(50);
    expect(logs.at(-1)?.message.slice(0, 2)).toBe('0 ');
    expect(document.context.probe_data?.items.length).toBe(20);
    // No more than had to go: one further log, a few digits longer, would not have fitted.
    expect(bytesOf(document) + Buffer.byteLength(JSON.stringify(logs[0])) + 8).toBeGreaterThan(512 * KIB);
  });

  it('without logs to lose, loses its oldest probe items', () => {
    const wide = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`x-${i}`, filler(1)]));
    const occurrence = exception({
      request: request({ headers: wide, query: wide }),
      response: response({ headers: wide, body: filler(10) }),
    });
    const document = bundleOf(occurrence, { correlated: [...crowded(50).correlated, ...probes] });
    expect(bytesOf(document)).toBeLessThanOrEqual(512 * KIB);
    expect(document.context.logs === null).toBe(true);
    const items = document.context.probe_data?.items ?? [];
    expect(items.length).toBeGreaterThan(30);
    expect(items.length).toBeLessThan(50);
    expect(items.at(-1)?.label).toBe('p0');
    expect(document.context.response?.body === filler(10)).toBe(true);
  });

  it('then loses the response body, the request body, the frames and the cause chain, saying how large the bodies were', () => {
    // Escaped sixfold, so that headers alone nearly fill the document.
    const wide = Object.fromEntries(Array.from({ length: 64 }, (_, i) => [`x-${i}`, '\u0001'.repeat(KIB)]));
    const big = (headerCount: number) => Object.fromEntries(Object.entries(wide).slice(0, headerCount));
    const calls = Array.from(
      { length: 60 },
      (_, i) => `    at call${i} (/srv/app/src/${'deep/'.repeat(10)}a.js:${i}:1)`,
    );
    const stack = `${EX_STACK}\n${calls.join('\n')}\n  [cause]: Error: inner\n      at post (/srv/app/src/http/client.js:12:3)`;
    const documentOf = (headerCount: number) =>
      bundleOf(
        exception({
          stack,
          request: request({ query: wide, body: filler(15) }),
          response: response({ headers: big(headerCount), body: filler(15) }),
        }),
      );
    const states = Array.from({ length: 64 }, (_, count) => {
      const document = documentOf(count);
      expect(bytesOf(document)).toBeLessThanOrEqual(512 * KIB);
      const { request: sent, response: answered, error_chain, stack: frames } = document.context;
      const isWhole = [
        answered?.body === filler(15),
        sent?.body === filler(15),
        frames !== undefined,
        error_chain !== undefined,
      ];
      if (!isWhole[0]) expect(answered?.body).toEqual({ truncated: true, bytes: 15 * KIB, head: '' });
      if (!isWhole[1]) expect(sent?.body).toEqual({ truncated: true, bytes: 15 * KIB, head: '' });
      return isWhole.join();
    });
    expect([...new Set(states)]).toEqual([
      'true,true,true,true',
      'false,true,true,true',
      'false,false,true,true',
      'false,false,false,true',
      'false,false,false,false',
    ]);
  });

  it('fits even when every text is made of characters that grow sixfold as JSON', () => {
    const control = (kib: number) => '\u0001'.repeat(kib * KIB);
    const map = Object.fromEntries(Array.from({ length: 64 }, (_, i) => [`k${i}${control(1)}`, control(1)]));
    const occurrence = frontendException(
      {
        name: control(2),
        message: control(8),
        stack: `${EX_STACK}\n${control(64)}`,
        request: request({ path: `/${control(4)}`, headers: map, query: map, body: control(64) }),
        response: response({ headers: map, body: control(64) }),
        runtime: { version: control(2), cwd: control(8), framework_extras: { a: control(4) } },
        breadcrumbs: Array.from({ length: 100 }, () =>
          breadcrumb('network_request', {
            url: control(4),
            method: control(1),
            request_body: control(16),
            response_headers: map,
          }),
        ),
        causes: [],
      },
      {
        context: {
          dependencies: Array.from({ length: 60 }, () => ({ name: control(1), notes: control(1) })),
          a: control(60),
        },
        service: {
          name: 'checkout-api',
          environment: 'production',
          runtime: control(1),
          framework: control(1),
        },
        device: {
          userAgent: control(8),
          browser: { name: control(1), version: control(1) },
          os: null,
          deviceType: 'desktop',
          screen: null,
          viewport: null,
          devicePixelRatio: null,
          touchCapable: null,
          language: control(1),
          connectionType: control(1),
          colorSchemePreference: null,
          extra: {},
        },
      },
    );
    const correlated = Array.from({ length: 50 }, (_, i) => ({
      event: log(control(2), { attributes: { a: control(3) } }, { effectiveAtMs: MOMENT_MS - i }),
      relation: 'trace' as const,
    }));
    const document = bundleOf(occurrence, { correlated });
    expect(bytesOf(document)).toBeLessThanOrEqual(512 * KIB);
    expect(document.context.error?.message).toHaveLength(4 * KIB);
    expect(document.context.frontend).toBeNull();
  });

  it('reports no mark that was dropped with its block', () => {
    const evidence = crowded(50);
    const breadcrumbs = Array.from({ length: 50 }, () =>
      breadcrumb('console_log', { message: `${filler(2)}`, level: '[REDACTED]' }),
    );
    const own = frontendException({ breadcrumbs, request: request({ body: filler(16) }) });
    expect(bundleOf(own).redaction.redacted).toBe(true);
    const document = bundleOf(own, { correlated: [...evidence.correlated, ...probes.slice(0, 30)] });
    expect(document.context.frontend?.console_logs).toEqual([]);
    expect(document.redaction).toEqual({ redacted: false, fields: [], notes: null });
  });
});
