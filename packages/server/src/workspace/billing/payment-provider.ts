import { Problem } from '../../platform/http/binding/problem.ts';
import type { PaidPlan } from './plan.ts';

/**
 * The operations of a payment provider (docs/contract/account.md 6.9). An implementation is the source of truth for
 * purchases: it throws `billing_service_error` when it cannot be reached, before anything is changed here.
 */
export interface PaymentProvider {
  /** Returns the address at which the owner pays for a plan. */
  createCheckout(organizationId: string, targetPlan: PaidPlan): Promise<{ url: string }>;
  /** Takes over what was paid in a checkout of the provider. */
  confirmCheckout(organizationId: string, sessionId: string): Promise<void>;
  /** Returns the address at which the owner changes payment data and ends the subscription. */
  openPortal(organizationId: string): Promise<{ url: string }>;
  /** Called before units are added. */
  setQuantity(organizationId: string, additionalUnits: number): Promise<void>;
  /** Called before a reduction is scheduled. */
  scheduleQuantity(organizationId: string, additionalUnits: number, effectiveAtMs: number): Promise<void>;
  /** Called before a scheduled reduction is canceled. */
  cancelSchedule(organizationId: string): Promise<void>;
}

/** `CULPRIT_BILLING_PROVIDER=none`: nothing can be bought, and capacity changes are ours alone. */
export const NO_PAYMENT_PROVIDER: PaymentProvider = {
  createCheckout: refuse,
  confirmCheckout: refuse,
  openPortal: refuse,
  async setQuantity() {},
  async scheduleQuantity() {},
  async cancelSchedule() {},
};

async function refuse(): Promise<never> {
  throw new Problem('billing_not_configured');
}
