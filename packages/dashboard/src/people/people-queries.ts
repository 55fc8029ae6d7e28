import { listInvites } from '@culprit/contract/workspace/invites';
import { listMembers } from '@culprit/contract/workspace/members';
import { queryOptions } from '@tanstack/react-query';
import { freshness } from '../api/freshness.ts';
import { readAllPages } from '../api/pages.ts';
import { call } from '../api/transport.ts';

/** Everybody who sees a project, its owner first. Admins alone may read it. */
export function membersQuery(projectId: string) {
  return queryOptions({
    queryKey: [listMembers.id, projectId],
    queryFn: ({ signal }) =>
      readAllPages(
        (query) => call(listMembers, { params: { id: projectId }, query, signal }),
        ({ members }) => members,
      ),
    ...freshness('settings'),
  });
}

/** The invites that were neither accepted nor cancelled, newest first. Admins alone may read them. */
export function invitesQuery(projectId: string) {
  return queryOptions({
    queryKey: [listInvites.id, projectId],
    queryFn: ({ signal }) =>
      readAllPages(
        (query) => call(listInvites, { params: { id: projectId }, query, signal }),
        ({ invites }) => invites,
      ),
    ...freshness('settings'),
  });
}
