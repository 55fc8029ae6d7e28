import { AsyncLocalStorage } from 'node:async_hooks';
import { hostname } from 'node:os';
import { errorFacts } from './error-facts.ts';
import { newEventId } from './event-id.ts';
import { createEventSender, type Delivery, type EventSenderOptions } from './event-sender.ts';

/**
 * A tiny capture library for a server, in the wire form of published libraries. It redacts nothing itself, so that the
 * demo shows what Culprit does with secrets.
 */
export interface ServerCapture {
  /** Everything captured inside `work` belongs to this request. */
  withRequest<Result>(request: RequestIds, work: () => Promise<Result>): Promise<Result>;
  exception(error: unknown, exchange: Exchange, context?: object): void;
  /** A request that no exception ended. */
  request(exchange: Exchange): void;
  log(level: 'info' | 'warning' | 'error', message: string, attributes?: object): void;
  /** A look at values on the way; it travels with the next exception of the same request. */
  probe(label: string, data: object): void;
  flush(): Promise<Delivery>;
}

export interface RequestIds {
  requestId: string;
  traceId: string | null;
  sessionId: string | null;
}

/** What went over the wire. */
export interface Exchange {
  method: string;
  /** Absolute, so that the request can be sent again. */
  url: string;
  routeTemplate: string | null;
  requestHeaders: object;
  requestBody: unknown;
  status: number;
  responseHeaders: object;
  responseBody: unknown;
  durationMs: number;
}

export interface ServerCaptureOptions extends EventSenderOptions {
  service: string;
  environment: string;
  release: string;
  commit: string;
}

interface ProbeItem {
  label: string;
  data: object;
  timestamp: string;
}

export function createServerCapture(options: ServerCaptureOptions): ServerCapture {
  const sender = createEventSender(options);
  const current = new AsyncLocalStorage<RequestIds & { probes: ProbeItem[] }>();

  function send(eventType: string, payload: object, context: object = {}): void {
    const ids = current.getStore();
    sender.add({
      schema_version: '2026-03-01',
      event_id: newEventId(),
      event_type: eventType,
      occurred_at: new Date().toISOString(),
      sdk_name: 'demo-shop-server-capture',
      sdk_version: '1.0.0',
      service: {
        name: options.service,
        environment: options.environment,
        runtime: 'node',
        framework: 'node:http',
      },
      correlation: {
        request_id: ids?.requestId ?? null,
        trace_id: ids?.traceId ?? null,
        session_id: ids?.sessionId ?? null,
        user_id_hash: null,
      },
      context: {
        release: options.release,
        git: { commit: options.commit, branch: 'main', dirty: false, source: 'env' },
        ...context,
      },
      payload,
    });
  }

  return {
    withRequest: (request, work) => current.run({ ...request, probes: [] }, work),
    exception(error, exchange, context) {
      const probes = current.getStore()?.probes.splice(0) ?? [];
      send(
        'backend_exception',
        {
          ...errorFacts(error),
          handled: false,
          request: {
            method: exchange.method,
            url: exchange.url,
            route_template: exchange.routeTemplate,
            headers: exchange.requestHeaders,
            body: exchange.requestBody,
          },
          response: {
            status_code: exchange.status,
            headers: exchange.responseHeaders,
            body: exchange.responseBody,
          },
          runtime: runtimeFacts(),
          probe_data: probes.length === 0 ? null : { version: 1, items: probes },
        },
        context,
      );
    },
    request(exchange) {
      send('request_event', {
        method: exchange.method,
        path: exchange.url,
        route_template: exchange.routeTemplate,
        headers: exchange.requestHeaders,
        body: exchange.requestBody,
        response_status: exchange.status,
        response_headers: exchange.responseHeaders,
        response_body: exchange.status >= 400 ? exchange.responseBody : null,
        duration_ms: exchange.durationMs,
      });
    },
    log: (level, message, attributes = {}) => send('log_event', { level, message, attributes }),
    probe(label, data) {
      current.getStore()?.probes.push({ label, data, timestamp: new Date().toISOString() });
    },
    flush: () => sender.flush(),
  };
}

function runtimeFacts(): object {
  const memory = process.memoryUsage();
  return {
    name: 'node',
    version: process.versions.node,
    platform: process.platform,
    arch: process.arch,
    pid: process.pid,
    hostname: hostname(),
    uptime_sec: process.uptime(),
    memory: {
      rss: memory.rss,
      heap_total: memory.heapTotal,
      heap_used: memory.heapUsed,
      external: memory.external,
    },
  };
}
