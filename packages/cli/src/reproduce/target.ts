import { lookup } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';
import { CliError } from '../cli-error.ts';
import { EXIT } from '../exit-codes.ts';

/** The kinds of places to which a captured request can be sent (docs/contract/command-line.md 4.6). */
export type TargetKind = 'loopback' | 'private' | 'public';

const FORBIDDEN = new BlockList();
// Link-local, with the metadata services of clouds; multicast, broadcast and unspecified.
FORBIDDEN.addSubnet('169.254.0.0', 16);
FORBIDDEN.addSubnet('224.0.0.0', 3);
FORBIDDEN.addSubnet('0.0.0.0', 8);
FORBIDDEN.addAddress('100.100.100.200');
FORBIDDEN.addSubnet('fe80::', 10, 'ipv6');
FORBIDDEN.addSubnet('ff00::', 8, 'ipv6');
FORBIDDEN.addAddress('::', 'ipv6');
// The link-local network behind NAT64.
FORBIDDEN.addSubnet('64:ff9b::a9fe:0', 112, 'ipv6');
FORBIDDEN.addAddress('fd00:ec2::254', 'ipv6');
const PRIVATE = new BlockList();
PRIVATE.addSubnet('10.0.0.0', 8);
PRIVATE.addSubnet('172.16.0.0', 12);
PRIVATE.addSubnet('192.168.0.0', 16);
PRIVATE.addSubnet('100.64.0.0', 10);
PRIVATE.addSubnet('fc00::', 7, 'ipv6');
const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8);
LOOPBACK.addAddress('::1', 'ipv6');

/** A place that was looked up once: what it is holds for these addresses alone, so requests go to no other. */
export interface Target {
  kind: TargetKind;
  addresses: readonly string[];
}

/** Returns the kind of place of the host, by every address of its name. Throws for those to which nothing is sent. */
export async function findTarget({ hostname }: URL): Promise<Target> {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (/^metadata(?:\.|$)/.test(host)) throw forbidden(host);
  const addresses = isIP(host) === 0 ? await addressesOf(host) : [host];
  if (addresses.some((address) => contains(FORBIDDEN, address))) throw forbidden(host);
  return { kind: kindOf(addresses), addresses };
}

function kindOf(addresses: readonly string[]): TargetKind {
  if (addresses.every((address) => contains(LOOPBACK, address))) return 'loopback';
  return addresses.some((address) => contains(PRIVATE, address) || contains(LOOPBACK, address))
    ? 'private'
    : 'public';
}

async function addressesOf(host: string): Promise<string[]> {
  try {
    return (await lookup(host, { all: true })).map(({ address }) => address);
  } catch {
    throw new CliError(`The name ${host} is not known.`, {
      exit: EXIT.unreachable,
      code: 'unreachable_enotfound',
      hint: 'give another address: --base-url URL',
    });
  }
}

function contains(list: BlockList, address: string): boolean {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return list.check(mapped, 'ipv4');
  return list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

function forbidden(host: string): CliError {
  return new CliError(`${host} is a link-local, metadata or invalid address, to which no request is sent.`, {
    exit: EXIT.refused,
    code: 'blocked_target',
    hint: 'give your own application: --base-url http://localhost:3000',
  });
}
