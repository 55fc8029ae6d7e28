import { writtenValue } from '@culprit/contract/schemas/written-value';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { visibleLine } from '../../format/event-text.ts';
import { pathTo } from '../../paths.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import styles from './fact-links.module.css';
import link from './link.module.css';
import { ServiceName } from './service-name.tsx';

/** Facts that lead to what shares them, so that none has to be typed again (docs/contract/dashboard.md 4). */

const COMMIT_LENGTH = 7;

interface OfProject {
  pid: string;
}

/** A service, which leads to its incidents. */
export function ServiceLink({ pid, name }: OfProject & { name: string }) {
  return (
    <ListLink pid={pid} search={{ service: name }}>
      <ServiceName name={name} />
    </ListLink>
  );
}

/** An environment, which leads to its incidents. */
export function EnvironmentLink({ pid, name }: OfProject & { name: string }) {
  return (
    <ListLink pid={pid} search={{ environment: name }}>
      {visibleLine(name)}
    </ListLink>
  );
}

/** The value of a tag, which leads to the incidents that have it too. */
export function TagLink({
  pid,
  name,
  value,
  title,
  children = visibleLine(value),
}: OfProject & { name: string; value: string; title?: string; children?: ReactNode }) {
  return (
    <ListLink pid={pid} search={{ q: `tag.${name}:${writtenValue(value)}` }} title={title}>
      {children}
    </ListLink>
  );
}

/** A file of the application, which leads to the incidents that it is a part of. */
export function FileLink({ pid, file, children }: OfProject & { file: string; children: ReactNode }) {
  return (
    <ListLink
      pid={pid}
      search={{ q: `file:${writtenValue(file)}`, status: 'all' }}
      title="Incidents in this file"
    >
      {children}
    </ListLink>
  );
}

/** A person or a team, which leads to what they have. */
export function AssigneeLink({ pid, handle, children }: OfProject & { handle: string; children: ReactNode }) {
  return (
    <ListLink pid={pid} search={{ q: `assignee:${writtenValue(handle)}` }}>
      {children}
    </ListLink>
  );
}

function ListLink({
  pid,
  search,
  title,
  children,
}: OfProject & {
  search: Readonly<Record<string, string>>;
  title?: string | undefined;
  children: ReactNode;
}) {
  return (
    <Link
      className={styles.fact}
      to={pathTo('incidents', { pid })}
      search={search}
      title={title}
      translate="no"
      dir="auto"
    >
      {children}
    </Link>
  );
}

/** A version of the code, which leads to its release. */
export function ReleaseLink({ pid, version }: OfProject & { version: string }) {
  return (
    <Link
      className={styles.fact}
      to={pathTo('releases', { pid })}
      search={{ version }}
      translate="no"
      dir="auto"
    >
      {visibleLine(version)}
    </Link>
  );
}

/** Someone who works on the project. */
export function PersonLink({ pid, children }: OfProject & { children: ReactNode }) {
  return (
    <Link className={styles.fact} to={pathTo('people', { pid })} translate="no">
      {children}
    </Link>
  );
}

/** The beginning of a commit, with a button that copies all of it; a link where its repository is known. */
export function Commit({ sha, href = null }: { sha: string; href?: string | null }) {
  const short = visibleLine(sha.slice(0, COMMIT_LENGTH));
  const code = <code title={visibleLine(sha)}>{short}</code>;
  return (
    <span className={styles.commit} translate="no">
      {href === null ? (
        code
      ) : (
        <a className={link.link} href={href} rel="noreferrer" target="_blank">
          {code}
        </a>
      )}
      <CopyButton isIcon text={sha} label={`Copy commit ${short}`} />
    </span>
  );
}

/** A sentence in which each of these texts is shown as given beside it. */
export function WithFacts({
  text,
  facts,
}: {
  text: string;
  facts: readonly (readonly [text: string, shown: ReactNode])[];
}) {
  const shown = new Map(facts.filter(([each]) => each !== ''));
  if (shown.size === 0) return visibleLine(text);
  const any = [...shown.keys()]
    .sort((a, b) => b.length - a.length)
    .map((each) => each.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'))
    .join('|');
  // A version is no part of a longer one.
  const parts = text.split(new RegExp(`(?<![\\w.])(${any})(?![\\w]|\\.\\w)`));
  return parts.map((part, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: parts are in their order
    <span key={index}>{shown.get(part) ?? visibleLine(part)}</span>
  ));
}
