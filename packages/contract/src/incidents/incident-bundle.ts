import Type, { type Static } from 'typebox';
import { defineEndpoint } from '../endpoints/endpoint.ts';
import { OF_INCIDENT } from '../endpoints/subjects.ts';
import { Named } from '../schemas/closed-object.ts';
import { DebugBundle } from './bundle.ts';
import { Reproduction } from './reproduction.ts';

/** The document is not there yet, and still being made. */
export const BundlePending = Named('BundlePending', { status: Type.Literal('pending') });

/** Why there is no document (docs/contract/incidents.md 2.4). */
export const BundleFailureReason = Type.Enum([
  'generation_error',
  'artifact_unreadable',
  'evidence_expired',
  'monthly_quota_exceeded',
  'bundle_rotated',
]);
export type BundleFailureReason = Static<typeof BundleFailureReason>;

const BundleFailed = Named('BundleFailed', { status: Type.Literal('failed'), reason: BundleFailureReason });

export const getIncidentBundle = defineEndpoint({
  id: 'getIncidentBundle',
  method: 'GET',
  path: '/v1/incidents/:id/bundle',
  summary: 'Get the debug bundle, or its state if there is none yet',
  ...OF_INCIDENT,
  responses: { 200: Type.Union([DebugBundle, BundlePending, BundleFailed]) },
});

export const getIncidentReproduction = defineEndpoint({
  id: 'getIncidentReproduction',
  method: 'GET',
  path: '/v1/incidents/:id/reproduction',
  summary: 'Get the steps that reproduce the failure, or their state if there are none yet',
  ...OF_INCIDENT,
  responses: { 200: Type.Union([Reproduction, BundlePending]) },
  errors: ['reproduction_not_found'],
});
