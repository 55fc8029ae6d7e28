import beakerIcon from 'virtual:icon/beaker';
import bellIcon from 'virtual:icon/bell';
import organizationIcon from 'virtual:icon/briefcase';
import filterIcon from 'virtual:icon/filter';
import mergeIcon from 'virtual:icon/git-merge';
import hashIcon from 'virtual:icon/hash';
import inboxIcon from 'virtual:icon/inbox';
import issueIcon from 'virtual:icon/issue-opened';
import keyIcon from 'virtual:icon/key';
import mailIcon from 'virtual:icon/mail';
import meterIcon from 'virtual:icon/meter';
import packageIcon from 'virtual:icon/package';
import peopleIcon from 'virtual:icon/people';
import playIcon from 'virtual:icon/play';
import pulseIcon from 'virtual:icon/pulse';
import serverIcon from 'virtual:icon/server';
import slidersIcon from 'virtual:icon/sliders';
import terminalIcon from 'virtual:icon/terminal';
import webhookIcon from 'virtual:icon/webhook';
import zapIcon from 'virtual:icon/zap';
import type { Project } from '@culprit/contract/projects';
import { useQuery } from '@tanstack/react-query';
import { serverQuery } from '../api/server.ts';
import { sessionQuery } from '../api/session.ts';
import type { PathName } from '../paths.ts';

export interface NavigationEntry {
  /** The screen; its address takes the current project. */
  to: PathName;
  label: string;
  icon: string;
  /** The second key after `G`. */
  key: string | null;
  /** What the installation must have; without it the screen is reached by links only, where there is something to see. */
  needs?: 'slack';
  /** What needs somebody, in figures that the project's record has; null while unknown or where there is none. */
  figure?: (project: Project) => number;
  /** What needs somebody, where that takes a request of its own. */
  counted?: 'checks' | 'improvements';
}

/** The screens of a project in the order of the sidebar, and in groups. A screen that is built adds its line here. */
const NAVIGATION: readonly { title: string | null; entries: readonly NavigationEntry[] }[] = [
  {
    title: null,
    entries: [
      {
        to: 'incidents',
        label: 'Incidents',
        icon: issueIcon,
        key: 'I',
        figure: ({ metrics }) => metrics.open_incidents + metrics.regressed_incidents,
      },
      { to: 'project', label: 'Overview', icon: meterIcon, key: 'O' },
      { to: 'services', label: 'Services', icon: packageIcon, key: 'S' },
      { to: 'tail', label: 'Tail', icon: terminalIcon, key: 'T' },
      { to: 'checks', label: 'Checks', icon: pulseIcon, key: 'C', counted: 'checks' },
      { to: 'improvements', label: 'Improvements', icon: zapIcon, key: 'M', counted: 'improvements' },
    ],
  },
  {
    title: 'Tell',
    entries: [
      { to: 'alerts', label: 'Alerts', icon: bellIcon, key: 'A' },
      { to: 'webhooks', label: 'Webhooks', icon: webhookIcon, key: 'W' },
      { to: 'slack', label: 'Slack', icon: hashIcon, key: null, needs: 'slack' },
      { to: 'reports', label: 'Reports', icon: mailIcon, key: null },
    ],
  },
  {
    title: 'Capture',
    entries: [
      { to: 'capture', label: 'Policy and rules', icon: filterIcon, key: 'R' },
      { to: 'grouping', label: 'Grouping', icon: mergeIcon, key: null },
      { to: 'intake', label: 'Intake', icon: inboxIcon, key: null },
      { to: 'probes', label: 'Probes', icon: beakerIcon, key: null },
    ],
  },
  {
    title: 'Project',
    entries: [
      { to: 'setup', label: 'Set up', icon: playIcon, key: null },
      { to: 'tokens', label: 'Tokens', icon: keyIcon, key: null },
      { to: 'people', label: 'People', icon: peopleIcon, key: null },
      { to: 'projectSettings', label: 'Settings', icon: slidersIcon, key: null },
    ],
  },
];

const ORGANIZATION: NavigationEntry = {
  to: 'organization',
  label: 'Organization',
  icon: organizationIcon,
  key: 'U',
};
const OWN_SCREENS = [ORGANIZATION];
const OPERATOR_SCREENS: readonly NavigationEntry[] = [
  ORGANIZATION,
  { to: 'operator', label: 'Operator', icon: serverIcon, key: null },
];

/** The screens that belong to no project, at the foot of the sidebar. */
export function useOwnScreens(): readonly NavigationEntry[] {
  const { data: session } = useQuery(sessionQuery);
  return session?.is_operator === true ? OPERATOR_SCREENS : OWN_SCREENS;
}

/** The screens that this installation has. */
export function useNavigation(): typeof NAVIGATION {
  const { data: server } = useQuery(serverQuery);
  return NAVIGATION.map(({ title, entries }) => ({
    title,
    entries: entries.filter(({ needs }) => needs === undefined || server?.[needs] === true),
  }));
}
