/**
 * The sources that the relay trusts for the address of a client. `false`: none, the address is that of the socket. A
 * number: this many proxies are in front, the address is that many from the right of `X-Forwarded-For`. A list of
 * addresses and CIDR blocks: the first address from the right that is in none of them. A function: returns true if it
 * trusts an address, with the number of proxies between it and this server.
 */
export type TrustProxy = false | number | readonly string[] | ((address: string, hop: number) => boolean);

/** Options of the same-origin relay (docs/contract/clients.md 12.3). */
export interface RelayOptions {
  /** The path to which the browser library sends; `/culprit/browser` by default. */
  path?: string | undefined;
  /** Pages that may send here, instead of those of this origin. */
  origins?: readonly string[] | undefined;
  trustProxy?: TrustProxy | undefined;
  /** The address of a client, for servers where only the host knows it. */
  clientIp?: ((request: unknown) => string | null | undefined) | undefined;
  /** The limit of one client address; 60. */
  rateLimitPerMinute?: number | undefined;
  /** Can only be lowered from 262,144. */
  maxBodyBytes?: number | undefined;
  /** Replaces `service.name` of what browsers send. */
  service?: string | undefined;
  /** Replaces `service.environment` of what browsers send. */
  environment?: string | undefined;
  /** Events are on disk before they are sent on, so a failure of the service loses none; true. */
  durable?: boolean | undefined;
  spoolDir?: string | undefined;
  /** The three below default to those of `init`. */
  token?: string | undefined;
  endpoint?: string | undefined;
  mode?: 'connected' | 'local' | undefined;
}

/** The options with every default in place. */
export interface RelaySettings {
  path: string;
  /** Null: those of this origin. */
  origins: readonly string[] | null;
  trustProxy: TrustProxy | null;
  clientIp: ((request: unknown) => string | null | undefined) | null;
  rateLimitPerMinute: number;
  maxBodyBytes: number;
  service: string | null;
  environment: string | null;
  durable: boolean;
}

const DEFAULT_RELAY_PATH = '/culprit/browser';
const MAX_BODY_BYTES = 262_144;
const RATE_LIMIT_PER_MINUTE = 60;

/** Reads what a host passed, which may be anything. */
export function readRelayOptions(options: RelayOptions): RelaySettings {
  const { path, origins, trustProxy, clientIp, durable } = options;
  return {
    path: typeof path === 'string' && path.startsWith('/') ? withoutSlash(path) : DEFAULT_RELAY_PATH,
    origins: Array.isArray(origins) ? origins.map(String) : null,
    trustProxy: trustProxy ?? null,
    clientIp: typeof clientIp === 'function' ? clientIp : null,
    rateLimitPerMinute: positiveInteger(options.rateLimitPerMinute) ?? RATE_LIMIT_PER_MINUTE,
    maxBodyBytes: Math.min(positiveInteger(options.maxBodyBytes) ?? MAX_BODY_BYTES, MAX_BODY_BYTES),
    service: nonEmptyText(options.service),
    environment: nonEmptyText(options.environment),
    durable: durable !== false,
  };
}

/** Returns a path in the form that is compared: a slash at its end has no meaning. */
export function withoutSlash(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}

function positiveInteger(value: unknown): number | null {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : null;
}

function nonEmptyText(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value : null;
}
