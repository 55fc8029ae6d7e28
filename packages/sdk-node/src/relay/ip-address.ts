/** An address as its bytes: 4 or 16. */
export type AddressBytes = readonly number[];

export interface AddressBlock {
  bytes: AddressBytes;
  prefix: number;
}

const TEXT_MAX = 64;
const V4_IN_V6 = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff];
/** A subscriber of IPv6 has at least so many bits of network to choose addresses from. */
const V6_CLIENT_BYTES = 8;

/** Reads an address as proxies write it: with brackets, a port or a zone, or IPv4 written as IPv6. Null for anything else. */
export function parseAddress(text: string): AddressBytes | null {
  const trimmed = text.trim();
  if (trimmed === '' || trimmed.length > TEXT_MAX) return null;
  const [, bracketed] = /^\[([^\]]+)\](?::\d{1,5})?$/.exec(trimmed) ?? [];
  const bare = (bracketed ?? trimmed).replace(/%.*$/, '');
  if (!bare.includes(':')) return parseV4(bare);
  const [, withPort] = /^(\d+\.\d+\.\d+\.\d+):\d{1,5}$/.exec(bare) ?? [];
  if (withPort !== undefined) return parseV4(withPort);
  const bytes = parseV6(bare);
  return bytes !== null && V4_IN_V6.every((byte, index) => bytes[index] === byte) ? bytes.slice(12) : bytes;
}

/** Reads `10.0.0.0/8`, `fd00::/8` or a single address. */
export function parseBlock(text: string): AddressBlock | null {
  const slash = text.indexOf('/');
  const bytes = parseAddress(slash === -1 ? text : text.slice(0, slash));
  if (bytes === null) return null;
  const bits = bytes.length * 8;
  const prefixText = slash === -1 ? String(bits) : text.slice(slash + 1).trim();
  const prefix = /^\d{1,3}$/.test(prefixText) ? Number(prefixText) : bits + 1;
  return prefix <= bits ? { bytes, prefix } : null;
}

/** Returns true if an address is in a block. */
export function isInBlock(address: AddressBytes, block: AddressBlock): boolean {
  if (address.length !== block.bytes.length) return false;
  return address.every((byte, index) => {
    const bits = Math.min(8, Math.max(0, block.prefix - index * 8));
    const mask = (0xff << (8 - bits)) & 0xff;
    return (byte & mask) === ((block.bytes[index] ?? 0) & mask);
  });
}

/** Returns the key that counts as one client: an address of IPv4, a /64 of IPv6. */
export function clientKey(address: AddressBytes): string {
  return address.length === 4 ? address.join('.') : `${address.slice(0, V6_CLIENT_BYTES).join('.')}/64`;
}

function parseV4(text: string): AddressBytes | null {
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) <= 255))
    return null;
  return parts.map(Number);
}

function parseV6(text: string): AddressBytes | null {
  const halves = text.split('::');
  if (halves.length > 2) return null;
  const [head, tail] = halves.map(parseGroups);
  if (head === null || head === undefined || tail === null) return null;
  if (tail === undefined) return head.length === 16 ? head : null;
  const missing = 16 - head.length - tail.length;
  return missing >= 2 ? [...head, ...new Array<number>(missing).fill(0), ...tail] : null;
}

function parseGroups(text: string): number[] | null {
  if (text === '') return [];
  const bytes: number[] = [];
  const groups = text.split(':');
  for (const [index, group] of groups.entries()) {
    if (/^[0-9a-f]{1,4}$/i.test(group)) {
      const value = Number.parseInt(group, 16);
      bytes.push(value >> 8, value & 0xff);
    } else {
      const embedded = index === groups.length - 1 ? parseV4(group) : null;
      if (embedded === null) return null;
      bytes.push(...embedded);
    }
  }
  return bytes.length <= 16 ? bytes : null;
}
