import type { SignInSettings } from '../accounts/sign-in-settings.ts';
import type { Config } from '../platform/config.ts';

/** How people sign in, from the settings. */
export function signInSettings(config: Config): SignInSettings {
  return {
    signup: config.signup,
    signupDomains: config.signupDomains,
    requestsPerMinute: config.signinRatePerMin,
    isCookieSecure: config.isCookieSecure,
    isMailConfigured: config.emailTransport !== 'off',
    host: new URL(config.baseUrl).host,
  };
}
