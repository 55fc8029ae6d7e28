import { ASSIGNEE_SYNCS, WONT_FIX_EFFECTS } from '@culprit/contract/alerts/tracker-words';
import type { ComponentProps } from 'react';
import { ASSIGNEE_WORDS, WONT_FIX_WORDS } from '../../api/sync-words.ts';
import { SelectField } from '../../ui/fields/field.tsx';

type Choice = Omit<ComponentProps<typeof SelectField>, 'label' | 'children'>;

/** The choice of what happens to an incident whose ticket is closed as not planned. */
export function WontFixField(choice: Choice) {
  return (
    <SelectField {...choice} label="When a ticket is closed as not planned">
      {WONT_FIX_EFFECTS.map((effect) => (
        <option key={effect} value={effect}>
          {WONT_FIX_WORDS[effect]}
        </option>
      ))}
    </SelectField>
  );
}

/** The choice of the direction in which the assignee is synchronized. */
export function AssigneeField(choice: Choice) {
  return (
    <SelectField {...choice} label="Assignee">
      {ASSIGNEE_SYNCS.map((direction) => (
        <option key={direction} value={direction}>
          {ASSIGNEE_WORDS[direction]}
        </option>
      ))}
    </SelectField>
  );
}
