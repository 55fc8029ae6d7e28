import * as groupGrants from '@culprit/contract/workspace/group-grants';
import * as invites from '@culprit/contract/workspace/invites';
import * as members from '@culprit/contract/workspace/members';
import type { Binder } from '../../platform/http/binding/bind-endpoint.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiCallers } from '../access/api-callers.ts';
import { acceptInvite } from './accept-invite.ts';
import { cancelInvite } from './cancel-invite.ts';
import { changeMemberRole } from './change-member-role.ts';
import { createGroupGrant, deleteGroupGrant, listGroupGrants } from './groups/group-grants.ts';
import { checkInvitedAddress, invitePerson } from './invite-person.ts';
import { leaveProject } from './leave-project.ts';
import { checkInvitesPage, listInvites } from './list-invites.ts';
import { checkMembersPage, listMembers } from './list-members.ts';
import { readInvite } from './read-invite.ts';
import { removeMember } from './remove-member.ts';

/** The people of projects and their invites. */
export function bindPeopleRoutes(binder: Binder<ApiCallers>, runtime: Runtime): void {
  binder
    .bind(members.listMembers)
    .checked(checkMembersPage)
    .answers((request) => listMembers(runtime, request));
  binder.bind(members.changeMemberRole).answers((request) => changeMemberRole(runtime, request));
  binder.bind(members.removeMember).answers((request) => removeMember(runtime, request));
  binder.bind(groupGrants.listGroupGrants).answers((request) => listGroupGrants(runtime, request));
  binder.bind(groupGrants.createGroupGrant).answers((request) => createGroupGrant(runtime, request));
  binder.bind(groupGrants.deleteGroupGrant).answers((request) => deleteGroupGrant(runtime, request));
  binder.bind(members.leaveProject).answers((request) => leaveProject(runtime, request));
  binder
    .bind(invites.listInvites)
    .checked(checkInvitesPage)
    .answers((request) => listInvites(runtime, request));
  binder
    .bind(invites.invitePerson)
    .checked(checkInvitedAddress)
    .answers((request) => invitePerson(runtime, request));
  binder.bind(invites.cancelInvite).answers((request) => cancelInvite(runtime, request));
  binder.bind(invites.readInvite).answers((request) => readInvite(runtime, request));
  for (const endpoint of [invites.acceptInvite, invites.acceptInviteAlias]) {
    binder.bind(endpoint).to(async (request) => ({
      status: 200,
      body: { membership: await acceptInvite(runtime, request) },
    }));
  }
}
