import { setTimeout as delay } from 'node:timers/promises';
import { createContext, Script } from 'node:vm';
import type { Delivery } from '../capture/event-sender.ts';
import { createPageCapture, type PageCapture } from '../capture/page-capture.ts';
import { createDocument } from './page-document.ts';

/**
 * A page as a browser shows it: loaded with its resources over HTTP, its scripts run, handlers called on clicks. Errors
 * reach the page's capture as they do in a browser.
 */
export interface Page {
  readonly traceId: string;
  /** What the visitor did and how the shop answered, such as `POST /api/checkout 500`. */
  readonly trail: string[];
  click(selector: string): Promise<void>;
  submit(selector: string, values: Readonly<Record<string, string>>): Promise<void>;
  /** Leaves the page. */
  close(): Promise<Delivery>;
}

export interface PageOptions {
  /** Of the shop. */
  origin: string;
  culprit: { baseUrl: string; projectToken: string };
}

/** People take their time; without it, all steps would have the same millisecond. */
const THINKING_MS = 5;
const USER_AGENT =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';
const RESOURCE = /<(link|script)\b[^>]*?\b(?:href|src)="([^"]+)"[^>]*>/g;

export async function openPage({ origin, culprit }: PageOptions): Promise<Page> {
  const answer = await fetch(`${origin}/`, { headers: { 'user-agent': USER_AGENT } });
  const html = await answer.text();
  const cookie = (answer.headers.get('set-cookie') ?? '').split(';', 1)[0] ?? '';
  const { document, dispatch } = createDocument(html);
  let route = '/';
  const trail: string[] = [];
  const capture = createPageCapture({
    ...culprit,
    service: 'shop-web',
    environment: 'production',
    release: /<meta name="release" content="([^"]*)"/.exec(html)?.[1] ?? 'unknown',
    userAgent: USER_AGENT,
    sessionId: cookie.split('=')[1] ?? null,
    route: () => route,
    pageUrl: `${origin}/`,
    htmlExcerpt: () => `<p id="message">${document.querySelector('#message')?.textContent ?? ''}</p>`,
  });
  const network = shopNetwork({ origin, cookie, capture, trail });
  const context = createContext({
    document,
    fetch: network,
    history: {
      pushState(_state: unknown, _title: string, path: string) {
        capture.breadcrumb('route_change', { from: route, to: path });
        route = path;
      },
    },
  });

  async function act(selector: string, type: 'click' | 'submit'): Promise<void> {
    try {
      await dispatch(selector, type);
    } catch (error) {
      capture.rejection(error);
      trail.push(
        error instanceof Error || isNamed(error) ? `${error.name} in the page` : 'error in the page',
      );
    }
  }

  for (const [, tag = '', address = ''] of html.matchAll(RESOURCE)) {
    await loadResource(tag, new URL(address, origin), { origin, capture, context, trail });
  }
  capture.breadcrumb('route_change', { from: null, to: route });
  return {
    traceId: capture.traceId,
    trail,
    async click(selector) {
      await delay(THINKING_MS);
      capture.breadcrumb('click', { selector });
      await act(selector, 'click');
    },
    async submit(selector, values) {
      await delay(THINKING_MS);
      const form = document.querySelector(selector);
      if (form !== null) form.elements = Object.entries(values).map(([name, value]) => ({ name, value }));
      capture.breadcrumb('form_submit', { form: selector, field_count: Object.keys(values).length });
      await act(selector, 'submit');
    },
    close: () => capture.flush(),
  };
}

/** `fetch` as the page sees it: relative addresses, the visitor's cookie, and the trace id for the own origin. */
function shopNetwork(page: {
  origin: string;
  cookie: string;
  capture: PageCapture;
  trail: string[];
}): (path: string, init: RequestInit) => Promise<Response> {
  return async (path, init) => {
    const headers = new Headers(init.headers);
    headers.set('user-agent', USER_AGENT);
    headers.set('referer', `${page.origin}/`);
    headers.set('cookie', page.cookie);
    headers.set('x-service-trace-id', page.capture.traceId);
    const begin = performance.now();
    const response = await fetch(new URL(path, page.origin), { ...init, headers });
    const method = init.method ?? 'GET';
    page.capture.breadcrumb('network_request', {
      method,
      url: path,
      status_code: response.status,
      duration_ms: Math.round(performance.now() - begin),
    });
    page.trail.push(`${method} ${path} ${response.status}`);
    return response;
  };
}

async function loadResource(
  tag: string,
  url: URL,
  page: { origin: string; capture: PageCapture; context: object; trail: string[] },
): Promise<void> {
  const response = await fetch(url, { headers: { 'user-agent': USER_AGENT, referer: `${page.origin}/` } });
  const text = await response.text();
  if (!response.ok) {
    page.capture.resourceError({
      tag_name: tag,
      source_url: url.href,
      attributes: tag === 'link' ? { rel: 'stylesheet' } : { type: 'text/javascript' },
    });
    page.trail.push(`${url.pathname} ${response.status}`);
    return;
  }
  if (tag !== 'script') return;
  try {
    new Script(text, { filename: url.href }).runInContext(page.context);
  } catch (error) {
    // Of a script that came from elsewhere without permission to look inside, a browser tells nothing.
    const isHidden = url.origin !== page.origin && !response.headers.has('access-control-allow-origin');
    if (isHidden) page.capture.opaqueError();
    else page.capture.rejection(error);
    page.trail.push(`error in ${isHidden ? 'a script of another origin' : url.pathname}`);
  }
}

/** Errors of the page are of the page's realm. */
function isNamed(error: unknown): error is { name: string } {
  return typeof error === 'object' && error !== null && 'name' in error && typeof error.name === 'string';
}
