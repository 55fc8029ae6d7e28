import { updateCapturePolicy } from '@culprit/contract/capture/capture-policy';
import { createCaptureRule, createSuggestedCaptureRule } from '@culprit/contract/capture/capture-rules';
import { flagsOf } from '../../records/field-flags.ts';

const ofPolicy = flagsOf(updateCapturePolicy);

export const POLICY_FIELDS = [
  ofPolicy('--preset NAME', 'preset that the other settings change'),
  ofPolicy('--capture-logs WORD', 'minimum level of logs'),
  ofPolicy('--capture-messages WORD', 'minimum level of reported messages that open an incident'),
  ofPolicy('--capture-request-events WORD', 'requests to keep'),
  ofPolicy('--capture-breadcrumbs WORD', 'when browser steps are sent'),
  ofPolicy('--capture-probe-events WORD', 'when probes are sent'),
];

const ofRule = flagsOf(createCaptureRule);

export const RULE_FIELDS = [
  ofRule('--name NAME', 'name of the rule'),
  ofRule('--description TEXT', 'what it is for'),
  ofRule('--action ACTION', 'what happens to events that match'),
  ofRule('--match-service NAME', 'only these services', 'matcher.services'),
  ofRule('--match-error NAME', 'exactly this error name', 'matcher.error_name'),
  ofRule('--match-message-contains TEXT', 'messages with this text', 'matcher.message_contains'),
  ofRule('--sample-rate SHARE', 'share of events that sample keeps'),
  ofRule('--expires DURATION', 'when it ends', { field: 'expires_at', as: 'time ahead' }),
];

const ofSuggestion = flagsOf(createSuggestedCaptureRule);

export const APPLY_FIELDS = [
  ofSuggestion('--name NAME', 'name of the rule'),
  ofSuggestion('--disabled', 'create it disabled', { field: 'enabled', as: 'false' }),
  ofSuggestion('--expires DURATION', 'when it ends', {
    field: 'expires_at',
    as: 'time ahead',
    standard: '30d for drop and sample',
  }),
];
