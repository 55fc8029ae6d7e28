import type { Config } from '../platform/config.ts';
import type { MailSettings } from '../platform/mail/mail-transport.ts';

/** How mail leaves, from the settings. */
export function mailSettings(config: Config): MailSettings {
  return {
    transport: config.emailTransport,
    smtpUrl: config.smtpUrl,
    from: config.emailFrom,
    directory: config.emailDir,
  };
}
