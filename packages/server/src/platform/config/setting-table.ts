import { MESSAGE_SETTINGS } from './settings/message-settings.ts';
import { RETENTION_SETTINGS } from './settings/retention-settings.ts';
import { SERVER_SETTINGS } from './settings/server-settings.ts';
import type { Setting } from './settings/setting.ts';
import { SIGN_IN_SETTINGS } from './settings/sign-in-settings.ts';
import { STORAGE_SETTINGS } from './settings/storage-settings.ts';

/**
 * Every setting there is (docs/contract/account.md 14, docs/contract/notifications.md 9), in the order of the
 * documentation.
 */
export const SETTING_GROUPS = {
  Server: SERVER_SETTINGS,
  'Storage and processes': STORAGE_SETTINGS,
  'Retention and plans': RETENTION_SETTINGS,
  'Sign-in': SIGN_IN_SETTINGS,
  'Mail, Slack and outgoing requests': MESSAGE_SETTINGS,
};

type SettingTable = UnionToIntersection<(typeof SETTING_GROUPS)[keyof typeof SETTING_GROUPS]>;
type UnionToIntersection<Union> = (Union extends unknown ? (member: Union) => void : never) extends (
  member: infer Intersection,
) => void
  ? Intersection
  : never;

/** The settings as given: computed defaults are still null. */
export type GivenSettings = {
  [Field in keyof SettingTable]: SettingTable[Field] extends Setting<infer Value, infer Default>
    ? Value | Default
    : never;
};
