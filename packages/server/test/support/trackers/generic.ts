import { createHmac } from 'node:crypto';
import { isJsonObject, type JsonObject } from '@culprit/evidence/events/envelope/json';
import type { TargetRequest } from '../http-target.ts';
import { BOT, NONE, ok, type Result, type Store, type StoredTicket, TRACKER_TOKEN } from './tracker-store.ts';

export function generic(store: Store, request: TargetRequest, path: string, body: JsonObject): Result | null {
  if (path !== '/generic') return null;
  const { headers } = request;
  const mac = (text: string) => createHmac('sha256', TRACKER_TOKEN).update(text);
  const id = String(headers['webhook-id']);
  const dated = `${id}.${headers['webhook-timestamp']}.${request.body}`;
  const isSigned =
    headers['x-service-signature'] === mac(request.body).digest('hex') &&
    headers['webhook-signature'] === `v1,${mac(dated).digest('base64')}`;
  if (!isSigned || headers.authorization !== undefined) return { status: 401, body: {} };
  if (body.target !== 'support' || body.idempotency_key !== id) return { status: 422, body: {} };
  if (body.event === 'ping') return ok({});
  const record = (ticket: StoredTicket) => ({
    key: `SUP-${ticket.number}`,
    url: `https://tickets.example/${ticket.number}`,
    state: ticket.isClosed ? 'closed' : 'open',
  });
  if (body.event === 'ticket.create') {
    const known = store.tickets.find(({ uuid }) => uuid === id);
    const made = { uuid: id, title: String(body.title), body: String(body.body_markdown) };
    return known === undefined ? { status: 201, body: record(store.create(made)) } : ok(record(known));
  }
  const ticket = store.tickets.find(({ number }) => body.key === `SUP-${number}`);
  if (ticket === undefined) return NONE;
  if (body.event === 'ticket.comment') {
    // A repeated message is known by its id.
    if (!ticket.labels.includes(id)) store.comment(ticket, BOT, String(body.body_markdown));
    ticket.labels.push(id);
  } else if (body.event === 'ticket.assign') {
    const { assignee } = body;
    store.assign(ticket, isJsonObject(assignee) ? String(assignee.handle) : null);
  } else store.move(ticket, body.state === 'closed', null);
  return ok(record(ticket));
}
