import { ADDITIONAL_UNITS_MAX, type BillingSummary } from '@culprit/contract/workspace/billing';
import { normalizeEmail } from '@culprit/contract/workspace/email-address';
import { readConfig } from '../platform/config/config.ts';
import type { Queryable } from '../platform/db/database.ts';
import { planSettings } from '../roles/settings.ts';
import { findUserId } from '../workspace/accounts/accounts.queries.ts';
import { recordAudit } from '../workspace/audit/record-audit.ts';
import { findOwnedOrganization } from '../workspace/billing/billing.queries.ts';
import { getBilling } from '../workspace/billing/get-billing.ts';
import type { Plan } from '../workspace/billing/plan.ts';
import { type PlanChoice, setPlan } from '../workspace/billing/set-plan.ts';
import { type AdminCommand, CommandRefused, printResult, readOptions, UsageError } from './command.ts';
import { withDatabase } from './with-database.ts';

/** The output of `admin plan`: the same as `GET /v1/billing`, and the owner. */
interface PlanResult {
  email: string;
  organization_id: string;
  billing: BillingSummary;
}

const PLANS: readonly Plan[] = ['free', 'solo', 'team'];

/** `admin plan show` */
export const showPlanCommand: AdminCommand = {
  usage: 'plan show --email ADDRESS [--json]',
  purpose: 'Prints plan, allowances and trial of the organization the person owns.',
  async run(args) {
    const values = readOptions(args, {
      email: { type: 'string' },
      json: { type: 'boolean', default: false },
    });
    const email = requireEmail(values.email);
    const config = readConfig(process.env);
    const result = await withDatabase(config, async (database): Promise<PlanResult> => {
      const organizationId = await ownedBy(database, email);
      const billing = await getBilling(database, planSettings(config), organizationId);
      return { email, organization_id: organizationId, billing };
    });
    printResult(result, values.json);
  },
};

/** `admin plan set` */
export const setPlanCommand: AdminCommand = {
  usage: 'plan set --email ADDRESS --plan solo|team|free [--units N] [--json]',
  purpose:
    'Assigns a plan, with N extra capacity units, to the organization the person owns. A running trial is converted. Requires CULPRIT_PLAN_SOURCE=account.',
  async run(args) {
    const values = readOptions(args, {
      email: { type: 'string' },
      plan: { type: 'string' },
      units: { type: 'string' },
      json: { type: 'boolean', default: false },
    });
    const email = requireEmail(values.email);
    const choice = readChoice(values.plan, values.units);
    const config = readConfig(process.env);
    const plans = planSettings(config);
    if (plans.source === 'config') {
      throw new CommandRefused(
        'Plans come from the configuration: every organization has the plan of CULPRIT_PLAN_DEFAULT. Set CULPRIT_PLAN_SOURCE to `account`, for the server too, to give each organization its own plan.',
      );
    }
    const result = await withDatabase(config, async (database, log): Promise<PlanResult> => {
      const organizationId = await ownedBy(database, email);
      const billing = await database.transaction(async (transaction) => {
        await setPlan(transaction, plans, organizationId, choice);
        return await getBilling(transaction, plans, organizationId);
      });
      await recordAudit(
        database,
        { log, clientAddress: null },
        {
          action: 'billing.plan_set',
          actorUserId: null,
          organizationId,
          data: { plan: choice.plan, additional_units: billing.capacity_units.additional_purchased },
        },
      );
      return { email, organization_id: organizationId, billing };
    });
    printResult(result, values.json);
  },
};

function requireEmail(text: string | undefined): string {
  const email = normalizeEmail(text ?? '');
  if (email === null) throw new UsageError('--email must be an e-mail address');
  return email;
}

function readChoice(planText: string | undefined, unitsText: string | undefined): PlanChoice {
  const plan = PLANS.find((each) => each === planText);
  if (plan === undefined) throw new UsageError('--plan must be `solo`, `team` or `free`');
  if (unitsText === undefined) return { plan, additionalUnits: null };
  const additionalUnits = /^\d{1,2}$/.test(unitsText) ? Number(unitsText) : null;
  if (additionalUnits === null) {
    throw new UsageError(`--units must be a whole number from 0 to ${ADDITIONAL_UNITS_MAX}`);
  }
  if (plan === 'free' && additionalUnits > 0) throw new UsageError('Free has no extra capacity units');
  return { plan, additionalUnits };
}

async function ownedBy(database: Queryable, email: string): Promise<string> {
  const userId = await findUserId(database, email);
  if (userId === null) throw new CommandRefused(`No account has the address ${email}.`);
  const organizationId = await findOwnedOrganization(database, userId);
  if (organizationId === null) throw new CommandRefused(`${email} owns no organization.`);
  return organizationId;
}
