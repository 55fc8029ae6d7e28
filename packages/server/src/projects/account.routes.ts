import * as account from '@culprit/contract/account';
import type { SessionCaller } from '../accounts/authenticate-session.ts';
import { clearedSessionCookie } from '../accounts/session-secrets.ts';
import type { Binder, Callers } from '../platform/http/bind-endpoint.ts';
import { RawJson } from '../platform/http/raw-json.ts';
import { deleteAccount } from './delete-account.ts';
import { exportAccount } from './export-account.ts';
import type { PeopleRoom } from './people-room.ts';
import { requestDeletionCode } from './request-deletion-code.ts';

/** Export and deletion of an account (account.md 5). */
export function bindAccountRoutes<C extends Callers & { session: SessionCaller }>(
  binder: Binder<C>,
  room: PeopleRoom,
): void {
  binder.bind(account.exportAccount, { rawResponse: true }).to(async ({ caller, ...request }) => ({
    status: 200,
    headers: { 'content-disposition': 'attachment; filename="culprit-account.json"' },
    body: new RawJson(await exportAccount(room.database, caller, request)),
  }));
  binder.bind(account.requestDeletionCode).to(async ({ caller, body, ...request }) => {
    await requestDeletionCode(room, caller, body, request);
    return { status: 200, body: { success: true } };
  });
  binder.bind(account.deleteAccount).to(async ({ caller, body, ...request }) => ({
    status: 200,
    headers: { 'set-cookie': clearedSessionCookie(room.settings.isCookieSecure) },
    body: { account: await deleteAccount(room, caller, body, request) },
  }));
}
