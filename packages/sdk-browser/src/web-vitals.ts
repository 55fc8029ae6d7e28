import type { Undo } from './replace.ts';

interface LayoutShift extends PerformanceEntry {
  value: number;
  hadRecentInput: boolean;
}
interface Interaction extends PerformanceEntry {
  interactionId?: number;
}

export interface WebVitals {
  lcp_ms?: number;
  inp_ms?: number;
  cls?: number;
  ttfb_ms?: number;
}

/** The worst gap within a window of layout shifts, and how long such a window may be. */
const SHIFT_GAP_MS = 1000;
const SHIFT_WINDOW_MS = 5000;
/** Faster interactions cannot be the slowest that matters. */
const SLOW_INTERACTION_MS = 40;

/** Observes what users feel of the page; the result is kept up to date. */
export function observeWebVitals(): { vitals: WebVitals; stop: Undo } {
  const vitals: WebVitals = {};
  const observers: PerformanceObserver[] = [];
  const observe = (type: string, each: (entry: PerformanceEntry) => void, options?: object) => {
    try {
      const observer = new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) each(entry);
      });
      observer.observe({ type, buffered: true, ...options });
      observers.push(observer);
    } catch {}
  };
  observe('navigation', (entry) => {
    vitals.ttfb_ms = Math.round((entry as PerformanceNavigationTiming).responseStart);
  });
  observe('largest-contentful-paint', ({ startTime }) => {
    vitals.lcp_ms = Math.round(startTime);
  });
  let first = 0;
  let last = 0;
  let sum = 0;
  observe('layout-shift', (entry) => {
    const { value, hadRecentInput, startTime } = entry as LayoutShift;
    if (hadRecentInput) return;
    if (startTime - last > SHIFT_GAP_MS || startTime - first > SHIFT_WINDOW_MS) {
      first = startTime;
      sum = 0;
    }
    last = startTime;
    sum += value;
    vitals.cls = Math.max(vitals.cls ?? 0, Math.round(sum * 1e4) / 1e4);
  });
  observe(
    'event',
    (entry) => {
      if ((entry as Interaction).interactionId) {
        vitals.inp_ms = Math.max(vitals.inp_ms ?? 0, Math.round(entry.duration));
      }
    },
    { durationThreshold: SLOW_INTERACTION_MS },
  );
  return {
    vitals,
    stop() {
      for (const observer of observers) observer.disconnect();
    },
  };
}
