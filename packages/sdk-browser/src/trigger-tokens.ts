import { triggerKeyOf } from '../../sdk-core/src/config.ts';
import { isTriggerInForce, readTriggerToken } from '../../sdk-core/src/probes/trigger-token.ts';
import type { Page } from './loaded-page.ts';
import type { Integration } from './options.ts';

const PARAMETER = '_debug_probe';

/**
 * Reads a trigger token from the address bar and removes it there (docs/contract/clients.md 9.3). A page that sends
 * directly checks it with the key of the project; a relay of the same origin is sent it with each batch.
 */
export function triggerTokens(): Integration {
  return (page: Page) => {
    const address = new URL(location.href);
    const token = address.searchParams.get(PARAMETER);
    if (token === null) return undefined;
    address.searchParams.delete(PARAMETER);
    history.replaceState(history.state, '', address.href);
    const { url, token: projectToken } = page.sentTo;
    if (projectToken) page.onPolicy.push(() => void activate(page, token).catch(() => {}));
    else if (new URL(url).origin === location.origin) page.headers['x-service-probe-trigger'] = token;
    return undefined;
  };
}

async function activate(page: Page, token: string): Promise<void> {
  const read = readTriggerToken(token);
  const key = triggerKeyOf(page.project.rawConfig);
  if (!read || !key) return;
  const encode = (text: string) => new TextEncoder().encode(text);
  const hmac = { name: 'HMAC', hash: 'SHA-256' };
  const imported = await crypto.subtle.importKey('raw', encode(key), hmac, false, ['verify']);
  const base64 = read.signature.replace(/-/g, '+').replace(/_/g, '/');
  const signature = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
  const isSigned = await crypto.subtle.verify(hmac, imported, signature, encode(read.signed));
  if (isSigned && isTriggerInForce(read.directive, page.service, Date.now()))
    page.triggers.push(read.directive);
}
