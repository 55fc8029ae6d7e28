import { getPersonalSettings } from '@culprit/contract/alerts/personal-messages';
import { listSessions } from '@culprit/contract/workspace/sign-in';
import { listMemberTokens } from '@culprit/contract/workspace/tokens';
import { queryOptions } from '@tanstack/react-query';
import { freshness } from '../api/freshness.ts';
import { readAllPages } from '../api/pages.ts';
import { call } from '../api/transport.ts';

/** The person's own tokens, live and revoked, newest first. */
export const memberTokensQuery = queryOptions({
  queryKey: [listMemberTokens.id],
  queryFn: ({ signal }) =>
    readAllPages(
      (query) => call(listMemberTokens, { query, signal }),
      ({ tokens }) => tokens,
    ),
  ...freshness('settings'),
});

/** The live sessions of the account, the one used last first. */
export const sessionsQuery = queryOptions({
  queryKey: [listSessions.id],
  queryFn: async ({ signal }) => (await call(listSessions, { signal })).sessions,
  ...freshness('settings'),
});

/** The mails that the person gets alone. */
export const notificationsQuery = queryOptions({
  queryKey: [getPersonalSettings.id],
  queryFn: async ({ signal }) => (await call(getPersonalSettings, { signal })).notifications,
  ...freshness('settings'),
});
