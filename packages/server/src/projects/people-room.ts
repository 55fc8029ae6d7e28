import type { SignInRoom } from '../accounts/sign-in-room.ts';

/** What the operations over people and accounts work with. */
export interface PeopleRoom extends SignInRoom {
  /** Without a final slash; links in mails begin with it. */
  appUrl: string;
}
