import { BlockList, isIP } from 'node:net';

/** A proxy that requests of the library go through. */
export interface HttpProxy {
  isSecure: boolean;
  host: string;
  port: number;
  /** `Proxy-Authorization`, when the address names a user. */
  authorization: string | null;
}

/** The proxy for an address: that of the option, else the one of the environment; null when it is reached directly. */
export function findProxy(address: string, option: string | null, env: NodeJS.ProcessEnv): HttpProxy | null {
  if (option !== null) return readProxy(option);
  const url = new URL(address);
  if (isLoopback(url.hostname) || isExcepted(url, env.no_proxy || env.NO_PROXY || '')) return null;
  // A server that runs as CGI receives a header of its client as HTTP_PROXY.
  const upper = env.REQUEST_METHOD === undefined ? env.HTTP_PROXY : undefined;
  const named = url.protocol === 'https:' ? env.https_proxy || env.HTTPS_PROXY : env.http_proxy || upper;
  const found = named || env.all_proxy || env.ALL_PROXY || '';
  return found === '' ? null : readProxy(found);
}

/** Null when the text is no address of an HTTP proxy. */
export function readProxy(text: string): HttpProxy | null {
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  if (!URL.canParse(address)) return null;
  const { protocol, hostname, port, username, password } = new URL(address);
  const isSecure = protocol === 'https:';
  if (!isSecure && protocol !== 'http:') return null;
  const user = `${decoded(username)}:${decoded(password)}`;
  return {
    isSecure,
    host: bare(hostname),
    port: port === '' ? (isSecure ? 443 : 80) : Number(port),
    authorization: username === '' ? null : `Basic ${Buffer.from(user, 'utf8').toString('base64')}`,
  };
}

/** A password may contain a percent sign that begins no escape. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function isLoopback(hostname: string): boolean {
  return /^(?:localhost|.*\.localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}

/**
 * Reads `NO_PROXY` like the common tools: names with everything below them, addresses, blocks, and a port after them.
 */
function isExcepted({ hostname, port, protocol }: URL, exceptions: string): boolean {
  const host = bare(hostname).toLowerCase();
  const ownPort = port === '' ? (protocol === 'https:' ? '443' : '80') : port;
  return exceptions
    .split(/[\s,]+/)
    .filter((each) => each !== '')
    .slice(0, 200)
    .some((each) => {
      if (each === '*') return true;
      const [, name = '', wanted] = /^(.*?)(?::(\d+))?$/.exec(isIP(each) === 6 ? `[${each}]` : each) ?? [];
      if (wanted !== undefined && wanted !== ownPort) return false;
      const plain = bare(name)
        .replace(/^\*?\./, '')
        .toLowerCase();
      return host === plain || host.endsWith(`.${plain}`) || isInBlock(host, plain);
    });
}

function isInBlock(host: string, block: string): boolean {
  const [network = '', length] = block.split('/');
  const family = isIP(host);
  if (length === undefined || family === 0 || isIP(network) !== family) return false;
  const type = family === 6 ? 'ipv6' : 'ipv4';
  try {
    const list = new BlockList();
    list.addSubnet(network, Number(length), type);
    return list.check(host, type);
  } catch {
    return false;
  }
}

/** An IPv6 address without its brackets. */
function bare(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1');
}
