import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import type { Config } from '../../platform/config/config.ts';
import { isAbsence } from '../../platform/objects/file-operations.ts';
import { openObjectStore, placeText } from '../../platform/objects/open-object-store.ts';
import { requestProvider } from '../../platform/outbound/provider-request.ts';
import { type Finding, failureText, ok, warning, wrong } from './finding.ts';

const OBJECT_STORE = 'object store';
const BASE_URL_TIMEOUT_MS = 5000;
const PROBE_BYTES = Buffer.from('culprit\n');

/** Writes, reads and removes an object. */
export async function checkObjectStore({
  objectStore: place,
}: Pick<Config, 'objectStore'>): Promise<Finding> {
  const where = placeText(place);
  try {
    if (place.kind === 'files') {
      // Files that another user creates there would be in the server's way.
      const { uid } = await stat(place.directory);
      const own = process.getuid?.() ?? uid;
      if (uid !== own) {
        return wrong(
          OBJECT_STORE,
          `${where} belongs to user id ${uid}, and this is user id ${own}`,
          'run server and commands as its owner',
        );
      }
    }
    const store = await openObjectStore(place);
    const key = `proof/${randomUUID()}`;
    await store.put(key, PROBE_BYTES);
    const isSame = (await store.get(key)).equals(PROBE_BYTES);
    await store.delete(key);
    if (!isSame || (await store.exists(key))) {
      return wrong(OBJECT_STORE, `${where} does not keep written data`, 'use another store');
    }
    return ok(OBJECT_STORE, `${where} can be written, read and deleted from`);
  } catch (error) {
    if (place.kind === 'files' && isAbsence(error)) {
      return warning(OBJECT_STORE, `${where} does not exist`, 'nothing, if the server was never started');
    }
    return wrong(
      OBJECT_STORE,
      `${where} cannot be used: ${failureText(error)}`,
      place.kind === 'files'
        ? 'check that the user of the server can read and write it, and that the disk has free space'
        : 'check CULPRIT_OBJECT_STORE, the credentials, and that the store runs and has free space',
    );
  }
}

/** Signs in at the mail server; no mail is sent. */
export async function checkMail(
  config: Pick<Config, 'emailTransport' | 'smtpUrl' | 'emailFrom' | 'baseUrl' | 'isBaseUrlLoopback'>,
): Promise<Finding> {
  const { emailTransport, smtpUrl, emailFrom: from, baseUrl, isBaseUrlLoopback } = config;
  if (emailTransport === 'smtp' && smtpUrl !== null) {
    try {
      // Takes 13 MB: only for those who have a mail server.
      const { checkSmtp } = await import('../../platform/mail/smtp-transport.ts');
      await checkSmtp({ url: smtpUrl, from, baseUrl });
      return ok('mail', 'the mail server responds and accepts the credentials');
    } catch (error) {
      return wrong(
        'mail',
        `the mail server cannot be used: ${failureText(error)}`,
        'check CULPRIT_SMTP_URL, and that this machine can reach it; a message waits longer for a slow server',
      );
    }
  }
  return isBaseUrlLoopback
    ? ok('mail', `is not sent (${emailTransport})`)
    : warning(
        'mail',
        `is not sent (${emailTransport})`,
        'set CULPRIT_SMTP_URL, so that others can sign in by mail',
      );
}

/** Asks the service under its own address, as others do. */
export async function checkBaseUrl({
  baseUrl,
  isBaseUrlLoopback,
}: Pick<Config, 'baseUrl' | 'isBaseUrlLoopback'>): Promise<Finding> {
  const todo = isBaseUrlLoopback
    ? 'check that the server runs, CULPRIT_PORT and CULPRIT_BASE_URL'
    : 'check that the server runs, CULPRIT_BASE_URL, the proxy in front of it, its certificate and DNS';
  try {
    const { status } = await requestProvider(
      { url: `${baseUrl}/live`, method: 'GET', headers: {} },
      BASE_URL_TIMEOUT_MS,
    );
    return status === 200
      ? ok('base URL', `${baseUrl} answers`)
      : wrong('base URL', `${baseUrl} answers with status ${status}`, todo);
  } catch {
    return wrong('base URL', `${baseUrl} does not answer`, todo);
  }
}
