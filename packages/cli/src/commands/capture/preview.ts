import { previewCapture } from '@culprit/contract/capture/capture-preview';
import { usageError } from '../../cli-error.ts';
import { fieldsOf } from '../../records/fields.ts';
import { recordCommand } from '../../records/record-commands.ts';
import { RULE_FIELDS } from './flags.ts';
import { policyPatch } from './policy.ts';
import { matcherOf } from './rules.ts';

const HOURS_DEFAULT = 24;

/**
 * Shows the effect that other settings would have had on the last hours. The settings are those of `policy set` and
 * `rules create`.
 */
export const run = recordCommand({
  endpoint: previewCapture,
  project: 'params.id',
  async body(_, input) {
    const policy = policyPatch(input);
    const { matcher: __, ...plain } = fieldsOf(input, RULE_FIELDS);
    const rule = { ...plain, ...(await matcherOf(input)) };
    const hasPolicy = Object.keys(policy).length > 0;
    const hasRule = Object.keys(rule).length > 0;
    if (!hasPolicy && !hasRule) {
      throw usageError('No change to preview.', 'flags of capture policy set or capture rules create');
    }
    return {
      hours: input.number('hours') ?? HOURS_DEFAULT,
      ...(hasPolicy ? { policy } : {}),
      ...(hasRule ? { rule: { name: 'preview', ...rule } } : {}),
    };
  },
});
