import type { SettingKind } from '../setting-kinds.ts';

/** One setting: its environment variable, what it may be, what it is when unset, and a sentence for operators. */
export interface Setting<Value, Default> {
  name: `CULPRIT_${string}`;
  kind: SettingKind<Value>;
  /** Null where nothing is set, or where the default depends on other settings. */
  default: Default;
  /** Words for a default that is computed; otherwise the documentation shows the default itself. */
  defaultWords?: string;
  doc: string;
}

/** Types an entry by its kind: one whose default is null can be null. */
export function setting<Value>(entry: Setting<Value, null>): Setting<Value, null>;
export function setting<Value>(entry: Setting<Value, NoInfer<Value>>): Setting<Value, Value>;
export function setting<Value>(entry: Setting<Value, Value | null>): Setting<Value, Value | null> {
  return entry;
}
