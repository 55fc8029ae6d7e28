import Type, { type Static } from 'typebox';
import { defineEndpoint } from '../endpoints/endpoint.ts';
import { Closed, Named } from '../schemas/closed-object.ts';
import { Nullable } from '../schemas/nullable.ts';
import { Timestamp } from '../schemas/timestamp-schemas.ts';

/** The plans of an organization, as answers name them (docs/contract/account.md 6.1). */
export const PlanName = Type.Enum(['free', 'solo', 'team']);
/** Those that can be tried and bought. */
const PaidPlanName = Type.Enum(['solo', 'team']);

/** Extra capacity units an organization may have at most. */
export const ADDITIONAL_UNITS_MAX = 99;

const Allowance = Named('Allowance', {
  used: Type.Integer({ minimum: 0, description: 'The quota is used up if this is not below `limit`' }),
  limit: Type.Integer({ minimum: 0, description: '2147483647 while plan limits are off' }),
});

const PendingReduction = Named('PendingReduction', {
  additional_purchased: Type.Integer({ minimum: 0 }),
  total: Type.Integer({ minimum: 1 }),
  effective_at: Timestamp,
});

/** The plan, the usage and the possible changes of an organization (docs/contract/account.md 6.3). */
export const BillingSummary = Named('BillingSummary', {
  plan: PlanName,
  billing_state: Nullable(
    Type.Enum([
      'active',
      'past_due',
      'canceled',
      'unpaid',
      'incomplete',
      'admin_override',
      'trialing',
      'trial_expired',
    ]),
  ),
  stripe_customer_id: Nullable(Type.String()),
  active_projects: Type.Integer({ minimum: 0 }),
  capacity_units: Named('CapacityUnits', {
    total: Type.Integer({ minimum: 1 }),
    included: Type.Integer({ minimum: 1 }),
    additional_purchased: Type.Integer({ minimum: 0 }),
    pending_reduction: Nullable(PendingReduction),
  }),
  usage_window: Named('UsageWindow', { starts_at: Timestamp, ends_at: Timestamp }),
  allowances: Named('Allowances', {
    monthly_bundle_requests: Allowance,
    monthly_raw_ingested_events: Allowance,
    retained_bundle_cap: Allowance,
    monthly_remote_activations: Allowance,
    monthly_alert_deliveries: Allowance,
    monthly_webhook_deliveries: Allowance,
  }),
  trial: Named('Trial', {
    available: Type.Boolean(),
    active: Type.Boolean(),
    plan: Nullable(PaidPlanName),
    started_at: Nullable(Timestamp),
    ends_at: Nullable(Timestamp),
    used_at: Nullable(Timestamp),
    converted_at: Nullable(Timestamp),
    expired_at: Nullable(Timestamp),
    days_remaining: Nullable(Type.Integer({ minimum: 0, description: 'Rounded up; null when inactive' })),
  }),
});
export type BillingSummary = Static<typeof BillingSummary>;

const billingAnswer = Closed({ billing: BillingSummary });
const urlAnswer = Closed({ url: Type.String() });
const targetBody = Closed({
  target_additional_capacity_units: Type.Integer({
    minimum: 0,
    maximum: ADDITIONAL_UNITS_MAX,
    description: 'Target number of units beyond the included ones',
  }),
});

export const getBilling = defineEndpoint({
  id: 'getBilling',
  method: 'GET',
  path: '/v1/billing',
  summary: "Get plan, capacity, allowances and trial of the caller's organization",
  scope: { of: 'organization' },
  role: 'owner',
  responses: { 200: billingAnswer },
});

export const startTrial = defineEndpoint({
  id: 'startTrial',
  method: 'POST',
  path: '/v1/billing/trial/start',
  summary: 'Start the only trial, which lasts 30 days',
  scope: { of: 'organization' },
  role: 'owner',
  body: Closed({ target_plan: Type.Optional(Type.Enum(['solo', 'team'], { default: 'team' })) }),
  isBodyOptional: true,
  responses: { 200: billingAnswer },
  errors: ['trial_unavailable'],
});

export const increaseCapacity = defineEndpoint({
  id: 'increaseCapacity',
  method: 'POST',
  path: '/v1/billing/capacity/increase',
  summary: 'Add capacity units immediately',
  scope: { of: 'organization' },
  role: 'owner',
  body: targetBody,
  responses: { 200: billingAnswer },
  errors: [
    'trial_conversion_required',
    'capacity_not_available',
    'pending_reduction_exists',
    'invalid_target_quantity',
    'plan_managed_by_configuration',
    'billing_service_error',
  ],
});

export const scheduleReduction = defineEndpoint({
  id: 'scheduleReduction',
  method: 'POST',
  path: '/v1/billing/capacity/scheduled-reduction',
  summary: 'Remove capacity units when the usage window ends; a second call replaces the first',
  scope: { of: 'organization' },
  role: 'owner',
  body: targetBody,
  responses: { 200: billingAnswer },
  errors: [
    'trial_conversion_required',
    'capacity_not_available',
    'invalid_target_quantity',
    'plan_managed_by_configuration',
    'billing_service_error',
  ],
});

export const cancelReduction = defineEndpoint({
  id: 'cancelReduction',
  method: 'DELETE',
  path: '/v1/billing/capacity/scheduled-reduction',
  summary: 'Cancel a scheduled reduction',
  scope: { of: 'organization' },
  role: 'owner',
  body: 'none',
  responses: { 200: billingAnswer },
  errors: [
    'trial_conversion_required',
    'no_pending_reduction',
    'plan_managed_by_configuration',
    'billing_service_error',
  ],
});

export const createCheckout = defineEndpoint({
  id: 'createCheckout',
  method: 'POST',
  path: '/v1/billing/checkout',
  summary: 'Start the purchase of a plan at the payment provider',
  auth: 'session',
  scope: { of: 'organization' },
  role: 'owner',
  body: Closed({ target_plan: PaidPlanName }),
  responses: { 200: urlAnswer },
  errors: ['billing_not_configured', 'billing_service_error'],
});

export const confirmCheckout = defineEndpoint({
  id: 'confirmCheckout',
  method: 'POST',
  path: '/v1/billing/checkout/confirm',
  summary: 'Apply a purchase made at the payment provider',
  auth: 'session',
  scope: { of: 'organization' },
  role: 'owner',
  body: Closed({ session_id: Type.String({ minLength: 1, maxLength: 255 }) }),
  responses: { 200: billingAnswer },
  errors: ['billing_not_configured', 'billing_service_error'],
});

export const openBillingPortal = defineEndpoint({
  id: 'openBillingPortal',
  method: 'POST',
  path: '/v1/billing/portal',
  summary: 'Open the customer pages of the payment provider',
  auth: 'session',
  scope: { of: 'organization' },
  role: 'owner',
  body: 'none',
  responses: { 200: urlAnswer },
  errors: ['billing_not_configured', 'billing_service_error'],
});
