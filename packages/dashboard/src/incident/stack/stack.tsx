import { lineLink, type Repository } from '@culprit/contract/releases/repository-links';
import { Link } from '@tanstack/react-router';
import { useId, useState } from 'react';
import { visibleLine, visibleText } from '../../format/event-text.ts';
import { plural } from '../../format/numbers.ts';
import { pathTo } from '../../paths.ts';
import { appearance } from '../../shell/frame/appearance.ts';
import { EDITORS, type Editor, editorLink, readEditor } from '../../shell/parts/editor.ts';
import { FileLink } from '../../shell/parts/fact-links.tsx';
import link from '../../shell/parts/link.module.css';
import { Button } from '../../ui/button.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Segments } from '../../ui/fields/segments.tsx';
import { Section } from '../../ui/section.tsx';
import { useSignal } from '../../ui/signal.ts';
import { type Frame, groupFrames, type MapProblem, type ShownStack, withoutRepeats } from './frames.ts';
import { MapProblems, withCommands } from './map-problems.tsx';
import { SourceLines } from './source-lines.tsx';
import styles from './stack.module.css';

const ROWS_AT_FIRST = 10;

type View = 'own' | 'all' | 'generated' | 'raw';
const VIEWS: readonly { value: View; label: string }[] = [
  { value: 'own', label: 'In-app' },
  { value: 'all', label: 'All' },
  { value: 'generated', label: 'Generated' },
  { value: 'raw', label: 'Raw' },
];

/**
 * Shows the place of the failure: in-app frames first to the eye, the exact text on request, causes below their effect.
 */
export function Stack({
  stack,
  commit,
  repository,
  projectId,
}: {
  stack: ShownStack;
  commit: string | null;
  /** The repository in which lines open if no editor is set. */
  repository: Repository | null;
  /** The project whose incidents in a file are offered where no editor is set. */
  projectId: string;
}) {
  const [view, setView] = useState<View>('own');
  const { editor: stored } = useSignal(appearance);
  const { frames, causes, raw, maps, generated } = stack;
  const opener = { editor: readEditor(stored), repository, commit, projectId };
  const views = VIEWS.filter(
    ({ value }) => (value !== 'raw' || raw !== null) && (value !== 'generated' || generated !== undefined),
  );
  return (
    <Section
      id="stack"
      title="Stack"
      actions={
        <>
          {frames.length > 0 && (
            <Segments label="Frames" isSmall choices={views} value={view} onChange={setView} />
          )}
          <CopyButton text={raw ?? textOf(frames)} label="Copy stack" />
        </>
      }
    >
      <MapProblems maps={maps} />
      {raw !== null && (view === 'raw' || frames.length === 0) ? (
        <CodeBlock code={raw} label="raw stack">
          {visibleText(raw)}
        </CodeBlock>
      ) : (
        <>
          <Frames
            frames={view === 'generated' ? (generated ?? frames) : frames}
            isFolded={view === 'own'}
            opener={opener}
          />
          {causes.map(({ type, message, frames: own }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: causes are in the order of their effect
            <div key={index} className={styles.cause}>
              <h3 dir="auto" translate="no">
                Caused by {visibleLine(message === '' ? type : `${type}: ${message}`)}
              </h3>
              <Frames frames={own} isFolded={view === 'own'} opener={opener} />
            </div>
          ))}
        </>
      )}
    </Section>
  );
}

function textOf(frames: readonly Frame[]): string {
  return frames.map((frame) => `${frame.function} (${frame.place})`).join('\n');
}

/** The editor and commit with which a place opens, and the project whose settings explain it. */
interface Opener {
  editor: Editor | null;
  repository: Repository | null;
  commit: string | null;
  projectId: string;
}

function Frames({
  frames,
  isFolded,
  opener,
}: {
  frames: readonly Frame[];
  isFolded: boolean;
  opener: Opener;
}) {
  const rows = withoutRepeats(frames);
  const first = rows.find(({ isOwn }) => isOwn) ?? rows[0];
  const [isAll, setAll] = useState(false);
  const all = isFolded ? groupFrames(rows) : rows.map((frame) => ({ kind: 'own' as const, frame }));
  const groups = isAll || all.length <= ROWS_AT_FIRST + 2 ? all : all.slice(0, ROWS_AT_FIRST);
  return (
    <ol className={styles.frames}>
      {groups.map((group, index) =>
        group.kind === 'own' ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: frames keep their order
          <FrameRow key={index} frame={group.frame} opener={opener} isOpen={group.frame === first} />
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: frames keep their order
          <li key={index}>
            <details className={styles.fold}>
              <summary>{plural(group.frames.length, 'library frame')}</summary>
              <ol>
                {group.frames.map((frame, inner) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: frames keep their order
                  <FrameRow key={inner} frame={frame} opener={opener} isOpen={false} />
                ))}
              </ol>
            </details>
          </li>
        ),
      )}
      {groups.length < all.length && (
        <li>
          <Button kind="quiet" onClick={() => setAll(true)}>
            Show {all.length - groups.length} more frames
          </Button>
        </li>
      )}
    </ol>
  );
}

/** One call. With source it unfolds; without it there is nothing to unfold. */
function FrameRow({ frame, opener, isOpen }: { frame: Frame; opener: Opener; isOpen: boolean }) {
  const [isUnfolded, setUnfolded] = useState(isOpen);
  const [isAsked, setAsked] = useState(false);
  const answerId = useId();
  const { why } = frame;
  const hasSource = frame.source.length > 0;
  const name = frame.function === '' ? '' : visibleLine(frame.function);
  return (
    <li className={styles.item}>
      <div className={styles.frame} data-own={frame.isOwn} title={visibleLine(frame.place)} translate="no">
        {hasSource ? (
          <button
            type="button"
            className={styles.toggle}
            aria-expanded={isUnfolded}
            onClick={() => setUnfolded(!isUnfolded)}
          >
            <code className={styles.function}>{name}</code>
          </button>
        ) : (
          <code className={styles.function}>{name}</code>
        )}
        <code className={styles.place}>
          <Place frame={frame} opener={opener} />
          {frame.repeats > 1 && <span className={styles.repeats}> × {frame.repeats}</span>}
          {why !== undefined && (
            <button
              type="button"
              className={styles.why}
              aria-expanded={isAsked}
              aria-controls={answerId}
              aria-label={`Why? ${visibleLine(placeOf(frame))} is not mapped`}
              onClick={() => setAsked(!isAsked)}
            >
              Why?
            </button>
          )}
        </code>
        <span className={styles.copy}>
          <CopyButton isIcon text={frame.place} label={`Copy ${visibleLine(placeOf(frame))}`} />
        </span>
      </div>
      {why !== undefined && (
        <p id={answerId} className={styles.maps} hidden={!isAsked}>
          <Answer why={why} raw={frame.raw} projectId={opener.projectId} />
        </p>
      )}
      {hasSource && isUnfolded && <SourceLines lines={frame.source} />}
    </li>
  );
}

/** The reason and the next step, and the way to everything that the server compares. */
function Answer({ why, raw, projectId }: { why: MapProblem; raw: string; projectId: string }) {
  const { words, hint, release, debug_id: debugId } = why;
  const asked = Object.entries({ tab: 'explain', frame: raw, release, debug_id: debugId });
  return (
    <>
      {visibleLine(words)} {withCommands(hint)}{' '}
      <Link
        className={link.link}
        to={pathTo('sourceMaps', { pid: projectId })}
        search={Object.fromEntries(asked.filter(([, value]) => value !== null))}
      >
        Explain this frame
      </Link>
    </>
  );
}

/** File and line, by which a frame is spoken of. */
function placeOf({ shortPlace }: Frame): string {
  return shortPlace.replace(/:(\d+):\d+$/, ':$1');
}

function Place({ frame, opener }: { frame: Frame; opener: Opener }) {
  const { editor, repository, commit, projectId } = opener;
  const local = editorLink(editor, frame.place, commit);
  const isInRepository = local === null && repository !== null && frame.isOwn;
  const href = isInRepository ? lineLink(repository, frame.place, commit) : local;
  if (href === null) {
    const file = frame.shortPlace.replace(/(?::\d+){1,2}$/, '');
    if (!frame.isOwn || file === '') return visibleLine(frame.shortPlace);
    return (
      <FileLink pid={projectId} file={file}>
        {visibleLine(frame.shortPlace)}
      </FileLink>
    );
  }
  return (
    <a
      className={link.link}
      href={href}
      rel="noreferrer noopener"
      title={local === null || editor === null ? 'Open in the repository' : `Open in ${EDITORS[editor.kind]}`}
    >
      {visibleLine(frame.shortPlace)}
    </a>
  );
}
