import '../api/sign-in-problem-words.ts';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { wordsFor } from '../api/problem-words.ts';
import { PATTERNS, returnTarget } from '../paths.ts';
import { Entrance } from '../shell/sign-in/entrance.tsx';
import { SignInForm } from '../shell/sign-in/sign-in-form.tsx';

const route = getRouteApi(PATTERNS.login);

/** Signing in: is this the right place, where is my code, why did it fail. */
export function LoginPage() {
  const { return_to: returnTo, error } = route.useSearch();
  const router = useRouter();
  return (
    <Entrance
      title="Sign in to Culprit"
      windowTitle="Sign in"
      error={error === undefined ? undefined : wordsOf(error)}
    >
      <SignInForm onSignedIn={() => router.history.replace(returnTarget(returnTo))} />
    </Entrance>
  );
}

/** Anybody can write an address, so that only what looks like a code is shown when it has no words. */
function wordsOf(error: string): string {
  return /^[a-z_]{1,40}$/.test(error)
    ? wordsFor(error)
    : 'Sign-in failed. Try again, or sign in another way.';
}
