/** The events of the benchmark as a library of Sentry sends them: the same error with the same text around it. */

export interface OwnEvent {
  event_id: string;
  occurred_at: string;
  service: { name: string; environment: string };
  correlation: { request_id: string; trace_id: string; user_id_hash: string };
  context: Record<string, unknown>;
  payload: {
    name: string;
    message: string;
    stack: string;
    request: { method: string; path: string; route_template: string; headers: object; body: unknown };
    causes?: readonly { name: string; message: string; stack: string }[];
  };
}

export function sentryEvent(own: string): string {
  const { event_id, occurred_at, service, correlation, context, payload }: OwnEvent = JSON.parse(own);
  const { name, message, stack, request, causes = [] } = payload;
  return JSON.stringify({
    event_id,
    timestamp: occurred_at,
    platform: 'node',
    level: 'error',
    environment: service.environment,
    sdk: { name: 'sentry.javascript.express', version: '9.47.2' },
    tags: { service: service.name, request_id: correlation.request_id },
    user: { id: correlation.user_id_hash },
    transaction: `POST ${request.route_template}`,
    transaction_info: { source: 'route' },
    contexts: {
      runtime: { name: 'node', version: 'v24.11.0' },
      trace: { trace_id: correlation.trace_id, span_id: 'b72fa28504b07285' },
      response: { status_code: 500 },
    },
    request: {
      method: request.method,
      url: `http://shop.example${request.path}`,
      headers: request.headers,
      data: request.body,
    },
    extra: context,
    exception: {
      values: [...causes, { name, message, stack }].map((each) => ({
        type: each.name,
        value: each.message,
        mechanism: { type: 'auto.middleware.express', handled: false },
        stacktrace: { frames: framesOf(each.stack) },
      })),
    },
  });
}

const FRAME = /^ {4}at (?:(.+) \()?(.+):(\d+):(\d+)\)?$/;

function framesOf(stack: string): object[] {
  return stack
    .split('\n')
    .flatMap((line) => {
      const [, name = '?', filename = '', lineno, colno] = FRAME.exec(line) ?? [];
      if (lineno === undefined) return [];
      const isOwn = !/node_modules|^node:/.test(filename);
      return [{ function: name, filename, lineno: Number(lineno), colno: Number(colno), in_app: isOwn }];
    })
    .reverse();
}
