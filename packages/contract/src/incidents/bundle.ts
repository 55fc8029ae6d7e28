import Type, { type Static } from 'typebox';
import { Closed, Named } from '../schemas/closed-object.ts';
import { Nullable } from '../schemas/nullable.ts';
import { Timestamp } from '../schemas/timestamp-schemas.ts';
import { BundleContext } from './bundle-context.ts';
import { SourceTrust } from './incidents.ts';
import { Reproduction } from './reproduction.ts';
import { SEVERITIES } from './severities.ts';

const NullableString = Nullable(Type.String());
const NonEmptyString = Type.String({ minLength: 1 });
const SeverityWord = Type.Enum([...SEVERITIES]);

/** The kind of signal that the document is about (docs/contract/incidents.md 3.2, 6.2). */
export const SignalType = Type.Enum([
  'exception',
  'fatal_error',
  'frontend_exception',
  'request_failure',
  'warning',
  'performance_issue',
  'slow_query',
  'deprecation',
  'retry_loop',
]);

const BundleSignal = Closed({
  signal_id: Type.String(),
  signal_type: SignalType,
  severity: SeverityWord,
  fingerprint: Type.String(),
  first_seen_at: Timestamp,
  last_seen_at: Timestamp,
  occurrence_count: Type.Integer({ minimum: 1 }),
  source_event_types: Type.Array(Type.String()),
  source_trust: Type.Optional(SourceTrust),
});

export const ApplicationFrame = Closed({
  file: NullableString,
  line: Nullable(Type.Integer()),
  function: NullableString,
});

/** The document in a few sentences (docs/contract/incidents.md 3.5). */
export const BundleSummary = Closed({
  title: Type.String(),
  description: Type.String(),
  likely_cause: NullableString,
  recommended_action: NullableString,
  confidence: Type.Number({ minimum: 0, maximum: 1 }),
  severity: SeverityWord,
  error_type: NullableString,
  error_message: NullableString,
  first_application_frame: Nullable(ApplicationFrame),
  primary_signal: SignalType,
  signals: Closed({
    new_deploy: Type.Boolean(),
    regression_suspected: Type.Boolean(),
    customer_visible: Type.Boolean(),
  }),
});

/** The number of affected people and requests (docs/contract/incidents.md 3.6). */
export const BundleImpact = Closed({
  affected_users_estimate: Nullable(Type.Integer()),
  affected_requests_estimate: Nullable(Type.Integer()),
  customer_visible: Type.Boolean(),
  regression_suspected: Type.Boolean(),
  business_criticality: SeverityWord,
});

/** Which places of the document carry a redaction mark (docs/contract/incidents.md 3.7). */
export const RedactionReport = Closed({
  redacted: Type.Boolean(),
  fields: Type.Array(Type.String(), { maxItems: 200 }),
  notes: NullableString,
});

/** The debug bundle, version 1 (docs/contract/incidents.md 3.1). Readers ignore context blocks they do not know. */
export const DebugBundle = Named('DebugBundle', {
  bundle_version: Type.Literal(1),
  bundle_id: Type.String(),
  bundle_type: Type.Enum(['failure', 'improvement']),
  captured_at: Timestamp,
  sdk: Closed({ name: NonEmptyString, version: NonEmptyString }),
  project: Closed({ id: Type.String(), slug: Type.String(), environment: Type.String() }),
  service: Closed({
    id: NullableString,
    name: NonEmptyString,
    runtime: NullableString,
    framework: NullableString,
    version: NullableString,
    region: NullableString,
  }),
  signal: BundleSignal,
  summary: BundleSummary,
  impact: BundleImpact,
  context: BundleContext,
  reproduction: Reproduction,
  verification: Closed({
    verification_type: NullableString,
    synthetic: Type.Boolean(),
    local_verified: Type.Boolean(),
    production_verified: Type.Boolean(),
  }),
  links: Closed({
    self: Type.String(),
    reproduction: Type.String(),
    incident: NullableString,
    project: Type.String(),
    docs: NullableString,
  }),
  redaction: RedactionReport,
  metadata: Closed({
    created_at: Timestamp,
    updated_at: Timestamp,
    generator_version: Type.String(),
    generation_number: Type.Integer({ minimum: 1 }),
  }),
});

export type SignalType = Static<typeof SignalType>;
export type ApplicationFrame = Static<typeof ApplicationFrame>;
export type BundleSummary = Static<typeof BundleSummary>;
export type BundleImpact = Static<typeof BundleImpact>;
export type RedactionReport = Static<typeof RedactionReport>;
export type DebugBundle = Static<typeof DebugBundle>;
