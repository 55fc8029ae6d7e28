import type { ServerDescription } from '@culprit/contract/endpoints/server';
import { requestSignInCode, type Session } from '@culprit/contract/workspace/sign-in';
import { useQuery } from '@tanstack/react-query';
import { lazy, useEffect, useState } from 'react';
import { problemText } from '../../api/problem-words.ts';
import { serverQuery } from '../../api/server.ts';
import { ApiProblem, call, codeOf } from '../../api/transport.ts';
import { PATTERNS, returnTarget, withSearch } from '../../paths.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/fields/field.tsx';
import { LazyPart } from '../parts/lazy-part.tsx';
import { CodeStep } from './code-step.tsx';
import styles from './sign-in-form.module.css';

const MailOff = lazy(() => import('./mail-off.tsx').then((module) => ({ default: module.MailOff })));

/** The lifetime of a code, and the wait before another one can be requested, in seconds. */
const CODE_LIFE_S = 10 * 60;
const RESEND_AFTER_S = 30;

/**
 * The form to sign in with a mailed code, on a separate page or in a dialog over another one. It never shows whether an
 * address is known.
 */
export function SignInForm({
  onSignedIn,
  isOverPage = false,
}: {
  onSignedIn: (session: Session) => void;
  /** In a dialog over a page that stays: providers open beside it. */
  isOverPage?: boolean;
}) {
  const [email, setEmail] = useState('');
  const [sentAt, setSentAt] = useState<number | null>(null);
  const [error, setError] = useState<string | null>(null);
  const [isMailOff, setMailOff] = useState(false);
  const [waitUntil, setWaitUntil] = useState(0);
  const [isBusy, setBusy] = useState(false);
  const { data: server } = useQuery(serverQuery);
  const terms = server?.terms_url ?? null;
  const providers = providersOf(server?.auth);
  const now = useSeconds();
  const waitS = Math.max(0, Math.ceil((waitUntil - now) / 1000));

  async function askForCode(): Promise<void> {
    setBusy(true);
    setError(null);
    try {
      await call(requestSignInCode, { body: { email: email.trim(), accepted_terms: true } });
      setSentAt(Date.now());
      setWaitUntil(Date.now() + RESEND_AFTER_S * 1000);
    } catch (problem) {
      // Only this answer shows that mail is off: callers on other machines get no terminal and no folder either.
      if (codeOf(problem) === 'auth_not_configured') {
        setMailOff(true);
        return;
      }
      setError(
        codeOf(problem) === 'invalid_payload'
          ? 'This address cannot receive mail. Check it for typos.'
          : problemText(problem),
      );
      if (problem instanceof ApiProblem && problem.retryAfterSeconds !== null) {
        setWaitUntil(Date.now() + problem.retryAfterSeconds * 1000);
      }
    } finally {
      setBusy(false);
    }
  }

  if (sentAt === null) {
    return (
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault();
          if (waitS === 0) void askForCode();
        }}
      >
        <TextField
          label="E-mail"
          type="email"
          name="email"
          autoComplete="email"
          required
          autoFocus
          value={email}
          error={error}
          hint={server?.auth.email_for === 'operators' ? 'Codes are mailed only to operators.' : undefined}
          onChange={(event) => setEmail(event.target.value)}
        />
        {terms !== null && (
          <label className={styles.terms}>
            <input type="checkbox" required />
            <span>
              I accept{' '}
              <a href={terms} rel="noreferrer noopener" target="_blank">
                the terms of this service
              </a>
            </span>
          </label>
        )}
        <Button
          kind="primary"
          type="submit"
          isBusy={isBusy}
          refusal={waitS > 0 ? `Again in ${waitS} s` : null}
        >
          {waitS > 0 ? `Again in ${waitS} s` : 'Send code'}
        </Button>
        {isMailOff && (
          <LazyPart>
            <MailOff providers={providers.map(({ name }) => name)} email={email.trim()} />
          </LazyPart>
        )}
        {providers.length > 0 && <p className={styles.or}>or</p>}
        {providers.map(({ name, path }) => (
          <a
            key={path}
            className={styles.provider}
            href={withSearch(path, { return_to: isOverPage ? PATTERNS.home : whereNow() })}
            target={isOverPage ? '_blank' : undefined}
          >
            Continue with {name}
          </a>
        ))}
      </form>
    );
  }
  const leftS = Math.max(0, CODE_LIFE_S - Math.floor((now - sentAt) / 1000));
  return (
    <CodeStep
      // Another code restarts the step.
      key={sentAt}
      email={email.trim()}
      leftS={leftS}
      waitS={waitS}
      sendError={error}
      onSignedIn={onSignedIn}
      onAgain={() => void askForCode()}
      onOther={() => {
        setSentAt(null);
        setError(null);
      }}
    />
  );
}

/** Returns the other ways to sign in. */
function providersOf(auth: ServerDescription['auth'] | undefined): { name: string; path: string }[] {
  const { oidc = false, oidc_name: name = null, github = false } = auth ?? {};
  return [
    ...(oidc ? [{ name: name ?? 'single sign-on', path: '/v1/auth/oidc/start' }] : []),
    ...(github ? [{ name: 'GitHub', path: '/v1/auth/github/start' }] : []),
  ];
}

/** Returns the address of the current or the requested page. */
function whereNow(): string {
  const target =
    new URLSearchParams(location.search).get('return_to') ?? `${location.pathname}${location.search}`;
  return returnTarget(target.startsWith('/login') ? undefined : target);
}

/** The present, drawn anew once a second. */
function useSeconds(): number {
  const [, setSeconds] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setSeconds((seconds) => seconds + 1), 1000);
    return () => clearInterval(timer);
  }, []);
  return Date.now();
}
