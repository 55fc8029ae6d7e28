import Type, { type Static } from 'typebox';
import { defineEndpoint } from '../endpoints/endpoint.ts';
import { OF_PROJECT } from '../endpoints/subjects.ts';
import { Closed } from '../schemas/closed-object.ts';
import { Nullable } from '../schemas/nullable.ts';
import {
  CaptureAccessMode,
  CaptureOverrides,
  CapturePolicy,
  CapturePreset,
  ClientErrorStatus,
  captureControls,
  HttpMethod,
  IMMEDIATE_PATH_RULES_MAX,
  PathPattern,
} from './capture.ts';

const CapturePolicyAnswer = Closed({
  access_mode: CaptureAccessMode,
  policy: CapturePolicy,
  overrides: CaptureOverrides,
});
export type CapturePolicyAnswer = Static<typeof CapturePolicyAnswer>;

/**
 * A change of the policy: absent keeps, null goes back to the preset, `[]` is explicitly none
 * (docs/contract/ingestion.md 4.6).
 */
export const CapturePolicyPatch = Closed({
  preset: Type.Optional(CapturePreset),
  capture_logs: Type.Optional(Nullable(captureControls.capture_logs)),
  capture_messages: Type.Optional(Nullable(captureControls.capture_messages)),
  capture_request_events: Type.Optional(Nullable(captureControls.capture_request_events)),
  capture_breadcrumbs: Type.Optional(Nullable(captureControls.capture_breadcrumbs)),
  capture_probe_events: Type.Optional(Nullable(captureControls.capture_probe_events)),
  immediate_client_error_statuses: Type.Optional(Nullable(captureControls.immediate_client_error_statuses)),
  immediate_client_error_path_rules: Type.Optional(
    Nullable(
      Type.Array(
        Closed({
          status_code: ClientErrorStatus,
          path_pattern: PathPattern,
          methods: Type.Optional(
            Type.Array(HttpMethod, { maxItems: 7, description: 'Empty or absent means any method' }),
          ),
        }),
        { maxItems: IMMEDIATE_PATH_RULES_MAX },
      ),
    ),
  ),
});
export type CapturePolicyPatch = Static<typeof CapturePolicyPatch>;

export const getCapturePolicy = defineEndpoint({
  id: 'getCapturePolicy',
  method: 'GET',
  path: '/v1/projects/:id/capture-policy',
  summary: 'Get the capture policy of a project',
  ...OF_PROJECT,
  responses: { 200: CapturePolicyAnswer },
});

export const updateCapturePolicy = defineEndpoint({
  id: 'updateCapturePolicy',
  method: 'PATCH',
  path: '/v1/projects/:id/capture-policy',
  summary: 'Change the preset or single controls, from the next ingestion request on',
  ...OF_PROJECT,
  role: 'admin',
  body: CapturePolicyPatch,
  responses: { 200: CapturePolicyAnswer },
  errors: ['upgrade_required'],
});
