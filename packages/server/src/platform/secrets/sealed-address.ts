import { openSealedText, sealText } from './sealed-text.ts';
import type { Secret } from './secret.ts';

/**
 * Addresses and tokens of receivers inside stored configurations: the address of a chat webhook lets its holder post
 * there, so it is a credential (docs/contract/notifications.md 1.4). A sealed one replaces the plain one, as text with
 * a beginning that neither has.
 */
const PREFIX = 'sealed:';

/** The fields that are credentials (docs/contract/notifications.md 1.4, 4.2). */
export const SEALED_FIELDS = ['webhook_url', 'target_url', 'token', 'headers'] as const;

/**
 * Returns the stored form of a configuration of the row with that id: credentials sealed, the rest unchanged.
 * Credentials that are already sealed stay unchanged.
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
 * Returns the configuration that is stored in the row with that id; null if the data key was changed since.
 * @param key `receiverAddresses` of the keys
 */
export function openConfig<Config extends object>(
  key: Secret<Buffer>,
  stored: Config,
  rowId: string,
): Config | null {
  let isOpen = true;
  const config = mapAddresses(stored, (address) => {
    const sealed = Buffer.from(address.slice(PREFIX.length), 'base64');
    const opened = openSealedText(key.reveal(), sealed, Buffer.from(rowId));
    if (opened === null) isOpen = false;
    return opened ?? '';
  });
  return isOpen ? config : null;
}

function mapAddresses<Config extends object>(config: Config, map: (address: string) => string): Config {
  const mapped: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(config)) {
    if (!isSealed(name)) continue;
    if (typeof value === 'string') mapped[name] = map(value);
    if (Array.isArray(value)) mapped[name] = value.map((each) => map(String(each)));
  }
  return { ...config, ...mapped };
}

function isSealed(name: string): boolean {
  return SEALED_FIELDS.some((field) => field === name);
}
