/** The settings for sign-in to this installation (docs/contract/account.md 14, "Sign-in"). */
export interface SignInSettings {
  /** The people who can create an account: everyone, people with an open invite, no one. */
  signup: 'open' | 'invited' | 'closed';
  /** Lower-case mail domains; when there are any, only these may sign up. */
  signupDomains: readonly string[];
  /** Sign-in requests of one client address in a minute (docs/contract/account.md 2.8). */
  requestsPerMinute: number;
  /** Cookies travel over https only. */
  isCookieSecure: boolean;
  /** The transport of codes; `off`: nothing can be mailed, so there are none. */
  mailTransport: 'smtp' | 'console' | 'file' | 'off';
  /**
   * The people to whom codes are mailed: everyone with an account, or operators alone (docs/contract/team-workflow.md
   * 9.1).
   */
  codesFor: 'everyone' | 'operators';
  /** The terms that people accept by signing in; null: none are published. */
  termsUrl: string | null;
  /** Name of this installation in messages, such as `errors.example.com`. */
  host: string;
}

/** Returns true if the settings let an unknown address become an account (docs/contract/account.md 2.2). */
export function maySignUp(
  settings: Pick<SignInSettings, 'signup' | 'signupDomains'>,
  email: string,
  hasOpenInvite: boolean,
): boolean {
  if (!isSignupDomain(settings, email)) return false;
  return settings.signup === 'open' || (settings.signup === 'invited' && hasOpenInvite);
}

/** Returns true if the domain of an address may sign up at all. */
export function isSignupDomain(
  { signupDomains }: Pick<SignInSettings, 'signupDomains'>,
  email: string,
): boolean {
  return signupDomains.length === 0 || signupDomains.includes(email.slice(email.lastIndexOf('@') + 1));
}
