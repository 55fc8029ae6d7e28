import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isIP } from 'node:net';
import { addressBytes } from './address-bytes.ts';

/** A certificate with its key, both as PEM. */
export interface IssuedCertificate {
  cert: string;
  key: string;
}

/** Certificates for test servers, made when they are needed: nothing in the repository expires or has to be kept secret. */
export interface CertificateAuthority {
  /** The authority's own certificate, for those who shall trust it. */
  cert: string;
  /** @param names host names, `*.name` among them, and addresses */
  issue(names: readonly string[], options?: { isExpired?: boolean }): IssuedCertificate;
}

const DAY_MS = 86_400_000;
const OID = {
  commonName: [0x55, 0x04, 0x03],
  ecdsaWithSha256: [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02],
  basicConstraints: [0x55, 0x1d, 0x13],
  subjectAltName: [0x55, 0x1d, 0x11],
};
const TAG = {
  boolean: 1,
  integer: 2,
  bits: 3,
  octets: 4,
  oid: 6,
  text: 12,
  time: 24,
  sequence: 0x30,
  set: 0x31,
};

export function createCertificateAuthority(): CertificateAuthority {
  const authorityName = 'Test authority';
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const certify = (content: Omit<CertificateContent, 'issuer'>) =>
    signedCertificate({ ...content, issuer: authorityName }, pair.privateKey);
  return {
    cert: certify({
      subject: authorityName,
      publicKey: pair.publicKey,
      lastDayMs: Date.now() + DAY_MS,
      extension: extension(OID.basicConstraints, der(TAG.sequence, der(TAG.boolean, Buffer.from([0xff])))),
    }),
    issue(names, { isExpired = false } = {}) {
      const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const cert = certify({
        subject: names[0] ?? 'nobody',
        publicKey,
        lastDayMs: Date.now() + (isExpired ? -DAY_MS : DAY_MS),
        extension: extension(OID.subjectAltName, der(TAG.sequence, ...names.map(alternativeName))),
      });
      return { cert, key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() };
    },
  };
}

interface CertificateContent {
  issuer: string;
  subject: string;
  publicKey: KeyObject;
  lastDayMs: number;
  extension: Buffer;
}

/** RFC 5280, with one extension. */
function signedCertificate(content: CertificateContent, key: KeyObject): string {
  const algorithm = der(TAG.sequence, der(TAG.oid, Buffer.from(OID.ecdsaWithSha256)));
  const body = der(
    TAG.sequence,
    der(0xa0, der(TAG.integer, Buffer.from([2]))),
    // The first bit must be zero: the number is positive.
    der(TAG.integer, Buffer.concat([Buffer.from([0x01]), randomBytes(8)])),
    algorithm,
    distinguishedName(content.issuer),
    der(TAG.sequence, time(content.lastDayMs - 10 * DAY_MS), time(content.lastDayMs)),
    distinguishedName(content.subject),
    content.publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, der(TAG.sequence, content.extension)),
  );
  const signature = sign('sha256', body, key);
  const certificate = der(
    TAG.sequence,
    body,
    algorithm,
    der(TAG.bits, Buffer.concat([Buffer.from([0]), signature])),
  );
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}

function distinguishedName(name: string): Buffer {
  const pair = der(TAG.sequence, der(TAG.oid, Buffer.from(OID.commonName)), der(TAG.text, Buffer.from(name)));
  return der(TAG.sequence, der(TAG.set, pair));
}

function alternativeName(name: string): Buffer {
  return isIP(name) === 0 ? der(0x82, Buffer.from(name)) : der(0x87, addressBytes(name));
}

function extension(oid: readonly number[], value: Buffer): Buffer {
  return der(TAG.sequence, der(TAG.oid, Buffer.from(oid)), der(TAG.octets, value));
}

function time(momentMs: number): Buffer {
  const digits = new Date(momentMs).toISOString().replace(/\.\d+|[-:T]/g, '');
  return der(TAG.time, Buffer.from(digits));
}

/** Tag, length, content. */
function der(tag: number, ...contents: readonly Buffer[]): Buffer {
  const content = Buffer.concat(contents);
  const { length } = content;
  const lengthBytes =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...lengthBytes]), content]);
}
