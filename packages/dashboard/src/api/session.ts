import { getSession, logOut, type Session } from '@culprit/contract/workspace/sign-in';
import { queryOptions } from '@tanstack/react-query';
import { queryClient } from './query-client.ts';
import { ApiProblem, call, client, isSessionOver, setCsrfToken } from './transport.ts';

/** The channel on which one tab notifies the others. */
const channel = new BroadcastChannel('culprit.session');
/** Shows that a person was signed in here, so that more can be requested immediately. */
const LAST_PROJECT = 'culprit.last';
const DRAFTS = 'culprit.draft.';
/** The positions in lists, kept over a reload of the page. */
export const PLACES = 'culprit.place.';

/** The session of the cookie; null when no one is signed in. */
export const sessionQuery = queryOptions({
  queryKey: [getSession.id],
  queryFn: async ({ signal }): Promise<Session | null> => {
    try {
      const { session } = await call(getSession, { signal });
      // It may have been begun at GitHub, in a tab that another one waits for.
      if (queryClient.getQueryData(sessionQuery.queryKey) === undefined) channel.postMessage('session-found');
      setCsrfToken(session.csrf_token);
      return session;
    } catch (error) {
      if (error instanceof ApiProblem && error.status === 401) return null;
      throw error;
    }
  },
  staleTime: 5 * 60_000,
});

/** Takes over a session that was just begun. */
export function enterSession(session: Session): void {
  const before = queryClient.getQueryData(sessionQuery.queryKey);
  setCsrfToken(session.csrf_token);
  queryClient.setQueryData(sessionQuery.queryKey, session);
  isSessionOver.set(false);
  channel.postMessage('signed-in');
  if (before !== undefined && before !== null) keepApart(before, session);
}

/** Data that another person saw must not be shown to this one. */
function keepApart(before: Session, session: Session): void {
  if (before.user_id === session.user_id) return;
  forgetTab();
  location.reload();
}

/** Takes over a session that was begun in another tab while this one waited for it. */
async function followSession(): Promise<void> {
  const before = queryClient.getQueryData(sessionQuery.queryKey);
  const session = await queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 });
  if (session === null) return;
  isSessionOver.set(false);
  if (before !== undefined && before !== null) keepApart(before, session);
  await queryClient.invalidateQueries();
}

/** Ends the session here and in the other tabs, and drops everything that was read. */
export async function signOut(target = '/login'): Promise<void> {
  await client.call(logOut);
  forgetSession(target);
}

/** The same once the session is gone already, such as with the whole account. */
export function forgetSession(target = '/login'): void {
  channel.postMessage('signed-out');
  leave(target);
}

/** Stores the last project of the person, for the next visit. */
export function rememberProject(projectId: string): void {
  localStorage.setItem(LAST_PROJECT, projectId);
}

export function lastProject(): string | null {
  return localStorage.getItem(LAST_PROJECT);
}

function leave(target = '/login'): void {
  setCsrfToken(null);
  forgetTab();
  localStorage.removeItem(LAST_PROJECT);
  queryClient.clear();
  location.assign(target);
}

function forgetTab(): void {
  for (const name of Object.keys(sessionStorage)) {
    if (name.startsWith(DRAFTS) || name.startsWith(PLACES)) sessionStorage.removeItem(name);
  }
}

channel.addEventListener('message', ({ data }) => {
  if (data === 'signed-out') leave();
  if (data === 'session-found' && isSessionOver.get()) void followSession();
  if (data === 'signed-in') void queryClient.invalidateQueries().then(() => isSessionOver.set(false));
});
