import type { CaptureRule } from '@culprit/contract/capture/capture';
import type { CapturePreview } from '@culprit/contract/capture/capture-preview';
import { serverNow } from '../api/transport.ts';
import { dateOnly } from '../format/times.ts';
import { EffectPanel } from '../ui/effect-panel.tsx';
import { SentenceLine } from '../ui/sentence.tsx';
import { CaptureEffect } from './capture-effect.tsx';
import { matcherOf } from './rule-conditions.ts';
import { ruleSentence } from './rule-sentence.ts';
import { endOf, type RuleValues, rateOf } from './rule-values.ts';

/** Shows the rule in a sentence, and the effect that it would have had. */
export function RuleEffect({
  values,
  stored,
  fault,
  preview,
  isAsked,
}: {
  values: RuleValues;
  stored: CaptureRule | null;
  fault: string | null;
  preview: { data: CapturePreview | undefined; error: unknown };
  isAsked: boolean;
}) {
  const end = endOf(values, stored, serverNow());
  const rate = rateOf(values);
  return (
    <EffectPanel label="What this rule does">
      <p>
        {fault === null ? (
          <SentenceLine
            sentence={ruleSentence({
              action: values.action,
              matcher: matcherOf(values.conditions),
              sampleRate: Number.isNaN(rate) ? null : rate,
              sampleEventClass: values.sampleEventClass,
              until: end === null ? null : dateOnly(end),
            })}
          />
        ) : (
          fault
        )}
      </p>
      {fault === null && isAsked && <CaptureEffect preview={preview.data} error={preview.error} />}
    </EffectPanel>
  );
}
