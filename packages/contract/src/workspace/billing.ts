import Type, { type Static } from 'typebox';
import { defineEndpoint } from '../endpoints/endpoint.ts';
import { Nullable } from '../schemas/nullable.ts';
import { Timestamp } from '../schemas/timestamp-schemas.ts';

/** The plans of an organization, as answers name them (docs/contract/account.md 6.1). */
export const PlanName = Type.Enum(['free', 'solo', 'team']);
/** Those that can be tried and bought. */
const PaidPlanName = Type.Enum(['solo', 'team']);

/** Extra capacity units an organization may have at most. */
export const ADDITIONAL_UNITS_MAX = 99;

const Allowance = Type.Object(
  {
    used: Type.Integer({ minimum: 0, description: 'The quota is used up if this is not below `limit`' }),
    limit: Type.Integer({ minimum: 0, description: '2147483647 while plan limits are off' }),
  },
  { additionalProperties: false, title: 'Allowance' },
);

const PendingReduction = Type.Object(
  {
    additional_purchased: Type.Integer({ minimum: 0 }),
    total: Type.Integer({ minimum: 1 }),
    effective_at: Timestamp,
  },
  { additionalProperties: false, title: 'PendingReduction' },
);

/** The plan, the usage and the possible changes of an organization (docs/contract/account.md 6.3). */
export const BillingSummary = Type.Object(
  {
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
    capacity_units: Type.Object(
      {
        total: Type.Integer({ minimum: 1 }),
        included: Type.Integer({ minimum: 1 }),
        additional_purchased: Type.Integer({ minimum: 0 }),
        pending_reduction: Nullable(PendingReduction),
      },
      { additionalProperties: false, title: 'CapacityUnits' },
    ),
    usage_window: Type.Object(
      { starts_at: Timestamp, ends_at: Timestamp },
      { additionalProperties: false, title: 'UsageWindow' },
    ),
    allowances: Type.Object(
      {
        monthly_bundle_requests: Allowance,
        monthly_raw_ingested_events: Allowance,
        retained_bundle_cap: Allowance,
        monthly_remote_activations: Allowance,
        monthly_alert_deliveries: Allowance,
        monthly_webhook_deliveries: Allowance,
      },
      { additionalProperties: false, title: 'Allowances' },
    ),
    trial: Type.Object(
      {
        available: Type.Boolean(),
        active: Type.Boolean(),
        plan: Nullable(PaidPlanName),
        started_at: Nullable(Timestamp),
        ends_at: Nullable(Timestamp),
        used_at: Nullable(Timestamp),
        converted_at: Nullable(Timestamp),
        expired_at: Nullable(Timestamp),
        days_remaining: Nullable(Type.Integer({ minimum: 0, description: 'Rounded up; null when inactive' })),
      },
      { additionalProperties: false, title: 'Trial' },
    ),
  },
  { additionalProperties: false, title: 'BillingSummary' },
);
export type BillingSummary = Static<typeof BillingSummary>;

const billingAnswer = Type.Object({ billing: BillingSummary }, { additionalProperties: false });
const urlAnswer = Type.Object({ url: Type.String() }, { additionalProperties: false });
const targetBody = Type.Object(
  {
    target_additional_capacity_units: Type.Integer({
      minimum: 0,
      maximum: ADDITIONAL_UNITS_MAX,
      description: 'Target number of units beyond the included ones',
    }),
  },
  { additionalProperties: false },
);

export const getBilling = defineEndpoint({
  id: 'getBilling',
  method: 'GET',
  path: '/v1/billing',
  summary: "Get plan, capacity, allowances and trial of the caller's organization",
  auth: 'member',
  scope: { of: 'organization' },
  role: 'owner',
  responses: { 200: billingAnswer },
});

export const startTrial = defineEndpoint({
  id: 'startTrial',
  method: 'POST',
  path: '/v1/billing/trial/start',
  summary: 'Start the only trial, which lasts 30 days',
  auth: 'member',
  scope: { of: 'organization' },
  role: 'owner',
  body: Type.Object(
    { target_plan: Type.Optional(Type.Enum(['solo', 'team'], { default: 'team' })) },
    { additionalProperties: false },
  ),
  isBodyOptional: true,
  responses: { 200: billingAnswer },
  errors: ['trial_unavailable'],
});

export const increaseCapacity = defineEndpoint({
  id: 'increaseCapacity',
  method: 'POST',
  path: '/v1/billing/capacity/increase',
  summary: 'Add capacity units immediately',
  auth: 'member',
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
  auth: 'member',
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
  auth: 'member',
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
  body: Type.Object({ target_plan: PaidPlanName }, { additionalProperties: false }),
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
  body: Type.Object(
    { session_id: Type.String({ minLength: 1, maxLength: 255 }) },
    { additionalProperties: false },
  ),
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
