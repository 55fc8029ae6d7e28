import * as account from '@culprit/contract/workspace/account';
import { updateProfile as updateProfileEndpoint } from '@culprit/contract/workspace/people';
import type { Binder } from '../../platform/http/binding/bind-endpoint.ts';
import { RawJson } from '../../platform/http/binding/raw-json.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiCallers } from '../access/api-callers.ts';
import { checkMailAddress } from '../accounts/request-code.ts';
import { clearedSessionCookies } from '../accounts/session-secrets.ts';
import { confirmChange, requestChange } from './change-email.ts';
import { checkConfirmation, deleteAccount } from './delete-account.ts';
import { exportAccount } from './export-account.ts';
import { requestDeletionCode } from './request-deletion-code.ts';
import { updateProfile } from './update-profile.ts';

/** The address, export and deletion of an account (docs/contract/account.md 5). */
export function bindAccountRoutes(binder: Binder<ApiCallers>, runtime: Runtime): void {
  binder.bind(account.exportAccount, { rawResponse: true }).to(async (request) => ({
    status: 200,
    headers: { 'content-disposition': 'attachment; filename="culprit-account.json"' },
    body: new RawJson(await exportAccount(runtime, request)),
  }));
  binder.bind(updateProfileEndpoint).answers((request) => updateProfile(runtime, request));
  binder
    .bind(account.requestDeletionCode)
    .checked(checkConfirmation)
    .to(async (request) => {
      await requestDeletionCode(runtime, request);
      return { status: 200, body: { success: true } };
    });
  binder
    .bind(account.deleteAccount)
    .checked(checkConfirmation)
    .to(async (request) => ({
      status: 200,
      headers: { 'set-cookie': clearedSessionCookies(runtime.signIn.isCookieSecure) },
      body: { account: await deleteAccount(runtime, request) },
    }));
  binder
    .bind(account.requestEmailChange)
    .checked(checkMailAddress)
    .to(async (request) => {
      await requestChange(runtime, request);
      return { status: 200, body: { success: true } };
    });
  binder
    .bind(account.confirmEmailChange)
    .checked(checkMailAddress)
    .answers((request) => confirmChange(runtime, request));
}
