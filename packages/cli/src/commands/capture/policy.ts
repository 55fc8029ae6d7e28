import { getCapturePolicy, updateCapturePolicy } from '@culprit/contract/capture/capture-policy';
import { usageError } from '../../cli-error.ts';
import type { JsonObject } from '../../config/json-file.ts';
import type { Input } from '../../input.ts';
import { fieldsOf } from '../../records/fields.ts';
import { recordCommand } from '../../records/record-commands.ts';
import { POLICY_FIELDS } from './flags.ts';

export const show = recordCommand({ endpoint: getCapturePolicy, project: 'params.id' });

/** Fields that go back to the preset when they are null. */
const RESETTABLE = [
  'capture_logs',
  'capture_messages',
  'capture_request_events',
  'capture_breadcrumbs',
  'capture_probe_events',
  'immediate_client_error_statuses',
  'immediate_client_error_path_rules',
];

export const set = recordCommand({
  endpoint: updateCapturePolicy,
  project: 'params.id',
  flags: POLICY_FIELDS,
  body(_, input) {
    if (Object.keys(policyPatch(input)).length === 0)
      throw usageError('Nothing to change.', 'see --help for the flags');
    return policyChanges(_, input);
  },
});

/** The changes that the flags name, beside those that are fields by themselves. */
function policyChanges(_: unknown, input: Input): JsonObject {
  const body: JsonObject = {};
  for (const field of input.list('reset')) {
    if (!RESETTABLE.includes(field)) throw usageError(`--reset must be one of ${RESETTABLE.join(', ')}.`);
    body[field] = null;
  }
  const statuses = input.text('client-error-status');
  if (statuses !== null) body.immediate_client_error_statuses = statuses.split(',').map(Number);
  const rules = pathRules(input);
  if (rules.length > 0) body.immediate_client_error_path_rules = rules;
  return body;
}

/** Every change of the policy that the flags name. */
export function policyPatch(input: Input): JsonObject {
  return { ...policyChanges(null, input), ...fieldsOf(input, POLICY_FIELDS) };
}

/** `404=/api/*@GET,POST`: statuses, path, and methods when not all are meant; one rule for each status. */
function pathRules(input: Input): JsonObject[] {
  return input.list('client-error-path').flatMap((text) => {
    const equals = text.indexOf('=');
    const at = text.lastIndexOf('@');
    const path = text.slice(equals + 1, at > equals ? at : undefined);
    const statuses = text.slice(0, equals).split(',').map(Number);
    if (equals <= 0 || path === '' || statuses.some((status) => !Number.isInteger(status))) {
      throw usageError(`"${text}" is not a rule.`, "for example '404=/api/*@GET,POST'");
    }
    const methods = at > equals ? { methods: text.slice(at + 1).split(',') } : {};
    return statuses.map((status) => ({ status_code: status, path_pattern: path, ...methods }));
  });
}
