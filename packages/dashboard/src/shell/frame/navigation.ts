import beakerIcon from 'virtual:icon/beaker';
import bellIcon from 'virtual:icon/bell';
import organizationIcon from 'virtual:icon/briefcase';
import clockIcon from 'virtual:icon/clock';
import fileCodeIcon from 'virtual:icon/file-code';
import filterIcon from 'virtual:icon/filter';
import mergeIcon from 'virtual:icon/git-merge';
import hashIcon from 'virtual:icon/hash';
import inboxIcon from 'virtual:icon/inbox';
import issueIcon from 'virtual:icon/issue-opened';
import ticketIcon from 'virtual:icon/issue-tracks';
import keyIcon from 'virtual:icon/key';
import mailIcon from 'virtual:icon/mail';
import meterIcon from 'virtual:icon/meter';
import packageIcon from 'virtual:icon/package';
import peopleIcon from 'virtual:icon/people';
import personIcon from 'virtual:icon/person';
import playIcon from 'virtual:icon/play';
import pulseIcon from 'virtual:icon/pulse';
import serverIcon from 'virtual:icon/server';
import slidersIcon from 'virtual:icon/sliders';
import terminalIcon from 'virtual:icon/terminal';
import webhookIcon from 'virtual:icon/webhook';
import zapIcon from 'virtual:icon/zap';
import { useQuery } from '@tanstack/react-query';
import { serverQuery } from '../../api/server.ts';
import { sessionQuery } from '../../api/session.ts';
import { type PathName, pathTo } from '../../paths.ts';

/** A screen that the navigation leads to. */
export interface ScreenEntry {
  /** Its address takes the current project. */
  to: PathName;
  label: string;
  icon: string;
  /** The second key after `G`. */
  key: string | null;
  /** The feature that the installation must have; without it the screen is reached by links only. */
  needs?: 'slack';
  /** The addition to the API that the server must have. */
  feature?: string;
}

export interface NavigationEntry extends ScreenEntry {
  /** A figure next to the name, only where a person is needed. */
  counted?: 'attention' | 'checks';
  /** The screens below it, the first of which is its own; they are tabs, or a second column where they are many. */
  screens?: readonly ScreenEntry[];
}

/** The sidebar, in its order. */
const NAVIGATION: readonly NavigationEntry[] = [
  { to: 'incidents', label: 'Incidents', icon: issueIcon, key: 'I', counted: 'attention' },
  { to: 'project', label: 'Overview', icon: meterIcon, key: 'O' },
  { to: 'services', label: 'Services', icon: packageIcon, key: 'S' },
  { to: 'releases', label: 'Releases', icon: mergeIcon, key: 'R' },
  {
    to: 'checks',
    label: 'Uptime',
    icon: pulseIcon,
    key: 'U',
    counted: 'checks',
    screens: [
      { to: 'checks', label: 'URL checks', icon: pulseIcon, key: null },
      { to: 'heartbeats', label: 'Heartbeats', icon: clockIcon, key: 'H', feature: 'heartbeats' },
    ],
  },
  { to: 'improvements', label: 'Insights', icon: zapIcon, key: 'N' },
  { to: 'tail', label: 'Live events', icon: terminalIcon, key: 'L' },
  {
    to: 'alerts',
    label: 'Alerts',
    icon: bellIcon,
    key: 'A',
    screens: [
      { to: 'alerts', label: 'Rules', icon: bellIcon, key: null },
      { to: 'webhooks', label: 'Webhooks', icon: webhookIcon, key: 'W' },
      { to: 'slack', label: 'Slack', icon: hashIcon, key: null, needs: 'slack' },
      { to: 'reports', label: 'Weekly report', icon: mailIcon, key: null },
    ],
  },
  {
    to: 'projectSettings',
    label: 'Settings',
    icon: slidersIcon,
    key: ',',
    screens: [
      { to: 'projectSettings', label: 'General', icon: slidersIcon, key: null },
      { to: 'setup', label: 'Setup', icon: playIcon, key: null },
      { to: 'tokens', label: 'Tokens', icon: keyIcon, key: 'T' },
      { to: 'people', label: 'Members', icon: peopleIcon, key: 'M' },
      { to: 'capture', label: 'Event filters', icon: filterIcon, key: 'F' },
      { to: 'ownership', label: 'Ownership', icon: personIcon, key: null, feature: 'ownership' },
      { to: 'grouping', label: 'Grouping', icon: mergeIcon, key: null },
      { to: 'intake', label: 'Event intake', icon: inboxIcon, key: 'E' },
      { to: 'trackers', label: 'Issue trackers', icon: ticketIcon, key: null, feature: 'trackers' },
      { to: 'probes', label: 'Probes', icon: beakerIcon, key: null },
      { to: 'sourceMaps', label: 'Source maps', icon: fileCodeIcon, key: null, feature: 'source_maps' },
    ],
  },
];

const ORGANIZATION: ScreenEntry = {
  to: 'organization',
  label: 'Organization',
  icon: organizationIcon,
  key: null,
};
const OPERATOR: ScreenEntry = { to: 'operator', label: 'Operator', icon: serverIcon, key: null };
const OWN_SCREENS: readonly ScreenEntry[] = [ORGANIZATION];
const OPERATOR_SCREENS: readonly ScreenEntry[] = [ORGANIZATION, OPERATOR];

/** The screens that belong to no project, which the menu of the account leads to. */
export function useOwnScreens(): readonly ScreenEntry[] {
  const { data: session } = useQuery(sessionQuery);
  return session?.is_operator === true ? OPERATOR_SCREENS : OWN_SCREENS;
}

/** The navigation of this installation. */
export function useNavigation(): readonly NavigationEntry[] {
  const { data: server } = useQuery(serverQuery);
  return NAVIGATION.map((entry) =>
    entry.screens === undefined
      ? entry
      : {
          ...entry,
          screens: entry.screens.filter(
            ({ needs, feature }) =>
              (needs === undefined || server?.[needs] === true) &&
              (feature === undefined || server?.features.includes(feature) === true),
          ),
        },
  );
}

/** The entry whose own screen, or one below it, is at a path, even one that links alone lead to. */
export function entryAt<Entry extends NavigationEntry>(
  entries: readonly Entry[],
  path: string,
  pid: string,
): Entry | undefined {
  const section = NAVIGATION.find(({ to, screens }) =>
    [to, ...(screens ?? []).map((screen) => screen.to)].some((name) => isAt(name, path, pid)),
  );
  return entries.find(({ to }) => to === section?.to);
}

function isAt(name: PathName, path: string, pid: string): boolean {
  const own = pathTo(name, { pid });
  return path === own || (name !== 'project' && path.startsWith(`${own}/`));
}
