import { normalizeEmail } from '@culprit/contract/workspace/email-address';
import { inTransaction } from '../../platform/db/statement.ts';
import { newUuid } from '../../platform/ids.ts';
import { Secret } from '../../platform/secrets/secret.ts';
import { DEMO_EMAIL } from '../../workspace/accounts/demo-account.ts';
import type { CreateFirstAlert } from '../../workspace/projects/add-project.ts';
import { newAlertRule } from './alert-rule.ts';
import { insertRule } from './alert-rules.queries.ts';

const COOLDOWN_SECONDS = 3600;

/** The config of a mail rule has nothing to seal. Sealing with this key throws. */
const NO_KEY = new Secret(Buffer.alloc(0));

/**
 * Creates the alert rule with which a project begins (docs/contract/notifications.md 1.25): mail to its owner. No one
 * reads the mail of the demo's account, so its project has none.
 */
export const createFirstAlert: CreateFirstAlert = async (transaction, { projectId, ownerUserId }) => {
  const to = normalizeEmail((await findEmail(transaction, ownerUserId)) ?? '');
  if (to === null || to === DEMO_EMAIL) return;
  const rule = newAlertRule(
    {
      project_id: projectId,
      name: 'New or regressed, urgent or high',
      channel: 'email',
      condition_type: 'severity_threshold',
      severity_lifecycle_scope: 'both',
      query: 'priority:urgent,high',
      cooldown_seconds: COOLDOWN_SECONDS,
      config: { to },
    },
    { serviceId: null, config: { to } },
  );
  await insertRule(
    transaction,
    NO_KEY,
    { alertId: newUuid(), projectId, createdByUserId: ownerUserId },
    rule,
  );
};

const findEmail = inTransaction.value<[userId: string], string | null>(
  'first-alert-email',
  'select email from users where user_id = $1',
  null,
);
