import type { SecretForm } from './secret-form.ts';

/** Values that issuers and frameworks write with marks inside, and hashes of passwords (docs/contract/clients.md 10.1). */

export const ISSUED_VALUES: readonly SecretForm[] = [
  // A JWE with a key that is known.
  { pattern: /(\beyJ[\w-]{8,1024}\.\.)([\w.-]{16,16384})/g },
  { pattern: /(\bdp\.(?:pt|st|sa|ct|scim|audit)\.(?:[\w-]{2,35}\.)?)([A-Za-z\d]{40,64})/g },
  { pattern: /(\bdt0[a-z]\d\d\.[A-Z2-7]{24}\.)([A-Z2-7]{64})/g },
  { pattern: /(\bpat[A-Za-z\d]{14}\.)([\da-f]{64})/g },
  { pattern: /(\b1\/\/0)([\w-]{20,512})/g },
  { pattern: /(\b1\/\d{16}:)([\da-f]{32})/g },
  { pattern: /(\b[\w.~-]{3}\dQ~)([\w.~-]{31,40})/g },
  { pattern: /(\bsha256~)([\w-]{40,64})/g },
  { pattern: /(\b\d{15,17}\|)([\w-]{27})(?![\w-])/g },
  { pattern: /(\bAAAA[\w-]{7}:APA91b)([\w-]{60,256})/g },
  // Client and secret of PayPal
  { pattern: /(\bA[\w-]{60,96}:)(E[\w-]{60,96})(?![\w-])/g },
  // Pods have such names, too.
  { pattern: /(\blaunchdarkly\b[^\r\n]{0,32}?\bapi-)([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})/gi },
  // Key and secret of a provider of payments
  { pattern: /(\b(?:rzp|pk)_(?:live|test)_\w{8,64}:)([\w-]{8,128})/g },
  { pattern: /(\baccess_token\$\w{1,16}\$\w{16}\$)([\da-f]{32})/g },
];

export const PASSWORD_HASHES: readonly SecretForm[] = [
  { pattern: /(\$2[abxy]\$\d\d\$)([./A-Za-z\d]{50,53})/g },
  { pattern: /(\$argon2\w{1,2}\$)([\w+/=,$-]{20,512})/g },
  { pattern: /(\bpbkdf2[_:-]sha\d{1,3}[$:]\d{1,8}[$:])([\w+/=$:.-]{16,512})/g },
  { pattern: /(\$(?:[156y]|apr1)\$)((?:rounds=\d{1,9}\$)?[./\w]{1,64}\$[./\w]{16,128})/g },
  { pattern: /(\{S{0,2}HA\d{0,3}\})([A-Za-z\d+/]{24,256}={0,2})/g },
];

/** Keys in PEM without their first line, or encoded twice; certificates and public keys stay. */
export const KEY_PARTS: readonly SecretForm[] = [
  { pattern: /(LS0tLS1CRUdJTi(?!BDRVJU|BQVUJMSUM))([A-Za-z\d+/_-]{16,65536}={0,2})/g },
  {
    pattern:
      /(\bM(?:II[A-Za-z\d]{2}[A-Z]IBA(?=DANBgkqhkiG9w0BAQEFAASC|AKC|AKB)|HcCAQEEI|C4CAQAwBQYDK2VwBCIE))([A-Za-z\d+/=]{16,8192}(?:(?:\\[rn]|[\r\n]){1,4}[A-Za-z\d+/=]{4,80}){0,128})/g,
  },
  {
    pattern:
      /(\bPrivate-Lines: \d{1,4}(?:\r?\n|\\n))([A-Za-z\d+/=]{16,80}(?:(?:\r?\n|\\n)[A-Za-z\d+/=]{4,80}){0,64})/g,
  },
];
