import type { PlanSettings } from '../billing/plan.ts';
import type { Database } from '../platform/db/database.ts';
import type { SignInSettings } from './sign-in-settings.ts';

/** What the operations of signing in work with. */
export interface SignInRoom {
  database: Database;
  plans: PlanSettings;
  settings: SignInSettings;
  /** From `deriveKey(dataKey, 'mailed-codes')`. */
  codeKey: Buffer;
  /** From `deriveKey(dataKey, 'queued-mail')`. */
  mailKey: Buffer;
  /** From `deriveKey(dataKey, 'csrf')`. */
  csrfKey: Buffer;
}
