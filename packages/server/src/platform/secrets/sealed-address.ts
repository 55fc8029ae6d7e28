import { openSealedText, sealText } from './sealed-text.ts';
import type { Secret } from './secret.ts';

/**
 * Addresses of receivers inside stored configurations: whoever knows the address of a chat webhook may post there, so it
 * is a credential (docs/contract/notifications.md 1.4). A sealed one stands where the plain one stood, as text that no
 * address begins with.
 */
const PREFIX = 'sealed:';

/**
 * A configuration as it is stored in the row with that id: its addresses sealed, everything else as it is. What is
 * sealed already stays as it is.
 * @param key `receiverAddresses` of the keys
 */
export function sealConfig<Config extends object>(
  key: Secret<Buffer>,
  config: Config,
  rowId: string,
): Config {
  return mapAddresses(config, (address) =>
    address.startsWith(PREFIX)
      ? address
      : PREFIX + sealText(key.reveal(), address, Buffer.from(rowId)).toString('base64'),
  );
}

/**
 * The configuration that is stored in the row with that id; null when the data key was changed since. An address that is
 * not sealed, because an older release wrote it, is returned as it is until `sealStoredAddresses` has met it.
 * @param key `receiverAddresses` of the keys
 */
export function openConfig<Config extends object>(
  key: Secret<Buffer>,
  stored: Config,
  rowId: string,
): Config | null {
  let isOpen = true;
  const config = mapAddresses(stored, (address) => {
    if (!address.startsWith(PREFIX)) return address;
    const sealed = Buffer.from(address.slice(PREFIX.length), 'base64');
    const opened = openSealedText(key.reveal(), sealed, Buffer.from(rowId));
    if (opened === null) isOpen = false;
    return opened ?? '';
  });
  return isOpen ? config : null;
}

/** Addresses stand in one of these two fields (docs/contract/notifications.md 1.4, 4.2). */
function mapAddresses<Config extends object>(config: Config, map: (address: string) => string): Config {
  let mapped = config;
  if ('webhook_url' in mapped && typeof mapped.webhook_url === 'string') {
    mapped = { ...mapped, webhook_url: map(mapped.webhook_url) };
  }
  if ('target_url' in mapped && typeof mapped.target_url === 'string') {
    mapped = { ...mapped, target_url: map(mapped.target_url) };
  }
  return mapped;
}

/** The stored address of a configuration `config`, or null, as an expression in SQL. */
const STORED_ADDRESS = `coalesce(config ->> 'webhook_url', config ->> 'target_url')`;
/** Whether a row has a configuration with an address that is not sealed; an index of each such table says the same. */
export const HAS_PLAIN_ADDRESS = `${STORED_ADDRESS} not like '${PREFIX}%'`;
