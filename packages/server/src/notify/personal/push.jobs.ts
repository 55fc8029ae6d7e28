/** The lane of personal messages that go to ntfy: a server that hangs delays no mail. */
export const PUSH_LANE = 'push';

/** Job kind: publishes one message to the topic of a person. */
export const PUSH_NOTICE = { lane: PUSH_LANE, kind: 'push.notice' } as const;

/** A message for one person. */
export interface Push {
  userId: string;
  title: string;
  message: string;
  link: string;
}

/** Reads a payload back from its row; a row that was not written by this program is an error. */
export function readPush({ userId, title, message, link }: Record<string, unknown>): Push {
  const isPush = [userId, title, message, link].every((each) => typeof each === 'string');
  if (!isPush) throw new Error('unreadable message for a person');
  return { userId: String(userId), title: String(title), message: String(message), link: String(link) };
}
