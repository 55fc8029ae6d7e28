import type { Directive } from '../../../sdk-core/src/wire.ts';
import { resolveClientAddress } from './client-address.ts';
import type { RelayDelivery } from './delivery.ts';
import { type AddressBytes, clientKey, parseAddress } from './ip-address.ts';
import { createRateLimiter } from './rate-limiter.ts';
import { type ReadEvents, type RelayedEvent, readEvents } from './read-events.ts';
import { accept, allow, type RelayAnswer, refuse } from './relay-answer.ts';
import type { BodyRead, RelayCall } from './relay-call.ts';
import type { RelaySettings } from './relay-options.ts';
import type { RelayTarget } from './relay-target.ts';
import { acceptedOrigin } from './source-origin.ts';

const BODY_TIMEOUT_MS = 10_000;
const TRIGGER_HEADER = 'x-service-probe-trigger';

/** A relay that is mounted somewhere. */
export interface Relay {
  answer(call: RelayCall): Promise<RelayAnswer>;
}

interface RelayParts {
  settings: RelaySettings;
  target: RelayTarget;
  delivery: RelayDelivery;
  now: () => number;
}

/**
 * Decides on every call (docs/contract/ingestion.md 8.11, docs/contract/clients.md 12): origin, method, media type,
 * size, rate, content, in this order. Never throws and never rejects.
 */
export function createRelay({ settings, target, delivery, now }: RelayParts): Relay {
  const limiter = createRateLimiter(settings.rateLimitPerMinute);

  async function decide(call: RelayCall): Promise<RelayAnswer> {
    const client = findClient(call, settings);
    const origin = acceptedOrigin(
      {
        origin: call.header('origin'),
        referer: call.header('referer'),
        host: call.header('host'),
        forwardedHost: client.isProxyTrusted ? call.header('x-forwarded-host') : null,
      },
      settings.origins,
    );
    if (origin === null) return refuse('origin_not_allowed', null);
    if (call.method === 'OPTIONS') return allow(origin);
    if (call.method !== 'POST') return refuse('method_not_allowed', origin, { Allow: 'POST, OPTIONS' });
    if (!isJson(call.header('content-type'))) return refuse('invalid_content_type', origin);
    const length = declaredLength(call);
    if (length !== null && length > settings.maxBodyBytes) return refuse('payload_too_large', origin);
    if (!isPlain(call.header('content-encoding'))) return refuse('invalid_payload', origin);
    const body = bodyText(
      await call.readBody(settings.maxBodyBytes, BODY_TIMEOUT_MS),
      length,
      settings.maxBodyBytes,
    );
    if (body.kind === 'too_large') return refuse('payload_too_large', origin);

    if (client.key === null) target.tell('relay_no_address', {});
    const waitSeconds = limiter.retryAfterSeconds(client.key, now());
    if (waitSeconds !== null) return refuse('rate_limited', origin, { 'Retry-After': String(waitSeconds) });

    const read = body.kind === 'text' ? readEvents(body.text, settings) : null;
    if (read === null) return refuse('invalid_payload', origin);
    return deliver(read, origin, call.header(TRIGGER_HEADER));
  }

  async function deliver(
    { events, errors }: ReadEvents,
    origin: string,
    trigger: string | null,
  ): Promise<RelayAnswer> {
    const delivered = events.length === 0 ? { isSafe: true, directives: [] } : await delivery.deliver(events);
    if (!delivered.isSafe) return refuse('relay_delivery_failed', origin, {}, { accepted: 0, errors });
    const counts = { accepted: events.length, errors };
    if (errors.length > 0) return refuse('invalid_event', origin, {}, counts);
    return accept(events.length, origin, directivesFor(events, delivered.directives, trigger));
  }

  /** Probes for the services of these events, and the one that a valid trigger token asks for. */
  function directivesFor(
    events: readonly RelayedEvent[],
    upstream: readonly Directive[],
    trigger: string | null,
  ): Directive[] {
    if (!target.passesProbes()) return [];
    const meets = (wanted: string, own: string) => wanted === '*' || wanted === own;
    const directives = upstream.filter(
      (each) =>
        Date.parse(each.expires_at) > now() &&
        events.some(
          (event) => meets(each.service, event.service) && meets(each.environment, event.environment),
        ),
    );
    const triggered = trigger === null ? null : target.checkTrigger(trigger);
    return triggered === null ? directives : [...directives, triggered];
  }

  return {
    async answer(call) {
      try {
        return await decide(call);
      } catch (error) {
        target.tell('internal_error', { message: error instanceof Error ? error.message : 'unknown' });
        return refuse('relay_delivery_failed', null);
      }
    },
  };
}

function findClient(
  call: RelayCall,
  { trustProxy, clientIp }: RelaySettings,
): { key: string | null; isProxyTrusted: boolean } {
  const sender = { socketAddress: call.socketAddress, forwardedFor: call.header('x-forwarded-for') };
  const { address, isProxyTrusted } =
    trustProxy === null && call.framework !== null
      ? {
          address: call.framework.address === null ? null : parseAddress(call.framework.address),
          isProxyTrusted: call.framework.isProxyTrusted,
        }
      : resolveClientAddress(trustProxy ?? false, sender);
  const key = clientIp === null ? addressKey(address) : hostsKey(clientIp, call.original);
  return { key, isProxyTrusted };
}

function addressKey(address: AddressBytes | null): string | null {
  return address === null ? null : clientKey(address);
}

function hostsKey(
  clientIp: (request: unknown) => string | null | undefined,
  original: unknown,
): string | null {
  const text = clientIp(original);
  if (typeof text !== 'string' || text === '') return null;
  return addressKey(parseAddress(text)) ?? text.slice(0, 128);
}

/** Equal to `application/json`; parameters say nothing. */
function isJson(contentType: string | null): boolean {
  return (contentType ?? '').split(';')[0]?.trim().toLowerCase() === 'application/json';
}

function isPlain(encoding: string | null): boolean {
  return (encoding ?? '').split(',').every((word) => /^\s*(?:identity)?\s*$/i.test(word));
}

function declaredLength(call: RelayCall): number | null {
  const text = call.header('content-length')?.trim() ?? '';
  return /^\d{1,15}$/.test(text) ? Number(text) : null;
}

/** The size of a body that a framework has parsed is the declared one, else that of its JSON. */
function bodyText(
  body: BodyRead,
  length: number | null,
  maxBytes: number,
): { kind: 'text'; text: string } | { kind: 'too_large' | 'unreadable' } {
  if (body.kind === 'too_large' || body.kind === 'unreadable') return { kind: body.kind };
  try {
    const { value } = body.kind === 'bytes' ? { value: body.bytes } : body;
    const text =
      value instanceof Uint8Array
        ? decodeUtf8(value)
        : typeof value === 'string'
          ? value
          : JSON.stringify(value);
    if (typeof text !== 'string') return { kind: 'unreadable' };
    const isLong = body.kind === 'parsed' && length === null && Buffer.byteLength(text) > maxBytes;
    return isLong ? { kind: 'too_large' } : { kind: 'text', text };
  } catch {
    return { kind: 'unreadable' };
  }
}

/** Decodes like the server: without a byte order mark, and with U+FFFD for bytes that are no UTF-8. */
function decodeUtf8(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
