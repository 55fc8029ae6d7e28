import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addressForPage } from '../../src/platform/http/server/app-address.ts';
import { launchBrowser } from '../support/browser.ts';
import { addressOf, createDataDirectory, type RunningProgram, startProgram } from '../support/program.ts';
import { reservePort } from '../support/reserved-port.ts';

/** Under which address people find the service, so that their browser's cookies work. */

const APP = 'http://localhost:4800';
const PAGE = 'text/html,application/xhtml+xml,*/*;q=0.8';

describe('a page', () => {
  it.each([
    ['127.0.0.1:4800', '/', `${APP}/`],
    ['127.0.0.1:4800', '/docs?x=1', `${APP}/docs?x=1`],
    ['[::1]:4800', '/incidents', `${APP}/incidents`],
    ['127.9.9.9:4800', '//evil.example', `${APP}//evil.example`],
    ['localhost:4800', '/docs', null],
    ['LOCALHOST:4800', '/docs', null],
    ['127.0.0.1:9999', '/docs', null],
    ['errors.example.com:4800', '/docs', null],
    ['127.0.0.1.example.com:4800', '/docs', null],
    ['localhost.example.com', '/docs', null],
    ['127.0.0.1:4800', '/v1/incidents', null],
    ['127.0.0.1:4800', '/v1', null],
    ['127.0.0.1:4800', '/v1x', `${APP}/v1x`],
    ['127.0.0.1:4800', '/openapi.json', null],
    ['127.0.0.1:4800', '/ready?x', null],
    ['127.0.0.1:4800', '/assets/app.js', null],
    ['127.0.0.1:4800', 'http://127.0.0.1:4800/docs', null],
    ['not a host', '/docs', null],
    [undefined, '/docs', null],
  ])('asked for at %s, path %s, is at %s', (host, target, expected) => {
    expect(addressForPage({ method: 'GET', host, accept: PAGE, target }, APP)).toBe(expected);
    expect(addressForPage({ method: 'HEAD', host, accept: PAGE, target }, APP)).toBe(expected);
    for (const method of ['POST', 'PATCH', 'OPTIONS', undefined]) {
      expect(addressForPage({ method, host, accept: PAGE, target }, APP)).toBeNull();
    }
    for (const accept of [undefined, '*/*', 'application/json']) {
      expect(addressForPage({ method: 'GET', host, accept, target }, APP)).toBeNull();
    }
  });

  it('is found under the name of 127.0.0.1 where the app has that, and never moved from a public name', () => {
    const page = { method: 'GET', accept: PAGE, target: '/' };
    expect(addressForPage({ ...page, host: 'localhost:4800' }, 'http://127.0.0.1:4800')).toBe(
      'http://127.0.0.1:4800/',
    );
    for (const host of ['localhost', '127.0.0.1', 'errors.example.com']) {
      expect(addressForPage({ ...page, host }, 'https://errors.example.com')).toBeNull();
    }
  });
});

describe('the service on a port of its own', { timeout: 120_000 }, () => {
  let data: Awaited<ReturnType<typeof createDataDirectory>>;
  let server: RunningProgram;
  let port: number;
  beforeAll(async () => {
    [data, port] = await Promise.all([createDataDirectory(), reservePort()]);
    server = startProgram({ CULPRIT_DATA_DIR: data.path, CULPRIT_PORT: String(port) });
    await addressOf(server);
  }, 120_000);
  afterAll(async () => {
    server.kill('SIGTERM');
    await server.ended;
    await data.remove();
  });

  it('prints the address at which cookies work', () => {
    expect(server.stdout()).toContain(
      `Culprit is ready at http://localhost:${port} (API reference: http://localhost:${port}/docs), listening on http://127.0.0.1:${port}\n`,
    );
    expect(server.stdout()).not.toContain('/v1/auth/request-code');
  });

  it('moves no request of a program', async () => {
    for (const path of ['/', '/docs']) {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, { redirect: 'manual' });
      expect([path, answer.headers.get('location')]).toEqual([path, null]);
    }
    const posted = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', redirect: 'manual' });
    expect([posted.status, await posted.text()]).toEqual([404, '{"error":"not_found"}']);
  });

  it('leads a browser from either loopback name to the one whose origin may write', async () => {
    const browser = await launchBrowser();
    try {
      const page = await browser.newPage();
      const answer = await page.goto(`http://127.0.0.1:${port}/docs`);
      expect(answer?.status()).toBe(200);
      expect(page.url()).toBe(`http://localhost:${port}/docs`);
      expect(await page.title()).toContain('Culprit');
    } finally {
      await browser.close();
    }
  });
});
