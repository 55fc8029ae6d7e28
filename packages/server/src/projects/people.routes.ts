import * as invites from '@culprit/contract/invites';
import * as members from '@culprit/contract/members';
import type { SessionCaller } from '../accounts/authenticate-session.ts';
import type { Binder, Callers } from '../platform/http/bind-endpoint.ts';
import type { Member } from '../tokens/authenticate-member.ts';
import { acceptInvite } from './accept-invite.ts';
import { cancelInvite } from './cancel-invite.ts';
import { changeMemberRole } from './change-member-role.ts';
import { invitePerson } from './invite-person.ts';
import { leaveProject } from './leave-project.ts';
import { listInvites } from './list-invites.ts';
import { listMembers } from './list-members.ts';
import type { PeopleRoom } from './people-room.ts';
import { removeMember } from './remove-member.ts';

/** The people of projects and their invites. */
export function bindPeopleRoutes<C extends Callers & { member: Member; session: SessionCaller }>(
  binder: Binder<C>,
  room: PeopleRoom,
): void {
  const { database, plans } = room;

  binder.bind(members.listMembers).to(async ({ caller, params, query }) => ({
    status: 200,
    body: await listMembers(database, plans, caller, params.id, query),
  }));
  binder.bind(members.changeMemberRole).to(async ({ caller, params, body, ...request }) => ({
    status: 200,
    body: { member: await changeMemberRole(room, caller, params, body.role, request) },
  }));
  binder.bind(members.removeMember).to(async ({ caller, params, ...request }) => ({
    status: 200,
    body: { member: await removeMember(room, caller, params, request) },
  }));
  binder.bind(members.leaveProject).to(async ({ caller, params, ...request }) => ({
    status: 200,
    body: { member: await leaveProject(room, caller, params.id, request) },
  }));
  binder.bind(invites.listInvites).to(async ({ caller, params, query }) => ({
    status: 200,
    body: await listInvites(database, plans, caller, params.id, query),
  }));
  binder.bind(invites.invitePerson).to(async ({ caller, params, body, ...request }) => ({
    status: 201,
    body: { invite: await invitePerson(room, caller, params.id, body, request) },
  }));
  binder.bind(invites.cancelInvite).to(async ({ caller, params, ...request }) => ({
    status: 200,
    body: { invite: await cancelInvite(room, caller, params, request) },
  }));
  for (const endpoint of [invites.acceptInvite, invites.acceptInviteAlias]) {
    binder.bind(endpoint).to(async ({ caller, body, ...request }) => ({
      status: 200,
      body: { membership: await acceptInvite(room, caller, body.token, request) },
    }));
  }
}
