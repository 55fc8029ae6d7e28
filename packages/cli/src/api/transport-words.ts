import { CliError } from '../cli-error.ts';
import { isLoopback } from '../config/address.ts';
import { EXIT } from '../exit-codes.ts';

const CERTIFICATE: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'it is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'its authority is not known here',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its authority is not known here',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its authority is not known here',
  UNABLE_TO_GET_ISSUER_CERT: 'its authority is not known here',
  CERT_NOT_YET_VALID: 'it is not valid yet; check the clock of this machine',
  ERR_TLS_CERT_ALTNAME_INVALID: 'it is for another host name',
};

/** Why there was no answer, in words. */
export function transportError(code: string, message: string, origin: string): CliError {
  const host = new URL(origin).host;
  const fail = (what: string, hint: string) =>
    new CliError(what, { exit: EXIT.unreachable, code: `unreachable_${code.toLowerCase()}`, hint });
  const known = Object.hasOwn(CERTIFICATE, code) ? CERTIFICATE[code] : undefined;
  const certificate = code === 'CERT_HAS_EXPIRED' ? message : known;
  if (certificate !== undefined) {
    return fail(
      `The certificate of ${host} is not trusted: ${certificate}.`,
      'set NODE_EXTRA_CA_CERTS to its CA file, or NODE_USE_SYSTEM_CA=1; the check cannot be skipped',
    );
  }
  switch (code) {
    case 'ECONNREFUSED':
      return fail(
        `No server responds at ${origin}.`,
        isLoopback(origin) ? 'start the server: npm start' : 'culprit doctor',
      );
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return fail(
        `The name ${new URL(origin).hostname} is not known.`,
        'check the address, then: culprit doctor',
      );
    case 'TIMEOUT':
    case 'CONNECT_TIMEOUT':
    case 'ETIMEDOUT':
      return fail(`${host}: ${message}.`, 'try again, or wait longer with --timeout; then: culprit doctor');
    case 'EPROTO':
    case 'ERR_SSL_WRONG_VERSION_NUMBER':
      return fail(`${host} does not use TLS.`, `is it http://${host}?`);
    case 'ANSWER_TOO_LARGE':
      return fail(`${host} sent ${message}.`, 'request fewer rows: --limit');
    default:
      return fail(`The connection to ${host} failed (${code}).`, 'culprit doctor');
  }
}

/** Returns the error for an answer that is not Culprit's: that of a proxy, or of a sign-in page. */
export function strangerError(origin: string, status: number, requestId: string | null): CliError {
  const isRedirect = status >= 300 && status < 400;
  return new CliError(
    isRedirect
      ? `${origin} redirects to another address, and redirects are not followed with a token.`
      : `The server at ${origin} is not Culprit (a proxy or a login page).`,
    {
      exit: EXIT.unreachable,
      code: 'unreadable_answer',
      hint: `culprit doctor --url ${origin}`,
      status,
      requestId,
    },
  );
}
