import { setTimeout as delay } from 'node:timers/promises';
import type { Browser, CDPSession, Page, Request } from 'playwright-core';
import type { Service } from '../service/service.ts';

/** A page of a signed-in person, with nothing in its cache. */
export interface MeasuredPage {
  page: Page;
  /** From a click, a key or a step back that `act` makes to the frame that shows what is looked for, in milliseconds. */
  paintedAfter(act: () => Promise<void>, sought: Sought): Promise<number>;
  /** Waits until no request is open, except the stream of changes. */
  untilQuiet(): Promise<void>;
  /** Bytes of objects that are in use. */
  heapBytes(): Promise<number>;
  close(): Promise<void>;
}

/** The element that shows that a screen is there. */
export interface Sought {
  selector: string;
  /** In one of those that the selector finds. */
  text?: string;
  /** So many of them at least. */
  least?: number;
}

const QUIET_MS = 150;
const POLL_MS = 25;
const QUIET_TIMEOUT_MS = 60_000;
const PAINT_TIMEOUT_MS = 30_000;
const VIEWPORT = { width: 1440, height: 900 };

export async function openMeasuredPage(
  browser: Browser,
  { port }: Service,
  cookie: string,
): Promise<MeasuredPage> {
  const baseURL = `http://localhost:${port}`;
  const context = await browser.newContext({ baseURL, viewport: VIEWPORT, locale: 'en-US' });
  const [name = '', value = ''] = cookie.split('=');
  await context.addCookies([{ name, value, url: baseURL, httpOnly: true, sameSite: 'Lax' }]);
  const page = await context.newPage();
  const asked = new Set<Request>();
  let changedAt = performance.now();
  const note = (request: Request, isOpen: boolean) => {
    if (request.url().includes('/v1/stream')) return;
    changedAt = performance.now();
    if (isOpen) asked.add(request);
    else asked.delete(request);
  };
  page.on('request', (request) => note(request, true));
  page.on('requestfinished', (request) => note(request, false));
  page.on('requestfailed', (request) => note(request, false));
  const inspector: CDPSession = await context.newCDPSession(page);
  return {
    page,
    async paintedAfter(act, sought) {
      // Two steps, because an input would be there before one that only begins to wait for it.
      const watch = await page.evaluateHandle(watchPaint, { ...sought, timeoutMs: PAINT_TIMEOUT_MS });
      await act();
      const ms = await watch.evaluate(({ painted }) => painted);
      if (ms === null) throw new Error(`${page.url()} does not show ${JSON.stringify(sought)}`);
      return ms;
    },
    async untilQuiet() {
      const deadline = performance.now() + QUIET_TIMEOUT_MS;
      while (asked.size > 0 || performance.now() - changedAt < QUIET_MS) {
        if (performance.now() > deadline) throw new Error('the page does not come to rest');
        await delay(POLL_MS);
      }
    },
    async heapBytes() {
      await inspector.send('HeapProfiler.collectGarbage');
      return (await inspector.send('Runtime.getHeapUsage')).usedSize;
    },
    close: () => context.close(),
  };
}

/** Returns the time of the largest piece that was painted so far, as the browser counts it. */
export async function largestPaintMs(page: Page): Promise<number> {
  return await page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        new PerformanceObserver((list) => resolve(list.getEntries().at(-1)?.startTime ?? 0)).observe({
          type: 'largest-contentful-paint',
          buffered: true,
        });
      }),
  );
}

/** The duration of every answer of the API while the first frame is measured. */
const SLOW_ANSWER_MS = 4_000;

/**
 * Opens an address while every answer takes its time. From the arrival of the scripts to the frame with the shape of what
 * comes, in milliseconds.
 */
export async function framePaintMs(page: Page, path: string): Promise<number> {
  await page.route('**/v1/**', async (route) => {
    await delay(SLOW_ANSWER_MS);
    await route.continue().catch(() => {});
  });
  // The browser's own first paint leaves out what becomes visible by an animation alone.
  await page.addInitScript(() => {
    const look = () => {
      const shape = document.querySelector('main span[aria-hidden="true"]');
      if (shape?.checkVisibility({ opacityProperty: true, visibilityProperty: true }) === true) {
        performance.mark('frame');
      } else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
  await page.goto(path, { waitUntil: 'commit' });
  await page.locator('main span[aria-hidden="true"]').first().waitFor();
  return await page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        new PerformanceObserver((list) => {
          const [frame] = list.getEntriesByName('frame');
          if (frame === undefined) return;
          const scripts = performance
            .getEntriesByType('resource')
            .map(({ name, startTime, duration }) => ({ name, end: startTime + duration }))
            .filter(({ name, end }) => name.endsWith('.js') && end < frame.startTime)
            .map(({ end }) => end);
          resolve(frame.startTime - Math.max(0, ...scripts));
        }).observe({ type: 'mark', buffered: true });
      }),
  );
}

/** Scrolls through the whole page at an even pace and gives the time between each frame and the next. */
export async function scrollFrames(page: Page, seconds: number): Promise<number[]> {
  return await page.evaluate(
    (lastsMs) =>
      new Promise<number[]>((resolve) => {
        const frames: number[] = [];
        const height = document.documentElement.scrollHeight - window.innerHeight;
        let began = 0;
        let before = 0;
        const next = (at: number) => {
          if (began === 0) began = at;
          else frames.push(at - before);
          before = at;
          const share = (at - began) / lastsMs;
          if (share >= 1) return resolve(frames);
          window.scrollTo({ top: share * height, behavior: 'instant' });
          requestAnimationFrame(next);
        };
        requestAnimationFrame(next);
      }),
    seconds * 1000,
  );
}

/** Runs in the page. The time counts from the input itself, as the browser noted it, to after the frame. */
function watchPaint({ selector, text = '', least = 1, timeoutMs }: Sought & { timeoutMs: number }): {
  painted: Promise<number | null>;
} {
  const painted = new Promise<number | null>((resolve) => {
    setTimeout(() => resolve(null), timeoutMs);
    let began = 0;
    const observer = new MutationObserver(look);
    function note(event: Event): void {
      if (began === 0) began = event.timeStamp;
      // If the element is there already, no mutation reports it.
      requestAnimationFrame(look);
    }
    function look(): void {
      if (began === 0) return;
      const found = [...document.querySelectorAll(selector)];
      if (found.length < least || !found.some(({ textContent }) => textContent?.includes(text) === true))
        return;
      observer.disconnect();
      document.removeEventListener('focusin', look);
      requestAnimationFrame(() => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => resolve(performance.now() - began);
        port2.postMessage(null);
      });
    }
    observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
    document.addEventListener('focusin', look);
    for (const kind of ['click', 'keydown', 'popstate']) {
      window.addEventListener(kind, note, { capture: true, once: true });
    }
  });
  return { painted };
}
