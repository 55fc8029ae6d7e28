import { randomUUID } from 'node:crypto';
import { commentMarkdown, ticketMarkdown } from './ticket-markdown.ts';
import { emailIn, idIn, nameIn, objectIn, textIn, urlIn } from './tracker-answer.ts';
import type { Call, Connection, Ticket, TicketPerson, TrackerApi } from './tracker-api.ts';
import { TrackerFailure } from './tracker-call.ts';

/**
 * A tracker with any interface, behind a small service that its people write (docs/contract/team-workflow.md 7.5): every
 * call is a signed POST to one address, and what happens to tickets is reported to ours.
 */
export const GENERIC: TrackerApi = {
  target: /^[A-Za-z0-9._/-]+$/,

  async readAccount(connection, call) {
    await post(connection, call, randomUUID(), { event: 'ping', callback_url: callbackOf(connection) });
    return new URL(connection.baseUrl).host;
  },

  listTargets: null,
  listIssueTypes: null,
  findTickets: null,
  listFields: null,

  async create(connection, call, draft) {
    const answer = await post(connection, call, draft.linkId, {
      event: 'ticket.create',
      incident: draft.incident,
      title: draft.title,
      body_markdown: ticketMarkdown(draft),
      callback_url: callbackOf(connection),
    });
    const ticket = ticketOf(answer);
    return { ...ticket, url: urlIn(objectIn(answer).url), title: ticket.title ?? draft.title };
  },

  // A repeated request has the same key, which its receiver answers with the same ticket.
  findCreated: () => Promise.resolve(null),

  // Tickets cannot be read, so none that exists can be linked but by its plain address.
  readKey: () => null,
  read: () => Promise.reject(new TrackerFailure('missing', 'not_readable')),
  readChanged: null,

  async setClosed(connection, call, id, isClosed) {
    const state = isClosed ? 'closed' : 'open';
    const answer = await post(connection, call, randomUUID(), { event: 'ticket.update', key: id, state });
    // An answer without a state accepts the one that was asked for.
    return {
      ...ticketOf({ key: id, state, ...(answer === undefined ? {} : objectIn(answer)) }),
      id,
      key: id,
    };
  },

  async comment(connection, call, id, comment) {
    const content = { event: 'ticket.comment', key: id, body_markdown: commentMarkdown(comment) };
    await post(connection, call, comment.id, content);
  },
  readComments: null,
  readCloser: null,

  async assign(connection, call, id, person) {
    await post(connection, call, randomUUID(), { event: 'ticket.assign', key: id, assignee: person });
    return true;
  },
};

async function post(
  { target, token }: Connection,
  call: Call,
  idempotencyKey: string,
  content: object,
): Promise<unknown> {
  return await call({
    method: 'POST',
    path: '',
    signature: { secret: token, id: idempotencyKey },
    body: { ...content, idempotency_key: idempotencyKey, target },
  });
}

function callbackOf({ callbackUrl }: Connection): string | null {
  return callbackUrl?.reveal() ?? null;
}

/** A ticket as an answer or a report names it. @throws TrackerFailure */
export function ticketOf(value: unknown): Ticket {
  const answer = objectIn(value);
  const { key, url, title, state = 'open', state_name: stateName, wont_fix: isWontFix, assignee } = answer;
  const { closed_by: closer } = answer;
  if (state !== 'open' && state !== 'closed') throw new TrackerFailure('unavailable', 'unexpected_answer');
  const id = idIn(key);
  return {
    ...{ id, key: id },
    url: url === undefined ? null : urlIn(url),
    title: textIn(title) || null,
    isClosed: state === 'closed',
    isWontFix: state === 'closed' && isWontFix === true,
    stateName: textIn(stateName) || state,
    assignee: assignee === undefined ? undefined : personOf(assignee),
    closedBy: closer === undefined ? null : (personOf(closer)?.name ?? null),
    updatedAtMs: null,
  };
}

/** A person as a report names them, by at least one of name, handle and address; null: none. */
function personOf(value: unknown): TicketPerson | null {
  if (value === null) return null;
  const { name, handle, email } = objectIn(value);
  const known = { name: nameIn(name), login: nameIn(handle), email: emailIn(email) };
  const id = known.email ?? known.login ?? known.name;
  if (id === null) throw new TrackerFailure('unavailable', 'unexpected_answer');
  return { ...known, id, name: known.name ?? id };
}
