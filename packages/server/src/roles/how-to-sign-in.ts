import type { Config } from '../platform/config/config.ts';

/** Returns the explanation for an operator, at the start, of how to sign in with a mailed code. */
export function howToSignIn(config: Config, address: string): string {
  const ask = `To sign in, request a code: POST ${address}/v1/auth/request-code {"email":"you@example.com","accepted_terms":true}, and keep the cookie from the response`;
  switch (config.emailTransport) {
    case 'console':
      return `${ask}. Mail is printed in this terminal; set CULPRIT_SMTP_URL to have it sent.`;
    case 'file':
      return `${ask}. Mail is written to ${config.emailDir}.`;
    case 'smtp':
      return `${ask}. It is mailed from ${config.emailFrom}.`;
    case 'off':
      return 'Sign-in codes cannot be mailed: mail is off. Set CULPRIT_SMTP_URL.';
  }
}
