import { deriveKey } from './data-key.ts';
import { Secret } from './secret.ts';

/** The purpose of each key; the words are part of its derivation, so changing one makes what it protects unreadable. */
const PURPOSES = {
  csrf: 'csrf',
  githubDeviceCodes: 'github-device-codes',
  githubPkce: 'github-pkce',
  mailedCodes: 'mailed-codes',
  oidcSignIns: 'oidc-sign-ins',
  probeTriggers: 'probe-triggers',
  queuedMail: 'queued-mail',
  receiverAddresses: 'receiver-addresses',
  slackStates: 'slack-states',
  slackUrls: 'slack-urls',
  trackerSecrets: 'tracker-secrets',
  unsubscribes: 'unsubscribes',
  webhookSecrets: 'webhook-secrets',
} as const;

/** The keys of an installation, each worthless for what another protects (docs/contract/reliability.md A11). */
export type Keys = Readonly<Record<keyof typeof PURPOSES, Secret<Buffer>>>;

/** Derives all keys from the data key. */
export function deriveKeys(dataKey: Secret<Buffer>): Keys {
  const derive = (purpose: string) => new Secret(deriveKey(dataKey, purpose));
  return {
    csrf: derive(PURPOSES.csrf),
    githubDeviceCodes: derive(PURPOSES.githubDeviceCodes),
    githubPkce: derive(PURPOSES.githubPkce),
    mailedCodes: derive(PURPOSES.mailedCodes),
    oidcSignIns: derive(PURPOSES.oidcSignIns),
    probeTriggers: derive(PURPOSES.probeTriggers),
    queuedMail: derive(PURPOSES.queuedMail),
    receiverAddresses: derive(PURPOSES.receiverAddresses),
    slackStates: derive(PURPOSES.slackStates),
    slackUrls: derive(PURPOSES.slackUrls),
    trackerSecrets: derive(PURPOSES.trackerSecrets),
    unsubscribes: derive(PURPOSES.unsubscribes),
    webhookSecrets: derive(PURPOSES.webhookSecrets),
  };
}
