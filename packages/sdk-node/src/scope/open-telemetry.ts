/** Ids of the span that the host's OpenTelemetry has active, in W3C form. */
interface ActiveSpan {
  traceId: string;
  spanId: string;
}

const API = Symbol.for('opentelemetry.js.api.1');
const SPAN_KEY = Symbol.for('OpenTelemetry Context Key SPAN');
const TRACE_ID = /^(?!0{32})[0-9a-f]{32}$/;
const SPAN_ID = /^(?!0{16})[0-9a-f]{16}$/;

/**
 * Reads the active span from the registry that every copy of the OpenTelemetry API shares, and never loads a package
 * (docs/contract/clients.md 6.1). Whatever is missing on the way means that there is none.
 */
export function readActiveSpan(): ActiveSpan | null {
  const api: unknown = Reflect.get(globalThis, API);
  if (api === undefined) return null;
  try {
    const active = call(property(api, 'context'), 'active');
    const span = call(active, 'getValue', SPAN_KEY);
    const ids = call(span, 'spanContext');
    const traceId = property(ids, 'traceId');
    const spanId = property(ids, 'spanId');
    if (typeof traceId !== 'string' || !TRACE_ID.test(traceId)) return null;
    if (typeof spanId !== 'string' || !SPAN_ID.test(spanId)) return null;
    return { traceId, spanId };
  } catch {
    return null;
  }
}

function property(of: unknown, name: string): unknown {
  return typeof of === 'object' && of !== null ? Reflect.get(of, name) : undefined;
}

function call(of: unknown, name: string, ...parameters: unknown[]): unknown {
  const method = property(of, name);
  return typeof method === 'function' ? Reflect.apply(method, of, parameters) : undefined;
}
