import { updateCapturePolicy } from '@culprit/contract/capture/capture-policy';
import { createCaptureRule, createSuggestedCaptureRule } from '@culprit/contract/capture/capture-rules';
import { flagsOf } from '../../records/field-flags.ts';

const ofPolicy = flagsOf(updateCapturePolicy);

export const POLICY_FIELDS = [
  ofPolicy('--preset NAME', 'where everything else begins'),
  ofPolicy('--capture-logs WORD', 'logs from this level'),
  ofPolicy('--capture-messages WORD', 'reported messages that open an incident, from this level'),
  ofPolicy('--capture-request-events WORD', 'which requests'),
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
  ofRule('--sample-rate SHARE', 'share that is kept by sample'),
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
