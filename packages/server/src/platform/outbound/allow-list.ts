import { splitPort } from '../config/setting-kinds.ts';
import { isInRange } from './address-class.ts';

/** One parsed entry of the allow-list (docs/contract/notifications.md 5.4). Without a port it covers all of them. */
export type AllowedTarget = { port: number | null } & (
  | { kind: 'host'; name: string }
  /** `*.suffix`: every name below it, and not the suffix itself. */
  | { kind: 'suffix'; suffix: string }
  | { kind: 'range'; address: string; prefixBits: number }
);

/** Reads an entry that the settings took: `host`, `*.suffix`, an address or a range, each with `:port` or without. */
export function readAllowedTarget(text: string): AllowedTarget {
  const { target, port: portText } = splitPort(text.toLowerCase());
  const port = portText === null ? null : Number(portText);
  const [address = '', bits] = target.split('/');
  if (address.includes(':')) return { kind: 'range', address, prefixBits: Number(bits ?? 128), port };
  if (/^[\d.]+$/.test(address)) return { kind: 'range', address, prefixBits: Number(bits ?? 32), port };
  const name = target.replace(/\.$/, '');
  return name.startsWith('*.')
    ? { kind: 'suffix', suffix: name.slice(1), port }
    : { kind: 'host', name, port };
}

/**
 * True when an entry permits this name to be anywhere inside.
 * @param name in lower case and without a final dot
 */
export function isNameListed(allowlist: readonly AllowedTarget[], name: string, port: number): boolean {
  return allowlist.some(
    (entry) =>
      (entry.port === null || entry.port === port) &&
      ((entry.kind === 'host' && entry.name === name) ||
        (entry.kind === 'suffix' && name.length > entry.suffix.length && name.endsWith(entry.suffix))),
  );
}

/** True when an entry permits this address, under whatever name. */
export function isAddressListed(allowlist: readonly AllowedTarget[], address: string, port: number): boolean {
  return allowlist.some(
    (entry) =>
      entry.kind === 'range' &&
      (entry.port === null || entry.port === port) &&
      isInRange(address, entry.address, entry.prefixBits),
  );
}
