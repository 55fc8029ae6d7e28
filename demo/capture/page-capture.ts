import { randomUUID } from 'node:crypto';
import { errorFacts } from './error-facts.ts';
import { newEventId } from './event-id.ts';
import { createEventSender, type Delivery, type EventSenderOptions } from './event-sender.ts';

/** A tiny capture library for a page. It lives as long as the page and shares one trace id with the server. */
export interface PageCapture {
  readonly traceId: string;
  breadcrumb(type: string, data: object): void;
  /** An error that a handler of the page let pass. */
  rejection(error: unknown): void;
  /** What the browser tells of an error in a script of another origin: next to nothing. */
  opaqueError(): void;
  resourceError(target: FailedResource): void;
  flush(): Promise<Delivery>;
}

export interface FailedResource {
  tag_name: string;
  source_url: string;
  attributes: { rel?: string; type?: string };
}

export interface PageCaptureOptions extends EventSenderOptions {
  service: string;
  environment: string;
  release: string;
  userAgent: string;
  sessionId: string | null;
  /** Path of the page as it is now. */
  route(): string;
  pageUrl: string;
  htmlExcerpt(): string;
}

interface Breadcrumb {
  breadcrumb_type: string;
  route: string;
  data: object;
  ts: string;
}

const BREADCRUMBS_MAX = 10;

export function createPageCapture(options: PageCaptureOptions): PageCapture {
  const sender = createEventSender(options);
  const traceId = randomUUID();
  const breadcrumbs: Breadcrumb[] = [];

  function send(payload: object): void {
    sender.add({
      schema_version: '2026-03-01',
      event_id: newEventId(),
      event_type: 'frontend_exception',
      occurred_at: new Date().toISOString(),
      sdk_name: 'demo-shop-page-capture',
      sdk_version: '1.0.0',
      service: {
        name: options.service,
        environment: options.environment,
        runtime: 'browser',
        framework: null,
      },
      correlation: {
        trace_id: traceId,
        session_id: options.sessionId,
        request_id: null,
        user_id_hash: null,
      },
      context: { release: options.release },
      payload: {
        handled: false,
        route: options.route(),
        browser: { name: 'Chrome', version: '140.0' },
        breadcrumbs: [...breadcrumbs],
        device: deviceFacts(options.userAgent),
        ...payload,
      },
    });
  }

  function browserEvent(kind: 'window_error' | 'resource_error', facts: object): object {
    const page = { url: options.pageUrl, referrer: '', ready_state: 'loading', visibility_state: 'visible' };
    return {
      kind,
      opaque: true,
      file_name: null,
      line_number: null,
      column_number: null,
      target: null,
      page,
      ...facts,
    };
  }

  return {
    traceId,
    breadcrumb(type, data) {
      breadcrumbs.push({
        breadcrumb_type: type,
        route: options.route(),
        data,
        ts: new Date().toISOString(),
      });
      if (breadcrumbs.length > BREADCRUMBS_MAX) breadcrumbs.shift();
    },
    rejection(error) {
      const { name, message, stack } = errorFacts(error);
      send({
        name,
        message,
        stack,
        rejection_reason: { kind: 'error', name, message },
        dom_context: { mode: 'lightweight', html_excerpt: options.htmlExcerpt() },
      });
    },
    opaqueError() {
      const message = 'Script error.';
      send({ name: 'Error', message, stack: null, browser_event: browserEvent('window_error', { message }) });
    },
    resourceError(target) {
      const message = `Failed to load ${target.tag_name}`;
      send({
        name: 'ResourceError',
        message,
        stack: null,
        browser_event: browserEvent('resource_error', { message, target }),
      });
    },
    flush: () => sender.flush(),
  };
}

function deviceFacts(userAgent: string): object {
  return {
    user_agent: userAgent,
    os: { name: 'Linux', version: null },
    device_type: 'desktop',
    screen: { width: 1920, height: 1080 },
    viewport: { width: 1280, height: 860 },
    device_pixel_ratio: 1,
    touch_capable: false,
    language: 'en',
  };
}
