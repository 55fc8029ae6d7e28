import type { Secret } from '../secrets/secret.ts';
import { consoleTransport } from './console-transport.ts';
import { fileTransport } from './file-transport.ts';
import type { MailTransport } from './mail.ts';
import type { SmtpLimits } from './smtp-transport.ts';

export interface MailSettings {
  transport: 'smtp' | 'console' | 'file' | 'off';
  /** Set for `smtp`. May hold credentials. */
  smtpUrl: Secret | null;
  /** Sender: an address, with a name before it if you like. */
  from: string;
  /** The directory to which `file` writes. */
  directory: string;
  /** Shorter waits, for tests. */
  limits?: Partial<SmtpLimits>;
}

/**
 * The transport of the settings; null when mail is off.
 * @param settings.baseUrl names this service to mail servers
 * @param signal breaks off messages that are under way, for a service that stops
 */
export async function createMailTransport(
  settings: MailSettings & { baseUrl: string },
  signal: AbortSignal,
): Promise<MailTransport | null> {
  const { transport, smtpUrl, from, baseUrl } = settings;
  switch (transport) {
    case 'off':
      return null;
    case 'console':
      return consoleTransport(from);
    case 'file':
      return fileTransport(from, settings.directory);
    case 'smtp': {
      if (smtpUrl === null) throw new Error('the smtp transport needs the address of a mail server');
      // Takes 13 MB: only for those who have a mail server.
      const { SMTP_LIMITS, smtpTransport } = await import('./smtp-transport.ts');
      return smtpTransport({
        url: smtpUrl,
        from,
        baseUrl,
        limits: { ...SMTP_LIMITS, ...settings.limits },
        signal,
      });
    }
  }
}
