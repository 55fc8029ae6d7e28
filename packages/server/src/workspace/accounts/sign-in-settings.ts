/** How people sign in to this installation (docs/contract/account.md 14, "Sign-in"). */
export interface SignInSettings {
  /** Who may make an account: everyone, people with an open invite, nobody. */
  signup: 'open' | 'invited' | 'closed';
  /** Lower-case mail domains; when there are any, only these may sign up. */
  signupDomains: readonly string[];
  /** Sign-in requests of one client address in a minute (docs/contract/account.md 2.8). */
  requestsPerMinute: number;
  /** Cookies travel over https only. */
  isCookieSecure: boolean;
  /** How codes travel; `off`: nothing can be mailed, so there are none. */
  mailTransport: 'smtp' | 'console' | 'file' | 'off';
  /** Whom codes are mailed to: everyone with an account, or operators alone (docs/contract/team-workflow.md 9.1). */
  codesFor: 'everyone' | 'operators';
  /** The terms that people accept by signing in; null: none are published. */
  termsUrl: string | null;
  /** Name of this installation in messages, such as `errors.example.com`. */
  host: string;
}

/** Whether an unknown address may become an account, as far as the settings say (docs/contract/account.md 2.2). */
export function maySignUp(
  settings: Pick<SignInSettings, 'signup' | 'signupDomains'>,
  email: string,
  hasOpenInvite: boolean,
): boolean {
  if (!isSignupDomain(settings, email)) return false;
  return settings.signup === 'open' || (settings.signup === 'invited' && hasOpenInvite);
}

/** Whether the domain of an address may sign up at all. */
export function isSignupDomain(
  { signupDomains }: Pick<SignInSettings, 'signupDomains'>,
  email: string,
): boolean {
  return signupDomains.length === 0 || signupDomains.includes(email.slice(email.lastIndexOf('@') + 1));
}
