import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestCulprit } from '../../../server/test/support/culprit.ts';
import { startCulprit } from '../../../server/test/support/culprit.ts';
import { DASHBOARD_DIRECTORY, startWithDashboard } from '../support/dashboard.ts';
import { soon } from '../support/soon.ts';
import { copySources, type SourceCopy } from '../support/source-copy.ts';

/** docs/contract/dashboard.md 2.2, row by row. */

const PAGE = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";
const NOT_FOUND = '{"error":"not_found"}';

describe('the built dashboard', { timeout: 120_000 }, () => {
  let culprit: TestCulprit;
  let script: string;
  beforeAll(async () => {
    culprit = await startWithDashboard({ hasWorker: false });
    const names = readdirSync(join(DASHBOARD_DIRECTORY, 'assets'));
    script = `/assets/${names.find((name) => /^frame-.*\.js$/.test(name))}`;
  }, 180_000);
  afterAll(() => culprit?.stop());

  const ask = (path: string, init: RequestInit = {}) =>
    fetch(`${culprit.url}${path}`, { redirect: 'manual', ...init });

  it.each([
    '/',
    '/login',
    '/incidents/inc_1',
    '/bundles/bun_1/reproduction',
    '/projects/p/alerts',
    '/settings',
  ])('answers the page at %s', async (path) => {
    for (const method of ['GET', 'HEAD']) {
      const answer = await ask(path, { method, headers: PAGE });
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
      expect(answer.headers.get('cache-control')).toBe('no-cache');
      expect(answer.headers.get('vary')).toContain('Accept-Encoding');
    }
  });

  it('carries the headers that hold the page to itself', async () => {
    for (const path of ['/', script, '/assets/build.json', '/robots.txt', '/nothing/here']) {
      const { headers } = await ask(path, { headers: PAGE });
      expect(headers.get('content-security-policy'), path).toBe(POLICY);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('x-frame-options')).toBe('DENY');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
      expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
      expect(headers.get('permissions-policy')).toContain('camera=()');
    }
  });

  it('sends files compressed as the client takes them, with one name for ever', async () => {
    const forms = await Promise.all(
      ['br, gzip', 'gzip', 'br;q=0', 'identity'].map((encoding) =>
        ask(script, { headers: { 'accept-encoding': encoding } }),
      ),
    );
    expect(forms.map(({ headers }) => headers.get('content-encoding'))).toEqual(['br', 'gzip', null, null]);
    const texts = await Promise.all(forms.map((answer) => answer.text()));
    expect(new Set(texts).size).toBe(1);
    expect(forms[0]?.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(new Set(forms.map(({ headers }) => headers.get('etag'))).size).toBe(3);
  });

  it('answers 304 to who has it already', async () => {
    for (const path of ['/', '/assets/build.json', '/robots.txt']) {
      const etag = (await ask(path, { headers: PAGE })).headers.get('etag') ?? '';
      expect((await ask(path, { headers: { ...PAGE, 'if-none-match': etag } })).status, path).toBe(304);
      expect((await ask(path, { headers: { ...PAGE, 'if-none-match': '"other"' } })).status, path).toBe(200);
    }
  });

  it('shows people an unknown address as a page, and answers programs as before', async () => {
    const page = await ask('/nothing/here', { headers: PAGE });
    expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    const cases: [string, RequestInit][] = [
      ['/nothing/here', {}],
      ['/nothing/here', { headers: PAGE, method: 'POST' }],
      ['/v1/none', { headers: PAGE }],
      ['/assets/none.js', { headers: PAGE }],
      ['/assets/..%2f..%2fpackage.json', {}],
      ['/docs/none', { headers: PAGE }],
      ['/incidents', { method: 'POST' }],
      ['/', { method: 'POST' }],
    ];
    for (const [path, init] of cases) {
      const answer = await ask(path, init);
      expect([path, answer.status, await answer.text()]).toEqual([path, 404, NOT_FOUND]);
    }
  });

  it('leaves what is not its own as it is', async () => {
    for (const path of ['/docs', '/openapi.json', '/health', '/live', '/ready', '/metrics']) {
      const answer = await ask(path, { headers: PAGE });
      expect([path, answer.status]).toEqual([path, 200]);
      expect(answer.headers.get('content-security-policy')).not.toBe(POLICY);
    }
  });
});

describe('without a build', { timeout: 60_000 }, () => {
  it('the page says that it comes, and asks again by itself; the API answers', async () => {
    const culprit = await startCulprit({ hasWorker: false, dashboardDirectory: '/nowhere/dist' });
    try {
      const answer = await fetch(`${culprit.url}/`, { headers: PAGE });
      expect([answer.status, answer.headers.get('refresh')]).toEqual([503, '1']);
      expect(await answer.text()).toContain('The dashboard is not built yet');
      expect((await fetch(`${culprit.url}/health`)).status).toBe(200);
    } finally {
      await culprit.stop();
    }
  });

  it('and switched off, / is an unknown path', async () => {
    const culprit = await startCulprit({ hasWorker: false });
    try {
      const answer = await fetch(`${culprit.url}/`, { headers: PAGE });
      expect([answer.status, await answer.text()]).toEqual([404, NOT_FOUND]);
    } finally {
      await culprit.stop();
    }
  });
});

describe('npm start', { timeout: 180_000 }, () => {
  let copy: SourceCopy;
  beforeAll(async () => {
    copy = await copySources();
  }, 60_000);
  afterAll(() => copy?.remove());

  const page = async (url: string) => {
    const answer = await fetch(`${url}/`, { headers: PAGE });
    return { status: answer.status, text: await answer.text() };
  };
  const scripts = () =>
    readdirSync(join(copy.dashboard, 'dist/assets'))
      .filter((name) => /^index-.*\.js$/.test(name))
      .map((name) => readFileSync(join(copy.dashboard, 'dist/assets', name), 'utf8'));

  it('builds what is missing or of other sources and nothing else, and serves the API where a build fails', async () => {
    copy.writeScript("document.title = 'the first';");
    const first = await copy.start();
    await soon(async () => (await page(first.url)).status).toBe(200);
    expect(first.output()).toContain('Dashboard built in');
    expect(scripts().join()).toContain('the first');
    await first.stop();

    const marker = join(copy.dashboard, 'dist/.build.json');
    const builtAt = statSync(marker).mtimeMs;
    const second = await copy.start();
    expect((await page(second.url)).status).toBe(200);
    await second.stop();
    expect(second.output()).not.toContain('Dashboard built');
    expect(statSync(marker).mtimeMs).toBe(builtAt);

    copy.writeScript('document.title = ;');
    const failing = await copy.start();
    await soon(async () => (await page(failing.url)).text).toContain('The dashboard could not be built');
    expect((await page(failing.url)).status).toBe(503);
    expect(failing.output()).toContain('The dashboard could not be built; the API works without it.');
    expect(failing.output()).toMatch(/packages\/dashboard\/src\/main\.tsx:2:18/);
    expect((await fetch(`${failing.url}/v1/server`)).status).toBe(200);
    await failing.stop();

    copy.writeScript("document.title = 'the second';");
    const mended = await copy.start();
    await soon(async () => (await page(mended.url)).status).toBe(200);
    expect(scripts().join()).toContain('the second');
    await mended.stop();
  });
});
